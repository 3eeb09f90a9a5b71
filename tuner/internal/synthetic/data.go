package synthetic

import (
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
	"github.com/assay-chess/assay/tuner/rows"
)

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
