package tuner

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
)

const (
	mixSteps = 12  // most steps of the exponentiated gradient
	mixStep  = 0.3 // largest change of the logarithm of a share in the first
)

// mix finds shares under which fits predict the results of sources that they have not seen best. The loss on a source
// depends on the shares of the others only through the fit, so its gradient is -g' H^-1 g_i for each of them (implicit
// differentiation). The number of steps is the one that was best on sources that took no part: each is left out once,
// and the steps are taken again without it.
func (v *valuing) mix(ctx context.Context, out *DataValue) error {
	n := len(v.sources)
	all, members := v.active, v.members(v.active)
	losses := make([][]float64, n) // by source left out and step
	paths := make([][][]float64, n)
	for at, o := range members {
		rest := all &^ (1 << o)
		var err error
		if paths[o], err = v.descend(rest); err != nil {
			return err
		}
		for step, share := range paths[o] {
			v.c.progress(int64(at*(mixSteps+1)+step), int64(len(members)*(mixSteps+1)), "mixing weights")
			loss, err := v.lossOf(ctx, o, rest, share)
			if err != nil {
				return err
			}
			losses[o] = append(losses[o], loss)
		}
	}
	var gain, overEqual []*Paired
	equal := slices.Repeat([]float64{1 / float64(n)}, n)
	for _, o := range members {
		rest, step := all&^(1<<o), bestStep(losses, o)
		mixed, _, err := v.minimize(ctx, v.weights(rest, paths[o][step]), v.theta)
		if err != nil {
			return err
		}
		for _, x := range []struct {
			share []float64
			to    *[]*Paired
		}{{v.given(), &gain}, {equal, &overEqual}} {
			plain, _, err := v.minimize(ctx, v.weights(rest, x.share), v.theta)
			if err != nil {
				return err
			}
			p, err := v.compare(ctx, o, plain, mixed)
			if err != nil {
				return err
			}
			*x.to = append(*x.to, p)
		}
	}
	out.MixGain, out.MixOverEqual, out.Steps = averageOf(gain), averageOf(overEqual), bestStep(losses, -1)
	if !(out.MixGain.Interval[0] > 0) {
		return nil // the data as given
	}
	path, err := v.descend(all)
	if err != nil {
		return err
	}
	for _, i := range members {
		x := &out.Sources[i]
		x.Mixed = path[out.Steps][i]
		x.Weight = x.Mixed / x.Share
	}
	return nil
}

// bestStep is the step with the smallest mean loss over the sources but one.
func bestStep(losses [][]float64, but int) int {
	best, least := 0, math.Inf(1)
	for step := range mixSteps + 1 {
		sum := 0.0
		for o := range losses {
			if o != but && losses[o] != nil {
				sum += losses[o][step]
			}
		}
		if sum < least {
			best, least = step, sum
		}
	}
	return best
}

// lossOf is the loss on a source of the fit to others, by the quadratics.
func (v *valuing) lossOf(ctx context.Context, on int, set uint64, share []float64) (float64, error) {
	theta, _, err := v.solve(set, share)
	if err != nil {
		return 0, err
	}
	w := objective.NewTapered(len(v.terms))
	v.params.Expand(theta, w)
	p := v.sources[on].problem
	k, err := p.BestK(ctx, w)
	if err != nil {
		return 0, err
	}
	m, err := p.Measure(ctx, w, k)
	if err != nil {
		return 0, err
	}
	loss, _ := m.Means()
	return loss, nil
}

// descend takes all steps for a set of sources. Each source of the set is predicted by the others.
func (v *valuing) descend(set uint64) (path [][]float64, err error) {
	share, rate := v.given(), 0.0
	for range mixSteps {
		path = append(path, slices.Clone(share))
		down := make([]float64, len(share)) // by the logarithm of each share
		for _, j := range v.members(set) {
			if err := v.addSlopes(down, j, set&^(1<<j), share); err != nil {
				return nil, err
			}
		}
		if rate == 0 {
			rate = mixStep / math.Max(1e-300, floats.Norm(down, math.Inf(1)))
		}
		for _, i := range v.members(set) {
			share[i] *= math.Exp(-rate * down[i])
		}
		floats.Scale(1/floats.Sum(share), share)
	}
	return append(path, share), nil
}

// addSlopes adds the derivatives of the loss on a source by the shares of those that it is predicted by.
func (v *valuing) addSlopes(down []float64, on int, by uint64, share []float64) error {
	theta, factor, err := v.solve(by, share)
	if err != nil {
		return err
	}
	minus, err := factor.Solve(v.sources[on].aim.at(theta, v.theta)) // -H^-1 g
	if err != nil {
		return err
	}
	of := v.weights(by, share)
	total := floats.Sum(of)
	slopes, mean := make([]float64, len(down)), 0.0
	for _, i := range v.members(by) {
		slopes[i] = total * floats.Dot(minus, v.sources[i].fit.at(theta, v.theta))
		mean += of[i] / total * slopes[i]
	}
	for _, i := range v.members(by) {
		down[i] += slopes[i] - mean // the shares add up to 1
	}
	return nil
}

// at returns the gradient.
func (q quadratic) at(theta, around []float64) []float64 {
	var g mat.VecDense
	g.MulVec(q.gram, mat.NewVecDense(len(theta), floats.SubTo(make([]float64, len(theta)), theta, around)))
	floats.Add(g.RawVector().Data, q.slope)
	return g.RawVector().Data
}

// solve fits to a set of sources by the quadratics, and returns the factor of the curvature too.
func (v *valuing) solve(set uint64, share []float64) ([]float64, *optimize.Factor, error) {
	of := v.weights(set, share)
	factor := optimize.Factorize(v.curvature(of))
	if factor == nil {
		return nil, nil, optimize.ErrDiverged
	}
	g := make([]float64, v.params.N)
	for i := range v.sources {
		if of[i] != 0 {
			floats.AddScaled(g, of[i], v.sources[i].fit.slope)
		}
	}
	for j, x := range v.theta {
		g[j] += v.params.Precision(j) * (x - v.params.Center[j])
	}
	step, err := factor.Solve(g)
	if err != nil {
		return nil, nil, err
	}
	floats.Add(step, v.theta)
	return step, factor, nil
}
