package tuner

import (
	"context"
	"math"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
)

// TestLargeFit: a fit whose matrices would take too much memory has the weights of one with them,
// under the same design effect, and a verdict; standard errors are not known.
func TestLargeFit(t *testing.T) {
	syn := synthetic.Games{Games: 400, Rows: 10, Terms: 40, PerRow: 8, K: 0.006, Seed: 71}
	s, terms := syn.Store(t), syn.List(objective.NewTapered(syn.Terms))
	terms[3].Mirror, terms[4].Mirror, terms[7].Tapered = 4, 3, false
	c := NewConfig()
	c.K = syn.K
	fit := func(memory int64, design float64, method string) *Result {
		c.Memory, c.Design, c.Method = memory, design, method
		r := setup.Must(Fit(context.Background(), s, terms, c))
		return r
	}
	want := fit(1<<40, designFirst, "")
	for _, method := range []string{"", "gauss-newton", "adam"} {
		r := fit(1, 0, method)
		if !r.Converged || r.Gap.Known() && !math.IsInf(float64(r.Gap), 1) ||
			math.Abs(float64(r.Fit.Train-want.Fit.Train)) > 1e-5 {
			t.Errorf("%q: %+v, want %+v; converged %v, gap %v", method, r.Fit, want.Fit, r.Converged, r.Gap)
		}
		if r.Design != designFirst || r.Answer == "" {
			t.Errorf("%q: D %v, verdict %+v, want %+v", method, r.Design, r.Verdict, want.Verdict)
		}
		for i, x := range r.Terms {
			y := want.Terms[i]
			if math.Abs(x.FitMG-y.FitMG) > 1 || math.Abs(x.FitEG-y.FitEG) > 1 {
				t.Errorf("%q: %s %v, %v, want %v, %v", method, x.Name, x.FitMG, x.FitEG, y.FitMG, y.FitEG)
			}
			if x.SEMG.Known() || x.SEEG.Known() || x.Few() || x.Moved() || x.IntervalMG != (Interval{}) {
				t.Errorf("%q: errors of %+v", method, x)
			}
		}
	}
}
