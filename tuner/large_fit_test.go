package tuner

import (
	"context"
	"math"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
)

// TestLargeFit: a fit without matrices has the weights, the errors and the piece values of
// one with them; errors that it does not know are NaN.
func TestLargeFit(t *testing.T) {
	syn := synthetic.Games{Games: 400, Rows: 15, Terms: 60, PerRow: 12, K: 0.006, Seed: 71}
	s, terms := syn.Store(t), syn.List(objective.NewTapered(syn.Terms))
	terms[3].Mirror, terms[4].Mirror, terms[7].Tapered = 4, 3, false
	c := NewConfig()
	c.K, c.Design, c.Gap = syn.K, 3, 1e-16
	c.Bounds = map[string]objective.Bound{"t0": {Lo: -5, Hi: 5}}
	fit := func(memory int64, method string) *Result {
		c.Memory, c.Method = memory, method
		r, err := Fit(context.Background(), s, terms, c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want, got := fit(1<<40, ""), fit(1, "")
	near := func(what string, a, b, tolerance float64) {
		if !(math.Abs(a-b) <= tolerance*max(1, math.Abs(b))) {
			t.Errorf("%s: %v without matrices, %v with them", what, a, b)
		}
	}
	known := 0
	for i, x := range got.Terms {
		y := want.Terms[i]
		near(x.Name, x.FitMG, y.FitMG, 1e-6)
		near(x.Name, x.FitEG, y.FitEG, 1e-6)
		near(x.Name, x.EffectiveGames, y.EffectiveGames, 1e-6)
		for _, e := range [][2]Float{{x.SEMG, y.SEMG}, {x.SEEG, y.SEEG}, {x.NaiveMG, y.NaiveMG}, {x.SEChangeEG, y.SEChangeEG}} {
			if e[0].Known() {
				known++
				// The factors for finite numbers hold a trace, which is estimated.
				near("error of "+x.Name, float64(e[0]), float64(e[1]), 2e-3)
			}
		}
	}
	if known < 2*largestChanges-10 || known > 4*largestChanges {
		t.Errorf("%d errors are known", known)
	}
	near("effective parameters", got.Effective, want.Effective, 0.1)
	near("clustering", got.Clustering, want.Clustering, 0.1)
	near("loss", float64(got.Fit.Train), float64(want.Fit.Train), 1e-9)
	for _, method := range []string{"lbfgs", "adam"} {
		c.Gap = 1e-7
		if r := fit(1, method); !r.Converged || math.Abs(float64(r.Fit.Train-want.Fit.Train)) > 1e-5 {
			t.Errorf("%s: %+v, want %+v", method, r.Fit, want.Fit)
		}
	}
}
