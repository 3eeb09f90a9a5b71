package rows

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// MaxPairs is the largest size of a dictionary.
const MaxPairs = maxPairs

// LimitPairs lets the dictionary have no more than n pairs.
func (b *Builder) LimitPairs(n int) { b.s.pairs.limit = n }

// Truncate cuts the file of a store on disk in half.
func (s *Store) Truncate() error { return s.disk.f.Truncate(s.disk.size / 2) }

// value is the evaluation of a row under the terms' start values.
func value(r *Row, terms []Term) float64 {
	mg, eg := r.Factors()
	sum := 0.0
	for _, e := range r.Entries {
		sum += float64(e.Count) * (mg*terms[e.Term].MG + eg*terms[e.Term].EG)
	}
	return float64(r.Offset) + float64(r.Scale)*sum
}

// Whatever the factors, a row has the evaluation of the features that it is made of.
func TestLinearKeepsTheValue(t *testing.T) {
	terms := []dataset.FeatureTerm{{Name: "a", MG: 100, EG: 130}, {Name: "b", MG: -20, EG: 35},
		{Name: "s", MG: 9, EG: 9, Kind: dataset.SingleTerm}, {Name: "tempo", MG: 14, EG: 14, Kind: dataset.FlatTerm},
		{Name: "open", MG: 23, Kind: dataset.MiddlegameTerm}, {Name: "seventh", EG: -17, Kind: dataset.EndgameTerm}}
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(v ...float32) float32 { return v[rng.IntN(len(v))] }
	for _, bySide := range []bool{false, true} {
		set := dataset.FeatureSet{Version: 2, Model: "m", Terms: terms, Float: true,
			Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2, BySide: bySide}}
		l := NewLinear(set)
		for i := range 2000 {
			f := dataset.FeatureRow{
				Phase: pick(0, 7./24, 1, 0.3, 1.2, -0.1), Scale: pick(0, 0.5, 1, 1.5), EGScale: pick(0, 0.25, 1,
					2), Offset: pick(0, -12.5), Eval: dataset.NoEval, Weight: 1,
			}
			for term := range terms {
				if n := float32(rng.IntN(9) - 4); n != 0 {
					f.Terms, f.Counts = append(f.Terms, uint16(term)), append(f.Counts, n)
					if bySide {
						f.EGCounts = append(f.EGCounts, n*pick(1, 0.5)+pick(0, 1))
					}
				}
			}
			setup.Check(t, set.CheckRow(&f))
			var r Row
			setup.Check(t, l.row(&f, &r))
			setup.Check(t, r.check(len(l.terms)))
			if got, want := value(&r, l.terms), set.Value(&f); math.Abs(got-want) > 1e-3 {
				t.Fatalf("row %d, %+v: %v, want %v from %+v", i, r, got, want, f)
			}
			for _, e := range r.Entries {
				if half := e.Term >= 4; e.Count != float32(int(e.Count)) && !bySide && !half && f.Scale == 1 && f.EGScale == 1 {
					t.Fatalf("a count that is not whole, in a row without factors: %+v", r)
				}
			}
		}
	}
}

// Rows whose endgame half has another sign under other weights are counted, without flat terms and middlegame terms,
// which do not end the row, and only where the endgame factor follows the sign. A half that is exactly 0 before or
// after has no sign that could change.
func TestSignChanges(t *testing.T) {
	ctx := context.Background()
	set := dataset.FeatureSet{Version: 2, Model: "m", Terms: []dataset.FeatureTerm{{Name: "a", EG: 10}, {Name: "b",
		EG: 3}, {Name: "tempo", MG: 99, EG: 99, Kind: dataset.FlatTerm},
		{Name: "open", MG: 77, Kind: dataset.MiddlegameTerm}, {Name: "seventh", EG: 4, Kind: dataset.EndgameTerm}},
		Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2, EGScale: dataset.EGScaleBySign}}
	source := FeatureSource{Name: "x", Rows: func(yield func(dataset.FeatureRow, error) bool) {
		for i, counts := range [][]float32{{1, -2, 5, -8, 0}, {-1, 2, -5, 8, 0}, {1, 1, -1, 2, 0}, {1, -5, 9, 1, 0},
			{1, -2, 0, 0, 1}, {0, 1, 0, 0, -1}, {1, -2, 5, -8, 1}, {3, -10, 0, 0, 0}, {-3, 10, 0, 0, 0}, {6, -10, 0, 0, 0},
			{-6, 10, 0, 0, 0}} {
			f := dataset.FeatureRow{Terms: []uint16{0, 1, 2, 3, 4}, Counts: counts, Phase: 0.25, Scale: 1, EGScale: 0.5,
				Eval: dataset.NoEval, Weight: 1, Game: uint64(i + 1)}
			if !yield(f, nil) {
				return
			}
		}
	}}
	for _, follows := range []bool{true, false} {
		if !follows {
			set.EGScale = ""
		}
		s := setup.Must(Build{}.Features(ctx, set, []FeatureSource{source}))
		c, err := NewLinear(set).SignChanges(ctx, s, []float64{10, 3, 99, 77, 4}, []float64{10, 6, 99, 77, 4})
		if want := (SignChanges{11, 3}); err != nil || follows && *c != want || !follows && c != nil {
			t.Errorf("%+v, %v; want %+v", c, err, want)
		}
	}
}

// The typical count of a term leaves out the factors of rows, so that its prior is as wide as if no factor touched it.
func TestTypicalCountsHaveNoFactors(t *testing.T) {
	terms := []dataset.FeatureTerm{{Name: "tapered"}, {Name: "single", Kind: dataset.SingleTerm},
		{Name: "flat", Kind: dataset.FlatTerm}, {Name: "mg", Kind: dataset.MiddlegameTerm},
		{Name: "eg", Kind: dataset.EndgameTerm}}
	for _, tt := range []struct {
		name   string
		bySide bool
		scale  float32
		eg     float32
		want   []float64 // typical counts by term of the rows; by side the first term is two
	}{
		{"no factors", false, 1, 1, []float64{2, 2, 2, 2, 2}},
		{"scaled", false, 0.25, 1, []float64{2, 2, 2, 2, 2}},
		{"endgame scaled", false, 1, 0.5, []float64{2, 2, 2, 2, 2}},
		{"by side", true, 0.5, 1, []float64{2, 3, 2.5, 2, 2, 3}}, // single: half of either half's count
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := dataset.FeatureSet{Version: 2, Model: "m", Terms: terms, Float: true,
				Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2, BySide: tt.bySide}}
			each := func(yield func(dataset.FeatureRow, error) bool) {
				for i := range 8 {
					sign := float32(2*(i%2) - 1)
					f := dataset.FeatureRow{Phase: 0.5, Scale: tt.scale, EGScale: tt.eg, Eval: dataset.NoEval, Weight: 1,
						Score: dataset.NoScore, Result: float32(i % 2), Game: uint64(i + 1)}
					for term := range terms {
						f.Terms, f.Counts = append(f.Terms, uint16(term)), append(f.Counts, 2*sign)
						if tt.bySide {
							f.EGCounts = append(f.EGCounts, 3*sign)
						}
					}
					if !yield(f, nil) {
						return
					}
				}
			}
			s := setup.Must(Build{}.Features(t.Context(), set, []FeatureSource{{Rows: each}}))
			omega, _ := s.Split(s.Clusters(), 0, 1)
			_, typical, err := s.CountTerms(t.Context(), omega)
			setup.Check(t, err)
			for i, want := range tt.want {
				if math.Abs(typical[i]-want) > 1e-6 {
					t.Errorf("%s: %v, want %v", TermsOfFeatures(set)[i].Name, typical[i], want)
				}
			}
		})
	}
}

func TestReservoirKeepsEveryNth(t *testing.T) {
	var r reservoir
	p := board.StartPosition()
	for range 3*samplePositions + 1 {
		r.add(&p)
	}
	if r.stride != 4 || len(r.positions) != (3*samplePositions+1+3)/4 {
		t.Errorf("stride %d, %d positions of %d", r.stride, len(r.positions), r.n)
	}
}

// TestSplit: whole games, and whole openings where games share them, are on
// one side; the share is about right; other seeds choose others; games marked
// so are never held out.
func TestSplit(t *testing.T) {
	b := NewBuilder(1)
	for i := range 20000 {
		g := uint64(i/10 + 1)
		r := Row{Entries: []Entry{{0, 1}}, Phase: i % 25, Scale: 1, Weight: 1, Game: g, Opening: 1 + g/4, TrainOnly: g < 400}
		setup.Check(t, b.Add(&r))
	}
	s := setup.Must(b.Finish())
	c := s.Clusters()
	if !c.ByOpening || c.N() != 501 || s.Games() != 2000 {
		t.Fatalf("%d clusters, by opening %v, %d games", c.N(), c.ByOpening, s.Games())
	}
	sides := make([]map[uint64]bool, 2)
	for seed := range sides {
		omega, _ := s.Split(c, 0.2, uint64(seed))
		held, learned := map[uint64]bool{}, map[uint64]bool{}
		for i, k := range s.Chunks {
			for j, g := range k.Game {
				o := s.games[g].opening
				if omega[i][j] > 0 {
					learned[o] = true
					continue
				}
				held[o] = true
				if s.games[g].trainOnly {
					t.Fatal("a game for training only was held out")
				}
			}
		}
		for o := range held {
			if learned[o] {
				t.Fatalf("opening %d is on both sides", o)
			}
		}
		if n := len(held); n < 50 || n > 120 { // of 401 that may be held out
			t.Errorf("%d of 401 openings held out at 0.2", n)
		}
		sides[seed] = held
	}
	if fmt.Sprint(sides[0]) == fmt.Sprint(sides[1]) {
		t.Error("two seeds, one split")
	}
}

// TestFewOpenings: games that all start from one position are still clusters.
func TestFewOpenings(t *testing.T) {
	b := NewBuilder(1)
	for i := range 1000 {
		r := Row{Entries: []Entry{{0, 1}}, Scale: 1, Weight: 1, Game: uint64(i/10 + 1), Opening: 77}
		setup.Check(t, b.Add(&r))
	}
	if c := setup.Must(b.Finish()).Clusters(); c.ByOpening || c.N() != 100 || c.Warning == "" {
		t.Errorf("%d clusters, by opening %v, warning %q", c.N(), c.ByOpening, c.Warning)
	}
}

// A dictionary that is full has no number for a new pair, and keeps those it has. Counts of a byte and others
// are kept in two tables with one numbering.
func TestDictionaryIsFull(t *testing.T) {
	d := newDictionary(2)
	d.limit = 4
	for i, e := range []Entry{{0, -128}, {1, 127}, {1, 128}, {0, -129}} {
		for range 2 {
			if n, ok := d.number(e); !ok || int(n) != i || d.pairs[n] != e {
				t.Errorf("%v: number %d, %t; want %d", e, n, ok, i)
			}
		}
	}
	for _, e := range []Entry{{0, 1}, {1, 200}, {0, 0.5}} {
		if n, ok := d.number(e); ok {
			t.Errorf("%v has number %d in a full dictionary", e, n)
		}
	}
}

// Chunks stand in the order of phase, then of their own factors, MG before EG; mixed ones are last and equal.
func TestChunkOrder(t *testing.T) {
	of := func(phase int, mg, eg float64, own []float32) *Chunk {
		return &Chunk{factors: factors{Phase: phase, MG: mg, EG: eg}, mg: own}
	}
	order := [][]*Chunk{
		{of(0, 0, 1, nil)}, {of(24, 1, 0, nil)},
		{of(OwnFactors, 0, 1, nil)}, {of(OwnFactors, 0.5, 0.1, nil)}, {of(OwnFactors, 0.5, 0.2, nil)},
		{of(1, 3, 0, []float32{1}), of(2, 0, 0, []float32{1})},
	}
	for i, a := range order {
		for j, b := range order {
			for _, x := range a {
				for _, y := range b {
					if got, want := byFactors(x, y), cmp.Compare(i, j); got != want {
						t.Errorf("%d beside %d: %d, want %d", i, j, got, want)
					}
				}
			}
		}
	}
}
