package tuner

import (
	"cmp"
	"context"
	"fmt"
	"math"
)

// chooseStep is the ratio of neighboring factors on the priors that are tried, and
// chooseReach how many steps from 1 they go.
const (
	chooseStep  = 3
	chooseReach = 2
)

// choosePrior chooses the factor on the widths of all priors by cross-validation, from 1 towards narrower ones,
// else wider ones, as long as the held-out loss falls; then it fits with that. The verdict is of the choice
// too: each fold is predicted with the factor that is best for the others.
func (f *fitting) choosePrior(ctx context.Context) error {
	v, err := f.newCrossValidation(ctx, 1)
	if err != nil || v == nil {
		return err
	}
	var tried []trial
	best := 0
	try := func(step int) (better bool, err error) {
		factor := math.Pow(chooseStep, float64(step))
		f.c.progress(0, 0, "cross-validation with priors of %.3g times the width", factor)
		sums, err := v.run(ctx, factor)
		if err != nil {
			return false, fmt.Errorf("cross-validation: %w", err)
		}
		tried = append(tried, newTrial(factor, sums, v.fold, v.folds))
		if last := &tried[len(tried)-1]; last.beats(&tried[best]) {
			best = len(tried) - 1
		}
		return best == len(tried)-1, nil
	}
	if _, err := try(0); err != nil {
		return err
	}
	for _, way := range []int{-1, 1} {
		for step := way; best == 0 || tried[best].factor != 1; step += way {
			better, err := try(step)
			if err != nil {
				return err
			}
			if !better || step == way*chooseReach {
				break
			}
		}
		if best != 0 {
			break
		}
	}
	f.nested = nestedChoice(tried, v)
	f.c.PriorFactor = cmp.Or(f.c.PriorFactor, 1) * tried[best].factor
	if best == 0 {
		return nil
	}
	theta := f.at.theta
	if err := f.parametrize(ctx); err != nil {
		return err
	}
	f.free.first = theta
	f.at.known = nil
	return f.solve(ctx)
}

// trial is a factor on the priors with its held-out losses.
type trial struct {
	factor float64
	sums   *clusterLosses
	fold   []float64 // loss by fold
}

func newTrial(factor float64, sums *clusterLosses, fold []int, folds int) trial {
	t := trial{factor, sums, make([]float64, folds)}
	for c, k := range fold {
		if k >= 0 {
			t.fold[k] += sums.tuned[c]
		}
	}
	return t
}

// beats reports whether the factor is better than another: a narrower one if its loss is smaller, a wider one
// if it is by two standard errors, because a wide prior that is wrong costs more than a narrow one.
func (t *trial) beats(o *trial) bool {
	if t.factor < o.factor {
		return t.total() < o.total()
	}
	d := *t.sums
	d.start = o.sums.tuned
	p := d.paired()
	return p.Gain > 2*float64(p.SE)
}

func (t *trial) total() (sum float64) {
	for _, v := range t.fold {
		sum += v
	}
	return sum
}

// nestedChoice returns the losses of the factor that is best without each fold.
func nestedChoice(tried []trial, v *crossValidation) *clusterLosses {
	out := *tried[0].sums
	out.tuned = make([]float64, len(out.start))
	for k := range v.folds {
		best := 0
		for i := range tried {
			if tried[i].total()-tried[i].fold[k] < tried[best].total()-tried[best].fold[k] {
				best = i
			}
		}
		for c := range out.tuned {
			if v.fold[c] == k {
				out.tuned[c] = tried[best].sums.tuned[c]
			}
		}
	}
	return &out
}
