package tuner

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// GaussNewton is the Gauss-Newton method (Fisher scoring, for a likelihood)
// with Levenberg's damping scaled by the diagonal (Marquardt 1963), the damping
// led by the ratio of actual to predicted decrease. It stops on the Newton
// decrement g'H^-1 g / 2, which for a function that is nearly quadratic around
// its minimum is the distance still to go.
type GaussNewton struct{}

const (
	gnIterations = 100   // default limit of steps
	gnRetries    = 40    // dampings tried before a step counts as impossible
	gnFirst      = 1e-4  // first damping after a step that failed undamped
	gnSmallest   = 1e-12 // below this, none
)

// Minimize implements Method.
func (GaussNewton) Minimize(ctx context.Context, f Objective, x0 []float64, s Settings) (Outcome, error) {
	n := len(x0)
	r := gnRun{ctx: ctx, f: f, s: s, g: make([]float64, n), trial: make([]float64, n), trialG: make([]float64, n)}
	r.out.X = append([]float64(nil), x0...)
	if s.Iterations == 0 {
		r.s.Iterations = gnIterations
	}
	var err error
	r.out.Value, err = f.Gradient(ctx, r.out.X, r.g)
	r.out.Passes++
	if err != nil {
		return r.out, err
	}
	if !finite(r.out.Value, r.g) {
		return r.out, ErrNotFinite
	}
	if n == 0 {
		r.out.Converged = true
		return r.out, nil
	}
	for !r.out.Converged && r.out.Iterations < r.s.Iterations {
		moved, err := r.step()
		if err != nil || !moved {
			return r.out, err
		}
	}
	return r.out, nil
}

// gnRun is one run of GaussNewton.
type gnRun struct {
	ctx           context.Context
	f             Objective
	s             Settings
	out           Outcome
	g             []float64 // gradient at out.X
	trial, trialG []float64
	damping       float64
}

// step takes one step. It reports false if the point cannot be improved.
func (r *gnRun) step() (bool, error) {
	h, err := r.f.Curvature(r.ctx, r.out.X)
	if err != nil {
		return false, err
	}
	r.out.Curvatures++
	delta, undamped, err := solveDamped(h, r.g, 0)
	if err == nil {
		r.out.Gap = -0.5 * floats.Dot(delta, r.g)
		if r.out.Gap <= r.s.Gap {
			r.out.Converged = true
		}
	} else {
		r.out.Gap = math.Inf(1)
	}
	moved, err := r.search(h, delta, undamped)
	if err != nil {
		return false, err
	}
	if moved {
		r.out.Iterations++
		if r.s.Step != nil {
			r.s.Step(r.out.Iterations, r.out.Value, r.out.Gap)
		}
	}
	return moved, r.limit()
}

// search raises the damping until the value falls. With a converged gap, one
// last undamped step is tried and kept only if it helps.
func (r *gnRun) search(h *mat.SymDense, delta []float64, undamped bool) (bool, error) {
	for try := 0; try < gnRetries; try++ {
		if try > 0 || r.damping > 0 || !undamped {
			if !undamped || try > 0 {
				r.damping = max(r.damping, gnFirst)
			}
			var err error
			if delta, _, err = solveDamped(h, r.g, r.damping); err != nil {
				r.damping *= 10
				continue
			}
		}
		floats.AddTo(r.trial, r.out.X, delta)
		value, err := r.f.Gradient(r.ctx, r.trial, r.trialG)
		r.out.Passes++
		if err != nil {
			return false, err
		}
		predicted := predictedDecrease(h, r.g, delta)
		ratio := (r.out.Value - value) / predicted
		if value < r.out.Value && finite(value, r.trialG) {
			r.accept(value, ratio)
			return true, nil
		}
		if r.out.Converged {
			return false, nil // rounding noise: nothing left to gain
		}
		r.damping = max(r.damping*8, gnFirst)
	}
	return false, nil
}

// accept moves to the trial point and adapts the damping to how well the
// quadratic model foretold the decrease.
func (r *gnRun) accept(value, ratio float64) {
	r.out.Value = value
	copy(r.out.X, r.trial)
	r.g, r.trialG = r.trialG, r.g
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

func (r *gnRun) limit() error {
	if r.s.Limit > 0 && floats.Norm(r.out.X, math.Inf(1)) > r.s.Limit {
		return ErrDiverged
	}
	return nil
}

// solveDamped returns -(h + damping*diag(h))^-1 g, and whether it is the
// undamped step. Without damping a singular h is an error; with it, variables
// that h knows nothing of stay where they are.
func solveDamped(h *mat.SymDense, g []float64, damping float64) ([]float64, bool, error) {
	n := h.SymmetricDim()
	a := h
	if damping > 0 {
		a = mat.NewSymDense(n, nil)
		a.CopySym(h)
		for j := range n {
			d := h.At(j, j)
			if d <= 0 {
				a.SetSym(j, j, 1)
				continue
			}
			a.SetSym(j, j, d*(1+damping))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) || chol.Cond() > 1e15 {
		return nil, false, mat.Condition(math.Inf(1))
	}
	var x mat.VecDense
	if err := chol.SolveVecTo(&x, mat.NewVecDense(n, g)); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			return nil, false, err
		}
	}
	out := x.RawVector().Data
	floats.Scale(-1, out)
	if !finite(0, out) {
		return nil, false, ErrNotFinite
	}
	return out, damping == 0, nil
}

// predictedDecrease is the decrease that the quadratic model foretells.
func predictedDecrease(h *mat.SymDense, g, delta []float64) float64 {
	d := mat.NewVecDense(len(delta), delta)
	return -floats.Dot(g, delta) - 0.5*mat.Inner(d, h, d)
}

func finite(value float64, x []float64) bool {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return false
	}
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
