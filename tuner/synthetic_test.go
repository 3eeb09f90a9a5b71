package tuner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// synthetic describes simulated games: rows with random features whose results
// follow the sigmoid of the true weights exactly, row by row, but depend on
// each other within a game.
type synthetic struct {
	games, rows int     // rows a game
	terms       int     // number of terms, all tapered
	perRow      int     // entries a row
	shared      float64 // share of rows whose luck is their game's
	k           float64
	seed        uint64
	persistent  bool // features change slowly within a game, the phase falls
}

func (s synthetic) truth() halves {
	r := rand.New(rand.NewPCG(99, 1))
	w := newHalves(s.terms)
	for t := range w.mg {
		w.mg[t], w.eg[t] = 60*r.NormFloat64(), 60*r.NormFloat64()
	}
	return w
}

func (s synthetic) list(start halves) []Term {
	out := make([]Term, s.terms)
	for t := range out {
		out[t] = Term{Name: fmt.Sprintf("t%d", t), Group: "pieces", Tapered: true, Mirror: t, MG: start.mg[t], EG: start.eg[t]}
	}
	return out
}

func (s synthetic) store(tb testing.TB) *Store { return s.fill(tb, NewBuilder(s.terms)) }

func (s synthetic) fill(tb testing.TB, b *Builder) *Store {
	tb.Helper()
	r := rand.New(rand.NewPCG(s.seed, 7))
	w := s.truth()
	for g := range s.games {
		luck := r.Float64()
		var entries []Entry
		for i := range s.rows {
			phase := r.IntN(MaxPhase + 1)
			if s.persistent {
				phase = MaxPhase * (s.rows - 1 - i) / (s.rows - 1)
			}
			if entries == nil || !s.persistent || r.IntN(10) == 0 {
				entries = s.entries(r)
			}
			row := Row{Entries: entries, Phase: phase, Scale: 1, Weight: 1, Score: NoScore, Game: uint64(g + 1)}
			u := luck
			if r.Float64() >= s.shared {
				u = r.Float64()
			}
			if u < Sigmoid(s.k*evaluate(&row, w)) {
				row.Result = 1
			}
			if err := b.Add(&row); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return finish(tb, b)
}

func (s synthetic) entries(r *rand.Rand) []Entry {
	var out []Entry
	for t := range s.terms {
		if r.IntN(s.terms) < s.perRow {
			c := []float32{1, -1, 1, -1, 2, -3}[r.IntN(6)]
			out = append(out, Entry{Term: uint16(t), Count: c})
		}
	}
	return out
}

// evaluate is the definition of E, written as plainly as it can be.
func evaluate(r *Row, w halves) float64 {
	e := 0.0
	for _, x := range r.Entries {
		e += float64(x.Count) * (w.mg[x.Term]*float64(r.Phase) + w.eg[x.Term]*float64(MaxPhase-r.Phase)) / MaxPhase
	}
	return e*float64(r.Scale) + float64(r.Offset)
}

func finish(tb testing.TB, b *Builder) *Store {
	tb.Helper()
	s, err := b.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// evaluations returns E in centipawns of every row under w, by the row's game
// less one: for stores in which every row is a game of its own.
func evaluations(tb testing.TB, s *Store, w halves, workers int) []float64 {
	tb.Helper()
	out := make([]float64, s.rows)
	err := s.pass(context.Background(), workers, w, func(t *scratch, i int, _ []uint16) {
		for j, g := range s.chunks[i].game {
			out[s.games[g].id-1] = t.x[j]
		}
	}, func(*scratch, int) {})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
