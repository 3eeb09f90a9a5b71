package objective

import (
	"errors"
	"math"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestWidths: what a stranger calls a group says nothing of its prior; the size of the counts
// does.
func TestWidths(t *testing.T) {
	terms := []rows.Term{
		{Name: "mine", Group: "material", Own: true}, {Name: "theirs", Group: "material"},
		{Name: "pst", Group: "piece-square"}, {Name: "x", Group: "other"},
	}
	typical := []float64{2, 2, 8, 1}
	for _, tt := range []struct {
		over   map[string]float64
		factor float64
		want   []float64
	}{
		{nil, 1, []float64{100, defaultEffect / 2.0, defaultEffect / 8.0, defaultEffect}},
		{map[string]float64{AllTerms: 24, "pst": 16, "other": math.Inf(1)}, 0.5, []float64{6, 6, 1, math.Inf(1)}},
		{map[string]float64{"material": 10}, 1, []float64{5, 5, defaultEffect / 8.0, defaultEffect}},
	} {
		got := setup.Must(Widths(terms, typical, tt.over, tt.factor))
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%v: %v, want %v", tt.over, got, tt.want)
				break
			}
		}
	}
	if _, err := Widths(terms, typical, map[string]float64{"knight": 3}, 1); !errors.Is(err, ErrName) {
		t.Errorf("unknown name: %v", err)
	}
}
