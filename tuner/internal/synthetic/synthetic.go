// Package synthetic simulates games whose rows follow known weights, for tests.
package synthetic

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Games describes simulated games: rows with random features whose results follow the sigmoid of the true
// weights exactly, row by row, but depend on each other within a game.
type Games struct {
	Games, Rows int     // rows a game
	Terms       int     // number of terms, all tapered
	PerRow      int     // entries a row
	Shared      float64 // share of rows whose luck is their game's
	K           float64
	Seed        uint64
	Persistent  bool // features change slowly within a game, the phase falls
	// Dominant, unless 0, is the true weight of the first term, which is not tapered.
	Dominant float64
	Scored   bool // each row's score is its true evaluation
	// Spread is the standard deviation of the other true weights; 0 means 60.
	Spread float64
	Noise  float64 // share of the rows whose result is a coin's
	Exact  bool    // the result is the expected one, which no game has
}

// Truth returns the true weights.
func (s Games) Truth() objective.Tapered {
	r := rand.New(rand.NewPCG(99, 1))
	w := objective.NewTapered(s.Terms)
	for t := range w.MG {
		spread := cmp.Or(s.Spread, 60)
		w.MG[t], w.EG[t] = spread*r.NormFloat64(), spread*r.NormFloat64()
	}
	if s.Dominant != 0 {
		w.MG[0], w.EG[0] = s.Dominant, s.Dominant
	}
	return w
}

// List returns the terms with their start weights.
func (s Games) List(start objective.Tapered) []rows.Term {
	out := make([]rows.Term, s.Terms)
	for t := range out {
		out[t] = rows.Term{Name: fmt.Sprintf("t%d", t), Group: "pieces", Tapered: t > 0 || s.Dominant == 0, Mirror: t,
			MG: start.MG[t], EG: start.EG[t]}
	}
	return out
}

// Store returns the rows in memory.
func (s Games) Store(tb testing.TB) *rows.Store { return s.Fill(tb, rows.NewBuilder(s.Terms)) }

// Fill adds the rows to a builder and finishes it.
func (s Games) Fill(tb testing.TB, b *rows.Builder) *rows.Store {
	tb.Helper()
	r := rand.New(rand.NewPCG(s.Seed, 7))
	w := s.Truth()
	for g := range s.Games {
		luck := r.Float64()
		var entries []rows.Entry
		for i := range s.Rows {
			phase := r.IntN(rows.MaxPhase + 1)
			if s.Persistent {
				phase = rows.MaxPhase * (s.Rows - 1 - i) / (s.Rows - 1)
			}
			if entries == nil || !s.Persistent || r.IntN(10) == 0 {
				entries = s.Entries(r)
			}
			row := rows.Row{Entries: entries, Phase: phase, Scale: 1, Weight: 1, Score: rows.NoScore, Game: uint64(g + 1)}
			if s.Scored {
				row.Score = int16(math.Round(Evaluate(&row, w)))
			}
			u, p := luck, objective.Sigmoid(s.K*Evaluate(&row, w))
			if r.Float64() >= s.Shared {
				u = r.Float64()
			}
			if s.Noise > 0 && r.Float64() < s.Noise {
				p = 0.5
			}
			switch {
			case s.Exact:
				row.Result = float32(p)
			case u < p:
				row.Result = 1
			}
			if err := b.Add(&row); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return Finish(tb, b)
}

// Entries returns random entries of a row.
func (s Games) Entries(r *rand.Rand) []rows.Entry {
	var out []rows.Entry
	for t := range s.Terms {
		if r.IntN(s.Terms) < s.PerRow {
			c := []float32{1, -1, 1, -1, 2, -3}[r.IntN(6)]
			out = append(out, rows.Entry{Term: uint16(t), Count: c})
		}
	}
	return out
}

// Evaluate is the definition of E, written as plainly as it can be.
func Evaluate(r *rows.Row, w objective.Tapered) float64 {
	e := 0.0
	mg, eg := Factors(r)
	for _, x := range r.Entries {
		e += float64(x.Count) * (w.MG[x.Term]*mg + w.EG[x.Term]*eg)
	}
	return e*float64(r.Scale) + float64(r.Offset)
}

// Factors returns the factors of the row's middlegame and endgame values.
func Factors(r *rows.Row) (mg, eg float64) {
	if r.Phase == rows.OwnFactors {
		return float64(r.MG), float64(r.EG)
	}
	return float64(r.Phase) / rows.MaxPhase, float64(rows.MaxPhase-r.Phase) / rows.MaxPhase
}

// Finish ends the building of a store.
func Finish(tb testing.TB, b *rows.Builder) *rows.Store {
	tb.Helper()
	s, err := b.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
