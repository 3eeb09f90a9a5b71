package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/stats"
)

// solution is where a fit has come to.
type solution struct {
	design  float64   // D
	theta   []float64 // nil before the first step
	outcome optimize.Outcome
	cov     *stats.Covariance // nil if not known
	big     bool              // too many parameters for matrices
	exact   bool              // but not for the exact traces of large
	large   *stats.Large      // in place of cov if big

	solver string // how equations are solved, and why

	known     *objective.Known // information shared by objectives of one loss
	knownLoss objective.Loss
}

const (
	designFirst  = 10   // a priori, for about 70 positions a game
	designRounds = 3    // estimates of D before the last is taken
	designClose  = 0.05 // |ln ratio| of two estimates that are as good as equal
	defaultGap   = 1e-10
	looseGap     = 1e-6
	looserGap    = 1e-4
)

// solve finds the minimum, and with it the design effect: D is estimated at
// the minimum that the last D gave, until it no longer moves.
func (f *fitting) solve(ctx context.Context) error {
	f.at.design = f.c.Design
	estimate := f.at.design == 0
	if estimate {
		f.at.design = designFirst
	}
	theta := f.free.first
	f.chooseSolver()
	gap := f.c.Gap
	if gap == 0 {
		gap = defaultGap
	}
	if f.c.Loss == objective.MSE {
		// The valley of MSE is narrow far from its floor: come from above.
		f.train.Loss = objective.CrossEntropy
		near := looseGap
		if b := f.free.Box; b != nil && b.Strict { // some coefficients run away, which takes long
			near = looserGap
		}
		if err := f.minimize(ctx, theta, near); err != nil {
			return err
		}
		f.train.Loss = objective.MSE
		theta = f.at.theta
	}
	if estimate && f.free.Priorless() { // the minimum does not depend on D
		theta, err := f.keepBentScale(ctx, theta)
		if err != nil {
			return err
		}
		if err := f.minimize(ctx, theta, gap); err != nil {
			return err
		}
		return f.estimate(ctx, !f.bare)
	}
	if estimate {
		if err := f.minimize(ctx, theta, looseGap); err != nil {
			return err
		}
		if err := f.estimate(ctx, false); err != nil {
			return err
		}
		theta = f.at.theta
	}
	theta, err := f.keepBentScale(ctx, theta)
	if err != nil {
		return err
	}
	for round := 1; ; round++ {
		if err := f.minimize(ctx, theta, gap); err != nil {
			return err
		}
		theta = f.at.theta
		if f.bare && !estimate {
			return nil
		}
		used := f.at.design
		if err := f.estimate(ctx, !f.bare); err != nil {
			return err
		}
		moved := math.Abs(math.Log(f.at.design / used))
		if !estimate || moved < designClose || round == designRounds {
			f.at.design = used
			return nil
		}
	}
}

// smallestMemory is what a large fit may take for matrices, whatever Config.Memory is.
var smallestMemory int64 = 256 << 20

// chooseSolver decides by estimated memory whether there are matrices.
func (f *fitting) chooseSolver() {
	need, have := denseBytes(f.free.N, f.s.Terms()), cmp.Or(f.c.Memory, defaultMemory())
	if f.s.Bend() != nil { // checkMemory has been content
		need = bentBytes(f.free.N, f.s.Terms())
	}
	if f.at.big = have > 0 && need > have && f.s.Bend() == nil; f.at.big {
		f.at.exact = stats.ExactBytes(f.free.N, f.s.Terms()) <= max(have, smallestMemory)
		traces := "the design effect from random signs"
		if f.at.exact {
			traces = fmt.Sprintf("the design effect exactly in %d MiB", stats.ExactBytes(f.free.N, f.s.Terms())>>20)
		}
		f.at.solver = fmt.Sprintf("%d parameters: matrices would take %d MiB of %d MiB: conjugate gradients, %s, and errors of the %d largest changes", f.free.N, need>>20, have>>20, traces, largestChanges)
	} else {
		f.at.solver = fmt.Sprintf("%d parameters: matrices take %d MiB of %d MiB", f.free.N, need>>20, have>>20)
	}
	f.c.progress(0, 0, "%s", f.at.solver)
}

// longestLast is by how much a limited coefficient may change an evaluation in the last
// step, as a multiple of 1/K. The step of one that has no finite optimum is 1/K for ever.
const longestLast = 0.05

// minimize runs the method from theta to a gap in mean loss.
func (f *fitting) minimize(ctx context.Context, theta []float64, gap float64) error {
	method, err := optimize.NewMethod(f.c.Method)
	if err != nil {
		return err
	}
	weight := f.slope.start.Weight[objective.Trained]
	o := f.objective()
	s := optimize.Settings{Gap: gap * weight / f.at.design, Iterations: f.c.Iterations, Limit: maxWeight}
	if f.s.Bend() != nil {
		idle := gap
		if f.c.Gap == 0 {
			idle = max(gap, bentIdle)
		}
		s.Idle = idle * weight / f.at.design
	}
	s.Step = func(i int, x []float64, value, gap float64) {
		unit := f.at.design / weight
		f.c.progress(0, 0, "step %d  objective %.6f  gap %.1e", i, value*unit, gap*unit)
		if f.c.Trace != nil {
			f.c.Trace(Step{fmt.Sprintf("%v under D = %.2f", f.train.Loss, f.at.design), i, value * unit, Float(gap * unit), f.lossesAt(ctx, i, x)})
		}
	}
	if b := f.free.Box; b != nil && b.Strict {
		b.Reach = 0
		if gap < looseGap {
			b.Reach = longestLast / f.slope.k
		}
	}
	var of optimize.Objective = o
	if f.at.big {
		of = objective.Large{Penalized: o}
	}
	out, err := f.free.Box.Minimize(ctx, method, of, theta, s)
	if out.X != nil && optimize.Finite(out.Value, out.X) {
		f.at.theta = out.X
	}
	stuck := err == nil && out.Iterations == 0 && !out.Converged
	out.Iterations += f.at.outcome.Iterations
	out.Passes += f.at.outcome.Passes
	out.Curvatures += f.at.outcome.Curvatures
	out.Gap *= f.at.design / weight
	f.at.outcome = out
	if stuck {
		return fmt.Errorf("%w: %v under D = %.2f, %.2g above its smallest mean", ErrNoStep, f.train.Loss, f.at.design, out.Gap)
	}
	if errors.Is(err, optimize.ErrDiverged) {
		return fmt.Errorf("%w: the data separate perfectly; give every group a prior", err)
	}
	return err
}

// lossesAt returns the losses of a point on the way, if this step is one at which they
// are measured.
func (f *fitting) lossesAt(ctx context.Context, step int, theta []float64) Losses {
	none := Losses{Float(math.NaN()), Float(math.NaN())}
	if theta == nil || step > lossSteps && step%lossSteps != 0 {
		return none
	}
	w := objective.NewTapered(len(f.terms))
	f.free.Expand(theta, w)
	m, err := f.train.Measure(ctx, w, f.slope.k)
	if err != nil {
		return none // the context ended, which the method will find out
	}
	return lossesOf(&m)
}

// objective returns what is minimized under the present design effect.
func (f *fitting) objective() *objective.Penalized {
	o := objective.New(f.train, f.free.Params, f.at.design)
	if f.at.known == nil || f.at.knownLoss != f.train.Loss {
		f.at.known, f.at.knownLoss = o.Known, f.train.Loss
	}
	o.Known = f.at.known
	return o
}

// estimate computes the covariance at theta and the design effect from it. It is likely the
// last one, or not.
func (f *fitting) estimate(ctx context.Context, last bool) error {
	f.c.progress(0, 0, "estimating variances over %d clusters", f.split.clusters.N())
	o := f.objective()
	d, err := f.variances(ctx, o, last)
	if err != nil {
		return err
	}
	if d > 0 && optimize.Finite(d, nil) {
		f.at.design = d
	}
	return nil
}

// variances computes the covariance at theta, and returns the design effect from it.
func (f *fitting) variances(ctx context.Context, o *objective.Penalized, last bool) (d float64, err error) {
	if f.at.big {
		if f.at.large, err = stats.NewLarge(ctx, o, f.split.clusters, f.at.theta, f.at.exact); err != nil {
			return 0, err
		}
		return f.at.large.Design(ctx)
	}
	if f.at.cov, err = stats.NewCovariance(ctx, o, f.split.clusters, f.at.theta, last); err != nil {
		return 0, err
	}
	return f.at.cov.Design(ctx, f.train)
}
