package tuner

import (
	"cmp"
	"context"
	"math"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
)

// Local says how far a fit went from the point where its slopes were measured, which is the start weights. Measuring
// again at the tuned ones shows how far the slopes hold: where the evaluation changed by something else than
// Predicted, half of Largest is a better Config.Trust.
type Local struct {
	// Predicted is the root mean square change of the evaluation on the rows trained on, by the slopes: centipawns.
	Predicted float64 `json:"predicted"`
	// Largest is how far the coefficient that moved most did, in centipawns of effect, and Term its term.
	Largest float64   `json:"largest"`
	Term    string    `json:"term"`
	Trust   num.Float `json:"trust"` // Config.Trust
	// AtLimit names the coefficients that Trust holds.
	AtLimit []string `json:"at_limit,omitempty"`
}

// describeLocal fills in what a fit with measured slopes says of itself.
func (f *fitting) describeLocal(ctx context.Context, r *Result) error {
	if !f.s.Local() {
		return nil
	}
	r.Local = &Local{Trust: num.Float(cmp.Or(f.c.Trust, DefaultTrust))}
	change := r.rounded()
	for t, term := range f.terms {
		change.MG[t] -= term.MG
		change.EG[t] -= term.EG
		if by := math.Abs(change.MG[t]) * f.split.typical[t] / f.c.unit(); by > r.Local.Largest && f.split.seen[t] > 0 {
			r.Local.Largest, r.Local.Term = by, term.Name
		}
	}
	for j, name := range f.free.Names(f.terms) {
		if f.free.Stuck(j) {
			r.Local.AtLimit = append(r.Local.AtLimit, name)
		}
	}
	if n := len(r.Local.AtLimit); n > 0 {
		f.warn("%d numbers would go further than %g centipawns of effect from where slopes were measured, and are held "+
			"there: measure again at the tuned weights, and fit again (or --trust): %s", n, float64(r.Local.Trust),
			some(r.Local.AtLimit))
	}
	rms, err := f.changeRMS(ctx, change)
	r.Local.Predicted = short(rms / f.c.unit())
	return err
}

// changeRMS returns the root mean square change of the evaluation of the rows trained on, if coefficients change so.
func (f *fitting) changeRMS(ctx context.Context, change objective.Tapered) (float64, error) {
	type sums struct{ squares, weight float64 }
	var all sums
	parts := make([]sums, len(f.s.Chunks))
	err := objective.Evaluate(ctx, f.s, f.c.Workers, change, func(t *objective.Scratch, i int) {
		c := f.s.Chunks[i]
		for j, x := range t.X[:c.Rows] {
			if c.Offset != nil {
				x -= float64(c.Offset[j])
			}
			omega := float64(f.train.Omega[i][j])
			parts[i].squares += num.Rounded(omega * x * x)
			parts[i].weight += omega
		}
	}, func(_ *objective.Scratch, i int) {
		all.squares += parts[i].squares
		all.weight += parts[i].weight
	})
	return math.Sqrt(all.squares / all.weight), err
}
