package optimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Objective is a smooth function to be minimized.
type Objective interface {
	// Dim is the number of variables.
	Dim() int
	// Gradient returns the value at x and, unless g is nil, writes the gradient to it.
	Gradient(ctx context.Context, x, g []float64) (float64, error)
	// Curvature returns a symmetric, positive semidefinite approximation of
	// the Hessian at x: the Gauss-Newton (Fisher) matrix.
	Curvature(ctx context.Context, x []float64) (*mat.SymDense, error)
}

// Settings bound the work of a method.
type Settings struct {
	// Gap is the distance from the minimum, in units of the objective, at which to stop.
	Gap float64
	// Idle, if not 0, is the largest decrease that counts as none: a method ends after three such
	// steps in a row. The gap of a function with kinks does not vanish at its minimum.
	Idle float64
	// Iterations is the largest number of steps; 0 means the method's default.
	Iterations int
	// Limit is the largest |x_j| that may be trusted; beyond it the method
	// gives up with ErrDiverged. 0 means no limit.
	Limit float64
	// Region, if not nil, is where the minimum is looked for. A method stops where it
	// leaves the region or reaches its border: Box.Minimize then holds the variables there.
	Region *Region
	// NoCurvature says that the objective's curvature would take too much memory: the gap stays unknown, +Inf.
	NoCurvature bool
	// Step is called after every step, with where it led (not to be kept; nil if
	// not known), the value and the estimated gap. It may be nil.
	Step func(iteration int, x []float64, value, gap float64)
}

// Region is a box that a method does not leave.
type Region struct {
	Lo, Hi []float64
}

// left reports whether x is at the border of the region or beyond.
func (g *Region) left(x []float64) bool {
	if g == nil {
		return false
	}
	for j, v := range x {
		if v <= g.Lo[j] || v >= g.Hi[j] {
			return true
		}
	}
	return false
}

// run is a minimization in progress.
type run struct {
	ctx           context.Context
	f             Objective
	s             Settings
	out           Outcome
	g             []float64 // gradient at out.X
	trial, trialG []float64
	idle          int     // steps in a row that brought next to nothing
	last          float64 // value at the last step
}

// begin evaluates the objective at x0.
func begin(ctx context.Context, f Objective, x0 []float64, s Settings) (run, error) {
	n := len(x0)
	r := run{ctx: ctx, f: f, s: s, g: make([]float64, n), trial: make([]float64, n), trialG: make([]float64, n)}
	r.s.Iterations = cmp.Or(s.Iterations, gnIterations)
	r.out.X, r.out.Gap = slices.Clone(x0), math.Inf(1)
	var err error
	r.out.Value, err = f.Gradient(ctx, r.out.X, r.g)
	r.out.Passes++
	if err == nil && !Finite(r.out.Value, r.g) {
		err = errNotFinite
	}
	return r, err
}

// accept moves to the trial point.
func (r *run) accept(value float64) {
	r.out.Value = value
	r.out.X, r.trial = r.trial, r.out.X
	r.g, r.trialG = r.trialG, r.g
}

// count counts a step. The method converges where too many in a row bring next to nothing.
func (r *run) count() error {
	r.out.Iterations++
	if r.idle++; r.s.Idle == 0 || !(r.last-r.out.Value < r.s.Idle) {
		r.idle = 0
	}
	if r.last = r.out.Value; r.idle >= idleRounds {
		r.out.Converged = true
	}
	if r.s.Step != nil {
		r.s.Step(r.out.Iterations, r.out.X, r.out.Value, r.out.Gap)
	}
	return r.s.check(r.out.X)
}

// check returns ErrDiverged beyond the limit.
func (s *Settings) check(x []float64) error {
	if s.Limit > 0 && floats.Norm(x, math.Inf(1)) > s.Limit {
		return ErrDiverged
	}
	return nil
}

// constant is the outcome of an objective without variables.
func constant(ctx context.Context, f Objective) (Outcome, error) {
	v, err := f.Gradient(ctx, nil, nil)
	return Outcome{Value: v, Converged: true, X: []float64{}}, err
}

// Finite reports whether a value and all numbers of x are numbers.
func Finite(value float64, x []float64) bool {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	return !bad(value) && !slices.ContainsFunc(x, bad)
}

// Outcome is where a method stopped.
type Outcome struct {
	X          []float64
	Value      float64
	Gap        float64 // estimated Value - minimum
	Iterations int     // steps taken
	Passes     int     // evaluations of value or gradient
	Curvatures int     // evaluations of the curvature
	Converged  bool    // Gap <= Settings.Gap or, where the gap is unknown, the value fell no more
}

// Method minimizes an objective. Where it returns an error it also returns
// the best point so far, unless it never evaluated one.
type Method interface {
	Minimize(ctx context.Context, f Objective, x0 []float64, s Settings) (Outcome, error)
}

// Errors of methods.
var (
	// ErrDiverged means the objective keeps falling as variables grow without
	// bound: the data separate perfectly and nothing holds the weights back.
	ErrDiverged = errors.New("weights grow without bound")
	// errNotFinite means the objective or its derivatives are not numbers.
	errNotFinite = errors.New("objective is not finite")
	// ErrMethod names an unknown method.
	ErrMethod = errors.New("unknown method")
)

// DefaultMethod is the method of an empty name.
const DefaultMethod = "gauss-newton"

// Methods returns the names of all methods, DefaultMethod first.
func Methods() []string { return []string{DefaultMethod, "adam"} }

// NewMethod returns the method of that name: gauss-newton or adam.
func NewMethod(name string) (Method, error) {
	switch name {
	case DefaultMethod, "":
		return GaussNewton{}, nil
	case "adam":
		return adam{}, nil
	}
	return nil, fmt.Errorf("%w: %q (gauss-newton or adam)", ErrMethod, name)
}
