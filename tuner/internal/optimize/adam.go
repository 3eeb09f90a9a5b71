package optimize

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// adam is the method of Kingma and Ba (2015), full batches, with gorgonia's solver: what other tuners use, and what
// fits more parameters than a matrix has room for. It needs a thousand gradients or more where GaussNewton needs a
// dozen. The rate falls along half a cosine from Rate to nothing over Settings.Iterations, because with a constant one
// the variables keep trembling.
type adam struct {
	// Rate is the largest step of a variable at the beginning, in its unit; 0 means 1 (centipawn).
	Rate float64
}

const (
	adamIterations = 2000 // default limit of epochs
	adamCheck      = 250  // epochs between looks at the gap, which cost a curvature
)

// Minimize implements Method.
func (a adam) Minimize(ctx context.Context, f Objective, x0 []float64, s Settings) (Outcome, error) {
	if len(x0) == 0 {
		return constant(ctx, f)
	}
	out := Outcome{X: slices.Clone(x0), Value: math.Inf(1), Gap: math.Inf(1)}
	s.Iterations = cmp.Or(s.Iterations, adamIterations)
	rate := cmp.Or(a.Rate, 1)
	m := newModel(x0)
	solver := gorgonia.NewAdamSolver()
	for {
		value, err := f.Gradient(ctx, m.x, m.g)
		out.Passes++
		if err != nil {
			return out, err
		}
		if !Finite(value, m.g) {
			return out, errNotFinite
		}
		if value < out.Value {
			out.Value = value
			copy(out.X, m.x)
		}
		if out.Iterations == s.Iterations {
			if out.Converged = s.NoCurvature; s.NoCurvature {
				return out, nil
			}
			return out, newtonGap(ctx, f, &out, s)
		}
		if out.Iterations > 0 && out.Iterations%adamCheck == 0 && !s.NoCurvature {
			if err := newtonGap(ctx, f, &out, s); err != nil || out.Converged {
				return out, err
			}
		}
		now := rate * 0.5 * (1 + math.Cos(math.Pi*float64(out.Iterations)/float64(s.Iterations)))
		if now > 0 { // gorgonia takes a rate of 0 for "the default"
			gorgonia.WithLearnRate(now)(solver)
			if err := m.step(solver); err != nil {
				return out, err
			}
		}
		out.Iterations++
		if s.Step != nil {
			s.Step(out.Iterations, m.x, value, out.Gap)
		}
		if s.Region.left(m.x) {
			copy(out.X, m.x)
			return out, nil
		}
		if err := s.check(m.x); err != nil {
			return out, err
		}
	}
}

// newtonGap sets the outcome's gap to the Newton decrement at its point.
func newtonGap(ctx context.Context, f Objective, out *Outcome, s Settings) error {
	g := make([]float64, len(out.X))
	if _, err := f.Gradient(ctx, out.X, g); err != nil {
		return err
	}
	out.Passes++
	h, err := f.Curvature(ctx, out.X)
	if err != nil {
		return err
	}
	out.Curvatures++
	delta, err := solveDamped(h, g, 0)
	if err != nil {
		out.Gap = math.Inf(1)
		return nil
	}
	out.Gap = -0.5 * floats.Dot(delta, g)
	out.Converged = out.Gap <= s.Gap
	return nil
}

// model is one vector of variables and its gradient as gorgonia's solvers want
// them. It keeps the solver away from gorgonia's graphs: the gradient is ours.
type model struct {
	x, g        []float64 // the memory of the tensors
	value, grad *tensor.Dense
}

func newModel(x0 []float64) *model {
	m := &model{x: slices.Clone(x0), g: make([]float64, len(x0))}
	m.value = tensor.New(tensor.WithShape(len(x0)), tensor.WithBacking(m.x))
	m.grad = tensor.New(tensor.WithShape(len(x0)), tensor.WithBacking(m.g))
	return m
}

// Value implements gorgonia.ValueGrad.
func (m *model) Value() gorgonia.Value { return m.value }

// Grad implements gorgonia.ValueGrad.
func (m *model) Grad() (gorgonia.Value, error) { return m.grad, nil }

// step moves x. It leaves g zeroed.
func (m *model) step(solver gorgonia.Solver) error {
	if err := solver.Step([]gorgonia.ValueGrad{m}); err != nil {
		return fmt.Errorf("gorgonia: %w", err)
	}
	return nil
}
