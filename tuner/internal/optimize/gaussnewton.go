package optimize

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
)

// GaussNewton is the Gauss-Newton method (Fisher scoring, for a likelihood) with Levenberg's damping scaled by
// the diagonal (Marquardt 1963), the damping led by the ratio of actual to predicted decrease. A matrix costs
// as much as twenty gradients, so one that still brings the decrement down fast is used again (the chord
// method; Kelley 1995, section 5.4). It stops on the Newton decrement g'H^-1 g / 2, which for a function that
// is nearly quadratic around its minimum is the distance still to go.
type GaussNewton struct{}

const (
	gnIterations = 100   // default limit of steps
	gnRetries    = 40    // dampings tried before a step counts as impossible
	gnFirst      = 1e-4  // first damping after a step that failed undamped
	gnSmallest   = 1e-12 // below this, none
	gnReuse      = 0.1   // largest factor of the decrement by which an old matrix is worth keeping
)

// Minimize implements Method.
func (GaussNewton) Minimize(ctx context.Context, f Objective, x0 []float64, s Settings) (Outcome, error) {
	of, err := begin(ctx, f, x0, s)
	r := gnRun{run: of}
	if len(x0) == 0 {
		r.out.Gap, r.out.Converged = 0, true
	}
	for moved := true; err == nil && moved && !r.out.Converged && r.out.Iterations < r.s.Iterations; {
		moved, err = r.step()
	}
	return r.out, err
}

// gnRun is one run of GaussNewton.
type gnRun struct {
	run
	damping float64
	h       *mat.SymDense // curvature at an earlier point or this
	factor  *Factor       // of h; nil if h is not positive
	fresh   bool          // h is the curvature at out.X
}

// step takes one step. It reports false if the point cannot be improved.
func (r *gnRun) step() (bool, error) {
	if r.h == nil || r.damping > 0 {
		if err := r.renew(); err != nil {
			return false, err
		}
	}
	last := r.out.Gap
	delta := r.newton()
	if !r.fresh && !(r.out.Gap <= gnReuse*last) {
		if err := r.renew(); err != nil {
			return false, err
		}
		delta = r.newton()
	}
	r.out.Converged = r.out.Gap <= r.s.Gap
	moved, err := r.search(delta)
	if err != nil {
		return false, err
	}
	if !moved && !r.fresh && !r.out.Converged { // the old matrix is to blame
		if err := r.renew(); err != nil {
			return false, err
		}
		return r.step()
	}
	if !moved {
		r.out.Converged = r.out.Gap <= r.s.Gap
		return false, nil
	}
	r.fresh = false
	return true, r.count()
}

// renew takes the curvature at the present point.
func (r *gnRun) renew() error {
	if r.fresh {
		return nil
	}
	var err error
	if r.h, err = r.f.Curvature(r.ctx, r.out.X); err != nil {
		return err
	}
	r.out.Curvatures++
	r.fresh = true
	r.factor = Factorize(r.h)
	return nil
}

// newton returns the undamped step and sets the gap; nil if there is none.
func (r *gnRun) newton() []float64 {
	r.out.Gap = math.Inf(1)
	if r.factor == nil {
		return nil
	}
	delta, err := r.factor.Solve(r.g)
	if err != nil {
		return nil
	}
	r.out.Gap = -0.5 * floats.Dot(delta, r.g)
	return delta
}

// search raises the damping until the value falls. With a converged gap, one last undamped step is tried and
// kept only if it helps. With an old matrix only the first step is tried.
func (r *gnRun) search(delta []float64) (bool, error) {
	undamped := delta != nil
	for try := 0; try < gnRetries; try++ {
		if try > 0 || r.damping > 0 || !undamped {
			if !undamped || try > 0 {
				r.damping = max(r.damping, gnFirst)
			}
			var err error
			if delta, err = solveDamped(r.h, r.g, r.damping); err != nil {
				r.damping *= 10
				continue
			}
		}
		moved, err := r.try(delta)
		if err != nil || moved {
			return moved, err
		}
		if r.out.Converged || !r.fresh {
			return false, nil // rounding noise: nothing left to gain
		}
		r.damping = max(r.damping*8, gnFirst)
	}
	return false, nil
}

// try goes along delta. It reports whether the value fell.
func (r *gnRun) try(delta []float64) (bool, error) {
	floats.AddTo(r.trial, r.out.X, delta)
	value, err := r.f.Gradient(r.ctx, r.trial, r.trialG)
	r.out.Passes++
	if err != nil {
		return false, err
	}
	if !(value < r.out.Value) || !Finite(value, r.trialG) {
		return false, nil
	}
	r.adapt((r.out.Value - value) / predictedDecrease(r.h, r.g, delta))
	r.accept(value)
	return true, nil
}

// adapt adapts the damping to how well the quadratic model predicted the decrease.
func (r *gnRun) adapt(ratio float64) {
	switch {
	case ratio > 0.75:
		r.damping /= 8
	case ratio < 0.25:
		r.damping = max(r.damping*4, gnFirst)
	}
	if r.damping < gnSmallest {
		r.damping = 0
	}
}

// solveDamped returns -(h + damping*diag(h))^-1 g.
func solveDamped(h *mat.SymDense, g []float64, damping float64) ([]float64, error) {
	a := h
	if damping > 0 {
		a = mat.NewSymDense(h.SymmetricDim(), nil)
		a.CopySym(h)
		for j := range g {
			a.SetSym(j, j, h.At(j, j)*(1+damping))
		}
	}
	factor := Factorize(a)
	if factor == nil {
		return nil, mat.Condition(math.Inf(1))
	}
	return factor.Solve(g)
}

// predictedDecrease is the decrease that the quadratic model predicts.
func predictedDecrease(h *mat.SymDense, g, delta []float64) float64 {
	d := mat.NewVecDense(len(delta), delta)
	return -floats.Dot(g, delta) - num.Rounded(0.5*mat.Inner(d, h, d))
}
