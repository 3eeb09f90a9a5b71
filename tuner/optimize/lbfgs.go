package optimize

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// LBFGS is the limited-memory quasi-Newton method (Liu and Nocedal 1989) of gonum/optimize. It needs many
// passes over the rows and no curvature, which pays where there are too many parameters for a matrix.
type LBFGS struct{}

const lbfgsIterations = 1000 // default limit of steps

// Minimize implements Method. The gap is known only by one curvature at the end. Variables are used as they
// come: scale the objective so that they are of like size.
func (LBFGS) Minimize(ctx context.Context, f Objective, x0 []float64, s Settings) (Outcome, error) {
	if len(x0) == 0 {
		return constant(ctx, f)
	}
	out := Outcome{X: slices.Clone(x0), Value: math.Inf(1)}
	s.Iterations = cmp.Or(s.Iterations, lbfgsIterations)
	p := &fused{ctx: ctx, f: f, s: s, out: &out, g: make([]float64, f.Dim())}
	settings := &optimize.Settings{
		MajorIterations: s.Iterations,
		Concurrent:      1,
		Converger:       &optimize.FunctionConverge{Absolute: s.Gap / 8, Iterations: 5},
		Recorder:        &stepRecorder{s: s, out: &out},
	}
	problem := optimize.Problem{Func: p.value, Grad: p.gradient, Status: p.status}
	result, err := optimize.Minimize(problem, x0, settings, &optimize.LBFGS{})
	if p.err != nil {
		return out, p.err
	}
	if errors.Is(err, ErrDiverged) {
		return out, ErrDiverged
	}
	if errors.Is(err, errLeft) {
		return out, nil
	}
	if s.NoCurvature {
		out.Gap, out.Converged = math.Inf(1), result.Status != optimize.IterationLimit
		return out, nil
	}
	// A line search that finds no further decrease is the end, not a failure:
	// the gap below measures how good it is.
	return out, newtonGap(ctx, f, &out, s)
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

// fused serves gonum's separate calls for value and gradient from one pass.
type fused struct {
	ctx  context.Context
	f    Objective
	s    Settings
	out  *Outcome
	x, g []float64
	v    float64
	err  error
}

func (p *fused) pass(x []float64) {
	if p.err != nil || (p.x != nil && floats.Equal(p.x, x)) {
		return
	}
	p.x = append(p.x[:0], x...)
	if far := 1000 * p.s.Limit; far > 0 && !(floats.Norm(x, math.Inf(1)) < far) {
		p.err = ErrDiverged // a line search may overshoot, but not so far
		return
	}
	p.v, p.err = p.f.Gradient(p.ctx, x, p.g)
	p.out.Passes++
	if p.err == nil && !Finite(p.v, p.g) {
		p.err = errNotFinite
	}
	if p.err == nil && p.v < p.out.Value {
		p.out.Value = p.v
		copy(p.out.X, x)
	}
}

func (p *fused) value(x []float64) float64 {
	p.pass(x)
	return p.v
}

func (p *fused) gradient(grad, x []float64) {
	p.pass(x)
	copy(grad, p.g)
}

func (p *fused) status() (optimize.Status, error) {
	if p.err != nil {
		return optimize.Failure, p.err
	}
	return optimize.NotTerminated, nil
}

// errLeft ends a search that has left its region.
var errLeft = errors.New("left the region")

// stepRecorder reports steps and enforces the limit.
type stepRecorder struct {
	s   Settings
	out *Outcome
}

func (r *stepRecorder) Init() error { return nil }

func (r *stepRecorder) Record(loc *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	r.out.Iterations++
	if r.s.Step != nil {
		r.s.Step(r.out.Iterations, loc.X, loc.F, math.Inf(1))
	}
	if r.s.Region.left(loc.X) {
		copy(r.out.X, loc.X)
		return errLeft
	}
	return r.s.check(loc.X)
}
