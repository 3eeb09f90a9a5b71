// Package optimize minimizes smooth functions with cheap gradients and costly Hessians: [GaussNewton] and adam behind
// one interface, [Method], with bounds on the variables, [Box]. It knows nothing of chess.
//
// No promise of stability.
package optimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Objective is a smooth function to be minimized.
type Objective interface {
	// Gradient returns the value at x and writes the gradient to g.
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
	// Box, if not nil, bounds the variables. A method sets which of them it holds.
	Box *Box
	// NoCurvature says that the objective's curvature would take too much memory: the gap stays unknown, +Inf.
	NoCurvature bool
	// Step is called after every step, with where it led (not to be kept), the value and the
	// estimated gap. It may be nil.
	Step func(iteration int, x []float64, value, gap float64)
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
	s.Box.clampAll(r.out.X)
	var err error
	r.out.Value, err = f.Gradient(ctx, r.out.X, r.g)
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

// idleRounds is how many steps in a row may bring next to nothing before a minimization ends.
const idleRounds = 3

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
	out := Outcome{X: slices.Clone(x0), Value: math.Inf(1), Gap: math.Inf(1)}
	s.Iterations = cmp.Or(s.Iterations, adamIterations)
	rate := cmp.Or(a.Rate, 1)
	s.Box.clampAll(out.X)
	m := newModel(out.X)
	solver := gorgonia.NewAdamSolver()
	for {
		value, err := f.Gradient(ctx, m.x, m.g)
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
		last := out.Iterations == s.Iterations
		if last || !s.NoCurvature && out.Iterations > 0 && out.Iterations%adamCheck == 0 {
			if err := look(ctx, f, &out, s); err != nil || last || out.Converged {
				out.Converged = out.Converged || last && s.NoCurvature
				return out, err
			}
		}
		now := rate * 0.5 * (1 + math.Cos(math.Pi*float64(out.Iterations)/float64(s.Iterations)))
		if now > 0 { // gorgonia takes a rate of 0 for "the default"
			gorgonia.WithLearnRate(now)(solver)
			if err := m.step(solver); err != nil {
				return out, err
			}
			s.Box.clampAll(m.x)
		}
		out.Iterations++
		if s.Step != nil {
			s.Step(out.Iterations, m.x, value, out.Gap)
		}
		if err := s.check(m.x); err != nil {
			return out, err
		}
	}
}

// look sets which variables are held at the outcome's point and, with a curvature, its gap: the decrease that the
// quadratic model promises within the box.
func look(ctx context.Context, f Objective, out *Outcome, s Settings) error {
	g := make([]float64, len(out.X))
	if _, err := f.Gradient(ctx, out.X, g); err != nil {
		return err
	}
	s.Box.hold(out.X, g)
	if s.NoCurvature {
		return nil
	}
	h, err := f.Curvature(ctx, out.X)
	if err != nil {
		return err
	}
	out.Curvatures++
	out.Gap = math.Inf(1)
	factor := Factorize(h)
	if factor == nil {
		return nil
	}
	q := quadratic{g: g, inverse: func(v []float64) ([]float64, error) {
		v, err := factor.Solve(v)
		floats.Scale(-1, v)
		return v, err
	}}
	q.lo, q.hi = s.Box.around(out.X)
	if m, err := q.minimize(); err == nil {
		out.Gap = m.decrease
	}
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

// quadratic is the function g'd + d'Bd/2 of a step d with lo <= d <= hi, which contain 0.
// B is positive definite and known by its inverse.
type quadratic struct {
	inverse   func(v []float64) ([]float64, error)
	g, lo, hi []float64
	newton    []float64         // B^-1 g
	columns   map[int][]float64 // of B^-1, those that were needed
}

// quadraticStep is where a quadratic is smallest.
type quadraticStep struct {
	step     []float64
	slope    []float64 // B step
	decrease float64   // of the quadratic
}

// quadraticReleases is how often a variable is released. Without rounding errors once is
// enough but for rare cases; with them, a singular B can hold and release one without end.
const quadraticReleases = 3

// minimize finds the minimum by an active set (Nocedal and Wright 2006, algorithm 16.3). From
// the minimum with some variables held where they are, the variable that most wants to
// go inside is released; on the way there, the first bound to be met holds.
func (q *quadratic) minimize() (*quadraticStep, error) {
	n := len(q.g)
	var err error
	if q.newton, err = q.inverse(q.g); err != nil {
		return nil, err
	}
	q.columns = make(map[int][]float64)
	m := &quadraticStep{step: make([]float64, n), slope: make([]float64, n)}
	at := make([]float64, n) // 1 and -1 where the bound above and below holds the step, else 0
	for j, g := range q.g {
		if q.hi[j] == 0 && (g < 0 || q.lo[j] == 0) {
			at[j] = 1
		} else if q.lo[j] == 0 && g > 0 {
			at[j] = -1
		}
	}
	released := make([]int, n)
	for {
		target, force, err := q.face(m.step, at)
		if err != nil {
			return nil, err
		}
		if j := q.advance(m.step, target, at); j >= 0 {
			at[j] = math.Copysign(1, target[j]-m.step[j])
			m.step[j] = q.hi[j]
			if at[j] < 0 {
				m.step[j] = q.lo[j]
			}
			continue
		}
		release, most := -1, 0.0
		for j, a := range at {
			if wants := a * force[j]; wants > most && q.lo[j] < q.hi[j] && released[j] < quadraticReleases {
				release, most = j, wants
			}
		}
		if release < 0 {
			floats.SubTo(m.slope, force, q.g)
			m.decrease = -floats.Dot(q.g, m.step) - num.Rounded(0.5*floats.Dot(m.slope, m.step))
			return m, nil
		}
		at[release] = 0
		released[release]++
	}
}

// advance moves the step towards the target, to the first bound in the way. It returns the
// variable at that bound, -1 if there is none.
func (q *quadratic) advance(step, target, at []float64) (first int) {
	share, first := 1.0, -1
	for j, t := range target {
		room, way := q.hi[j]-step[j], t-step[j]
		if way < 0 {
			room = q.lo[j] - step[j]
		}
		if at[j] == 0 && way != 0 && room/way < share {
			share, first = max(0, room/way), j
		}
	}
	for j, t := range target {
		step[j] += num.Rounded(share * (t - step[j]))
	}
	return first
}

// face returns the minimum with the variables that bounds hold where step has them, and
// the derivatives of the quadratic there: 0 for the others.
func (q *quadratic) face(step, at []float64) (target, force []float64, err error) {
	n := len(step)
	target, force = make([]float64, n), make([]float64, n)
	floats.ScaleTo(target, -1, q.newton)
	var held []int
	for j, a := range at {
		if a == 0 {
			continue
		}
		held = append(held, j)
		if q.columns[j] == nil {
			unit := make([]float64, n)
			unit[j] = 1
			if q.columns[j], err = q.inverse(unit); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(held) == 0 {
		return target, force, nil
	}
	block, off := mat.NewSymDense(len(held), nil), make([]float64, len(held))
	for i, j := range held {
		for k := range i + 1 {
			block.SetSym(k, i, q.columns[j][held[k]])
		}
		off[i] = target[j] - step[j]
	}
	factor := Factorize(block)
	if factor == nil {
		return nil, nil, errNotFinite
	}
	forces, err := factor.Solve(off)
	if err != nil {
		return nil, nil, err
	}
	for i, j := range held {
		force[j] = forces[i]
		floats.AddScaled(target, forces[i], q.columns[j])
	}
	for _, j := range held {
		target[j] = step[j]
	}
	return target, force, nil
}
