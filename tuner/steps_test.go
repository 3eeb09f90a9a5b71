package tuner

import (
	"context"
	"math"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
)

// TestLossesOfSteps: the losses after the last step and the fit's are the same, on both sides
// of the split, whatever the method.
func TestLossesOfSteps(t *testing.T) {
	syn := synthetic.Games{Games: 200, Rows: 10, Terms: 8, PerRow: 4, K: 0.006, Seed: 5}
	for _, method := range []string{"gauss-newton", "adam"} {
		var last Step
		c := NewConfig()
		c.Method, c.K, c.Valid, c.KeepScale, c.Iterations = method, syn.K, 0.2, true, lossSteps
		c.Trace = func(s Step) { last = s }
		r := setup.Must(Fit(context.Background(), syn.Store(t), syn.List(objective.NewTapered(syn.Terms)), c))
		if math.Abs(float64(last.Train-r.Fit.Train)) > 1e-9 || math.Abs(float64(last.Valid-r.Fit.Valid)) > 1e-9 ||
			!(r.Fit.Valid > 0) {
			t.Errorf("%s: losses %v after step %d, of the fit %v", method, last.Losses, last.Iteration, r.Fit)
		}
	}
}
