package rows

import (
	"cmp"
	"context"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
)

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

// A half that is exactly 0 before or after has no sign that could change, and a term that does not count for the
// endgame is passed over, not the end of the row.
func TestSignChangesOfZero(t *testing.T) {
	set := dataset.FeatureSet{Version: 2, Model: "m", Terms: []dataset.FeatureTerm{
		{Name: "open", MG: 7, Kind: dataset.MiddlegameTerm},
		{Name: "a", EG: 10}}, Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2, EGScale: dataset.EGScaleBySign}}
	source := FeatureSource{Name: "x", Rows: func(yield func(dataset.FeatureRow, error) bool) {
		for range 3 {
			if !yield(dataset.FeatureRow{Phase: 0.5, Scale: 1, EGScale: 1, Eval: dataset.NoEval, Weight: 1,
				Terms: []uint16{0, 1}, Counts: []float32{2, 1}}, nil) {
				return
			}
		}
	}}
	l := NewLinear(set)
	s := setup.Must(Build{}.Features(context.Background(), set, []FeatureSource{source}))
	for _, c := range []struct {
		before, after float64
		changed       int
	}{{1, -1, 3}, {-1, 1, 3}, {0, -1, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {2, 1, 0}, {-2, -1, 0}} {
		got, err := l.SignChanges(context.Background(), s, []float64{1, c.before}, []float64{1, c.after})
		if err != nil || got.Changed != c.changed || got.Rows != 3 {
			t.Errorf("from %v to %v: %+v, %v; want %d", c.before, c.after, got, err, c.changed)
		}
	}
}
