// Package synthetic simulates games whose rows follow known weights, for tests.
package synthetic

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/eval/formula"
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
	mg, eg := r.Factors()
	for _, x := range r.Entries {
		e += float64(x.Count) * (w.MG[x.Term]*mg + w.EG[x.Term]*eg)
	}
	return e*float64(r.Scale) + float64(r.Offset)
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

// RandomPlay returns positions of games of random moves, with results and scores that follow the
// material on the board. Every fourth game shares its opening with the one before.
func RandomPlay(games, plies int, seed uint64) rows.Source {
	r := rand.New(rand.NewPCG(seed, 3))
	worth := [...]int{100, 310, 330, 500, 940}
	var list []dataset.PositionRow
	for g := range games {
		pos, luck := board.StartPosition(), r.Float64()
		for ply := range plies {
			moves := pos.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			pos.Make(moves[r.IntN(len(moves))])
			if ply < 10 || ply%3 > 0 {
				continue
			}
			material := 0
			for p, v := range worth {
				material += v * (pos.Pieces(board.White, board.PieceType(p)).Count() - pos.Pieces(board.Black,
					board.PieceType(p)).Count())
			}
			row := dataset.PositionRow{Board: pos, Ply: uint16(ply + 1), Score: int16(material + r.IntN(61) - 30), Result: 0.5,
				Game: uint64(g + 1), Opening: uint64(g - g%4/3 + 1000), Weight: 1}
			switch p := 1 / (1 + math.Exp(-0.004*float64(material))); {
			case luck < p-0.1:
				row.Result = 1
			case luck > p+0.1:
				row.Result = 0
			}
			if r.IntN(20) == 0 {
				row.Score = dataset.NoScore
			}
			list = append(list, row)
		}
	}
	return rows.Source{Name: "random play", Rows: Seq(list), Len: int64(len(list))}
}

// MadeUpSet is an evaluation with a term of each kind, in units of its own.
func MadeUpSet() dataset.FeatureSet {
	return dataset.FeatureSet{Version: 2, Model: "made-up", Float: true,
		Evaluation: dataset.Evaluation{Unit: 256, Tolerance: 2},
		Terms: []dataset.FeatureTerm{
			{Name: "pawn", Group: "material", MG: 200, EG: 240}, {Name: "pair", Kind: dataset.SingleTerm, MG: 70, EG: 70},
			{Name: "tempo", Kind: dataset.FlatTerm, MG: 30, EG: 30}, {Name: "shelter.0", Kind: dataset.MiddlegameTerm, MG: 25},
			{Name: "passed.3", Kind: dataset.EndgameTerm, EG: 80}, {Name: "other", Fixed: true, MG: 1, EG: 1},
		}}
}

// MadeUp returns rows of a set with every factor that it may have: four a game, some without one, two
// games an opening at first.
func MadeUp(set dataset.FeatureSet, n int) (list []dataset.FeatureRow) {
	for i := range n {
		row := dataset.FeatureRow{Phase: float32(i%25) / 24, Scale: 1, EGScale: 1, Eval: dataset.NoEval,
			Score: int16(i*37%1400 - 700), Weight: 1, Game: uint64(i/4 + 1), Opening: uint64(i/4 + 1000),
			Result: float32(i%3) / 2}
		if i < 160 {
			row.Opening = uint64(i/8 + 1)
		}
		if i%9 == 5 {
			row.Game, row.Opening = 0, 0
		}
		if i%7 == 0 {
			row.Phase, row.Scale, row.Offset = float32(i)/50, 0.5, float32(i)
		}
		if i%11 == 0 {
			row.Weight = 0
		}
		for term := range set.Terms {
			count := float32((i*(term+2))%5 - 2)
			if (i+term)%3 == 0 || count == 0 {
				continue
			}
			row.Terms, row.Counts = append(row.Terms, uint16(term)), append(row.Counts, count)
			if set.BySide {
				row.EGCounts = append(row.EGCounts, count*float32(i%4+1)/4)
			}
		}
		if set.EGScale != "" && i%5 == 0 {
			row.EGScale = 0.25
		}
		list = append(list, row)
	}
	return list
}

// Data is a store with its terms.
type Data struct {
	Store *rows.Store
	Terms []rows.Term
}

// Samples returns a store of each kind: positions of a model of ours, features with factors of every
// kind, and features with a formula.
func Samples(tb testing.TB) map[string]Data {
	out := map[string]Data{}
	keep := func(name string, s *rows.Store, terms []rows.Term, err error) {
		if err != nil {
			tb.Fatal(err)
		}
		out[name] = Data{s, terms}
	}
	for name, games := range map[string]int{"assay": 60, "shannon-appendix": 200} {
		m, err := eval.Lookup(name)
		if err != nil {
			tb.Fatal(err)
		}
		terms, err := rows.TermsOf(m, m.Start)
		if err != nil {
			tb.Fatal(err)
		}
		s, err := rows.Build{}.Positions(tb.Context(), m, []rows.Source{RandomPlay(games, 120, 1)})
		keep(name, s, terms, err)
	}
	set := MadeUpSet()
	source := rows.FeatureSource{Name: "features", Rows: Seq(MadeUp(set, 1400))}
	s, err := rows.Build{}.Features(tb.Context(), set, []rows.FeatureSource{source})
	keep("features", s, rows.TermsOfFeatures(set), err)
	bent := NewBent(5, true)
	keep("formula", bent.Store(tb, bent.Games(60, 6, 4), ""), bent.Terms, nil)
	return out
}

// Seq yields the rows of a list.
func Seq[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Text is what a golden file holds: named lists of numbers, to eight digits.
type Text struct{ strings.Builder }

// Add appends a line.
func (t *Text) Add(name string, values ...float64) {
	fmt.Fprintf(t, "%s:", name)
	for _, v := range values {
		if math.Abs(v) < 1e-11 {
			v = 0
		}
		fmt.Fprintf(t, " %.8g", v)
	}
	t.WriteByte('\n')
}

// Sums appends a long list as its sums with three weightings, which no change of one number or of the
// order leaves alone.
func (t *Text) Sums(name string, list []float64) {
	var a, b, c float64
	for i, v := range list {
		a, b, c = a+v, b+v*float64(i+1), c+v*math.Cos(float64(i))
	}
	t.Add(fmt.Sprintf("%s, %d numbers", name, len(list)), a, b, c)
}

// Golden compares the text with a file of testdata, or writes the file.
func (t *Text) Golden(tb testing.TB, file string, update bool) {
	tb.Helper()
	path := filepath.Join("testdata", file)
	if update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(t.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	got, old := strings.Split(t.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(old)) {
		switch {
		case i >= len(got):
			tb.Fatalf("%s: missing %q", path, old[i])
		case i >= len(old) || got[i] != old[i]:
			tb.Fatalf("%s, line %d:\ngot  %s\nwant %s", path, i+1, got[i], append(old, "")[min(i, len(old))])
		}
	}
}

// BentK is the slope under which results are drawn.
const BentK = 0.005

// Bent is an evaluation whose value is a formula. Its first channel is tapered and not counted by side.
type Bent struct {
	Terms    []rows.Term
	Channel  []int // by term
	Channels []formula.Channel
	Formula  *formula.Formula
}

// BentRow is a position as the counts of each term: White's, or both sides', and Black's.
type BentRow struct {
	Counts [][2]float32 // by term
	Phase  int
	Result float32
	Game   uint64
}

// Add appends a term of a channel.
func (e *Bent) Add(channel int, name string, mg, eg float64) {
	e.Terms = append(e.Terms, rows.Term{Name: name, Group: e.Channels[channel].Name, Tapered: e.Channels[channel].Tapered,
		Mirror: len(e.Terms), MG: mg, EG: eg})
	e.Channel = append(e.Channel, channel)
}

// NewBent is an evaluation of n terms of a tapered channel, king danger of each side, which counts by its square,
// and complexity, which multiplies the endgame half. Without a jump it has no kinks where rows are, so that its
// loss has one minimum.
func NewBent(n int, jump bool) *Bent {
	e := &Bent{Channels: []formula.Channel{{Name: "main", Tapered: true}, {Name: "danger", Sides: true},
		{Name: "complexity"}}}
	e.Formula = formula.New("bent", func(b *formula.Builder) formula.Value {
		attack := b.Balance(func(black bool) formula.Value {
			return b.Read(formula.Input{Channel: 1, Black: black}).Max(b.Number(0)).Square().Over(400)
		})
		mg, eg := b.Read(formula.Input{Channel: 0}), b.Read(formula.Input{Channel: 0, Endgame: true})
		phase := b.Read(formula.Input{Channel: formula.Phase})
		play := b.Number(1).Plus(b.Read(formula.Input{Channel: 2}).Clamp(-50, 50).Over(100))
		v := b.Number(0)
		if jump {
			v = b.If(b.Number(30).Less(eg), b.Number(10), v)
		}
		v = v.Plus(mg.Plus(attack).Times(phase))
		return v.Plus(eg.Plus(attack.Times(b.Number(0.3))).Times(play).Times(b.Number(1).Minus(phase)))
	})
	for i := range n {
		e.Add(0, fmt.Sprintf("main.%d", i), float64(60+10*i), float64(90-5*i))
	}
	for i := range 4 {
		e.Add(1, fmt.Sprintf("danger.%d", i), float64(20+10*i), float64(20+10*i))
	}
	e.Add(2, "complexity", 5, 5)
	return e
}

// value is the evaluation of a row with the start values of the terms.
func (e *Bent) value(m *formula.Machine, r *BentRow) float64 {
	in := make([]float64, len(e.Formula.Inputs))
	for i, x := range e.Formula.Inputs {
		if x.Channel == formula.Phase {
			in[i] = float64(r.Phase) / rows.MaxPhase
		}
		for t := range e.Terms {
			if e.Channel[t] != x.Channel {
				continue
			}
			count, value := r.Counts[t][0], e.Terms[t].MG
			if x.Black {
				count = r.Counts[t][1]
			}
			if x.Endgame {
				value = e.Terms[t].EG
			}
			in[i] += float64(count) * value
		}
	}
	return m.Value(in)
}

// Games draws games of rows, whose results follow the start values of the terms. The rows of a game share its luck.
func (e *Bent) Games(games, length int, seed uint64) (out []BentRow) {
	r := rand.New(rand.NewPCG(seed, 11))
	m := formula.NewMachine(e.Formula)
	for g := range games {
		luck := r.Float64()
		for range length {
			row := BentRow{Counts: make([][2]float32, len(e.Terms)), Phase: r.IntN(rows.MaxPhase + 1), Game: uint64(g + 1)}
			for t := range e.Terms {
				switch {
				case r.IntN(3) == 0:
				case e.Channels[e.Channel[t]].Sides:
					row.Counts[t] = [2]float32{float32(r.IntN(4)), float32(r.IntN(4))}
				default:
					row.Counts[t][0] = float32(r.IntN(5) - 2)
				}
			}
			if luck < objective.Sigmoid(BentK*e.value(m, &row)) {
				row.Result = 1
			}
			out = append(out, row)
		}
	}
	return out
}

// Store builds a store of rows, in memory or, if disk is not empty, in that folder.
func (e *Bent) Store(t testing.TB, list []BentRow, disk string) *rows.Store {
	t.Helper()
	b, err := rows.NewDiskBuilder(len(e.Terms), disk)
	if err != nil {
		t.Fatal(err)
	}
	bend := rows.NewNonlinear(e.Formula, e.Channels, e.Channel)
	b.SetNonlinear(bend)
	for i := range list {
		r := &list[i]
		phase := float32(r.Phase) / rows.MaxPhase
		row := rows.Row{Phase: rows.OwnFactors, MG: phase, EG: 1 - phase, Scale: 1, Result: r.Result, Score: rows.NoScore,
			Weight: 1, Game: r.Game}
		for term, n := range r.Counts {
			row.Entries = bend.Entries(row.Entries, uint16(term), n[0], n[1])
		}
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	return Finish(t, b)
}
