package optimize

import (
	"context"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/dense"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
	if s.Box != nil {
		return minimizeBounded(ctx, f, x0, s)
	}
	of, err := begin(ctx, f, x0, s)
	r := gnRun{run: of}
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
	a := mat.NewSymDense(h.SymmetricDim(), nil)
	a.CopySym(h)
	for j := range g {
		a.SetSym(j, j, h.At(j, j)*(1+damping))
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

// Factor solves equations with a symmetric, positive semidefinite matrix h.
//
// A well-conditioned h is factorized as it is. Otherwise it is first scaled to a unit
// diagonal (Jacobi), so that a variable that is merely small, or rarely matters, does not
// count as singular. If it is singular even so, a ridge is added to the unit diagonal:
// then the solution is, but for a part of about the ridge, the smallest in that scale.
type Factor struct {
	chol  *dense.Cholesky
	scale []float64 // 1/sqrt(h_jj); nil: h was not scaled
	// Ridge is what was added to the unit diagonal; 0 if h is not singular.
	Ridge float64
}

const (
	largestCond   = 1e12  // condition number from which a matrix counts as singular
	smallestRidge = 1e-11 // of a unit diagonal: above the rounding of sums over rows
)

// Factorize returns the factor of h. It is nil if h is not finite, or has eigenvalues far below 0.
func Factorize(h *mat.SymDense) *Factor {
	if c := dense.Factorize(h.RawSymmetric()); c != nil && c.Cond() <= largestCond {
		return &Factor{chol: c}
	}
	return factorizeScaled(h, 0)
}

// factorizeScaled is Factorize for a matrix that is known to need at least that ridge.
func factorizeScaled(h *mat.SymDense, ridge float64) *Factor {
	n := h.SymmetricDim()
	f := &Factor{scale: make([]float64, n)}
	for j := range n {
		f.scale[j] = 1
		if d := h.At(j, j); d > 0 {
			f.scale[j] = 1 / math.Sqrt(d)
		}
	}
	a := mat.NewSymDense(n, nil)
	for f.Ridge = ridge; f.Ridge < 1; f.Ridge = max(10*f.Ridge, smallestRidge) {
		for j := range n {
			for k := j; k < n; k++ {
				a.SetSym(j, k, f.scale[j]*h.At(j, k)*f.scale[k])
			}
			if a.At(j, j) <= 0 {
				a.SetSym(j, j, 1) // nothing is known of it: it stays where it is
			}
			a.SetSym(j, j, a.At(j, j)+f.Ridge)
		}
		f.chol = dense.Factorize(a.RawSymmetric())
		if f.chol != nil && (f.Ridge > 0 || f.chol.Cond() <= largestCond) {
			return f
		}
	}
	return nil
}

// Solve returns -h^-1 g.
func (f *Factor) Solve(g []float64) ([]float64, error) {
	out := slices.Clone(g)
	if f.scale != nil {
		floats.Mul(out, f.scale)
	}
	f.chol.Solve(out)
	floats.Scale(-1, out)
	if f.scale != nil {
		floats.Mul(out, f.scale)
	}
	if !Finite(0, out) {
		return nil, errNotFinite
	}
	return out, nil
}

// Inverse returns h^-1.
func (f *Factor) Inverse() *mat.SymDense {
	n := f.chol.N()
	out := mat.NewSymDense(n, f.chol.Inverse().Data)
	for j := 0; j < n && f.scale != nil; j++ {
		for k := j; k < n; k++ {
			out.SetSym(j, k, f.scale[j]*out.At(j, k)*f.scale[k])
		}
	}
	return out
}
