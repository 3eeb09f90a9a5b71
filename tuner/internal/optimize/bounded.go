package optimize

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// bounded is GaussNewton in a box. A step leads to the minimum of the quadratic model within the box, so that
// it holds and releases any number of variables at once. The model is the Gauss-Newton matrix with BFGS
// updates, damped (Nocedal and Wright 2006, procedure 18.2), because the second derivatives that the matrix
// leaves out matter for terms that are rare: with the matrix alone a fit of MSE converges slowly.
type bounded struct {
	run
	box     *Box
	factor  *Factor // of the curvature at an earlier point or this; nil if there is none
	ridge   float64 // of the last factor
	age     int     // steps since then
	first   float64 // gap then
	pairs   []pair
	checked bool // that the gap is small by a new matrix too
	chases  int  // steps for the sake of variables that run away, see Box.Reach
}

// pair is a step and the change of the gradient along it.
type pair struct {
	s, y []float64
	sy   float64 // s'y
}

const (
	boundedPairs    = 30   // most pairs that are kept
	boundedAge      = 4    // steps for which a matrix is kept in any case
	boundedReuse    = 0.3  // largest factor of the gap since then by which one is worth keeping
	boundedDecrease = 1e-4 // smallest decrease, as part of what the slope promises
	boundedHalvings = 30   // of a step that brings less
	boundedChases   = 5    // most steps after the gap is small enough
	boundedCurving  = 0.2  // smallest curvature along a step that is believed, as part of the model's
)

func minimizeBounded(ctx context.Context, f Objective, box *Box, x0 []float64, s Settings) (Outcome, error) {
	x := slices.Clone(x0)
	box.clampAll(x)
	of, err := begin(ctx, f, x, s)
	r := bounded{run: of, box: box}
	for moved := true; err == nil && moved && !r.out.Converged && r.out.Iterations < r.s.Iterations; {
		moved, err = r.step()
	}
	for j, x := range r.out.X {
		box.Held[j] = x == box.Lo[j] && r.g[j] >= 0 || x == box.Hi[j] && r.g[j] <= 0
	}
	return r.out, err
}

// step takes one step. It reports false if the point cannot be improved.
func (r *bounded) step() (bool, error) {
	m, err := r.model()
	if err != nil {
		return false, err
	}
	r.out.Gap = m.decrease
	near := r.out.Gap <= r.s.Gap
	if near && r.age > 0 && !r.checked {
		// What the updates say of variables that run away is too little.
		r.checked = true
		r.factor, r.pairs = nil, nil
		return true, nil
	}
	var running []float64
	if near {
		running = r.running(m.step)
	}
	if running != nil {
		r.chases++
	}
	r.out.Converged = near && (running == nil || r.chases > boundedChases)
	fresh := r.age == 0 && len(r.pairs) == 0
	moved, err := r.search(m)
	if err != nil {
		return false, err
	}
	far, err := r.stretch(running)
	if err != nil {
		return false, err
	}
	if !moved && !far {
		r.out.Converged = near
		r.factor, r.pairs = nil, nil
		return !near && !fresh, nil // once more, with a new matrix
	}
	r.age++
	return true, r.count()
}

// model minimizes the model, with a new matrix if the old one has not brought enough.
func (r *bounded) model() (*quadraticStep, error) {
	if r.factor != nil {
		m, err := r.inBox()
		if err != nil || r.age <= boundedAge || m.decrease <= boundedReuse*r.first {
			return m, err
		}
	}
	h, err := r.f.Curvature(r.ctx, r.out.X)
	if err != nil {
		return nil, err
	}
	r.out.Curvatures++
	if r.ridge > 0 { // a singular matrix stays singular
		r.factor = factorizeScaled(h, r.ridge)
	} else {
		r.factor = Factorize(h)
	}
	if r.factor == nil {
		return nil, errNotFinite
	}
	r.ridge = r.factor.Ridge
	m, err := r.inBox()
	if err == nil {
		r.age, r.first = 0, m.decrease
	}
	return m, err
}

// inBox minimizes the model within the box.
func (r *bounded) inBox() (*quadraticStep, error) {
	q := quadratic{inverse: r.inverse, g: r.g, lo: make([]float64, len(r.g)), hi: make([]float64, len(r.g))}
	floats.SubTo(q.lo, r.box.Lo, r.out.X)
	floats.SubTo(q.hi, r.box.Hi, r.out.X)
	return q.minimize()
}

// inverse returns the inverse of the model's matrix, times v (Nocedal and Wright 2006, algorithm 7.4).
func (r *bounded) inverse(v []float64) ([]float64, error) {
	v = slices.Clone(v)
	a := make([]float64, len(r.pairs))
	for i, p := range slices.Backward(r.pairs) {
		a[i] = floats.Dot(p.s, v) / p.sy
		floats.AddScaled(v, -a[i], p.y)
	}
	v, err := r.factor.Solve(v)
	if err != nil {
		return nil, err
	}
	floats.Scale(-1, v)
	for i, p := range r.pairs {
		floats.AddScaled(v, a[i]-floats.Dot(p.y, v)/p.sy, p.s)
	}
	return v, nil
}

// search goes along the step as far as the value falls.
func (r *bounded) search(m *quadraticStep) (moved bool, err error) {
	slope, share := floats.Dot(r.g, m.step), 1.0
	for range boundedHalvings {
		value, err := r.try(share, m.step)
		if err != nil {
			return false, err
		}
		if value < r.out.Value && value <= r.out.Value+num.Rounded(boundedDecrease*share*slope) && Finite(value, r.trialG) {
			if share == 1 {
				r.remember(m)
			} else {
				r.factor, r.pairs = nil, nil
			}
			r.accept(value)
			return true, nil
		}
		if r.out.Converged {
			return false, nil // rounding noise: nothing left to gain
		}
		share /= 2
	}
	return false, nil
}

// try takes value and gradient at the trial point, that far along a step.
func (r *bounded) try(share float64, step []float64) (float64, error) {
	floats.AddScaledTo(r.trial, r.out.X, share, step)
	r.box.clampAll(r.trial) // but for rounding, it is within
	r.out.Passes++
	return r.f.Gradient(r.ctx, r.trial, r.trialG)
}

// remember adds the pair of a step to the trial point.
func (r *bounded) remember(m *quadraticStep) {
	p := pair{s: m.step, y: make([]float64, len(r.g))}
	floats.SubTo(p.y, r.trialG, r.g)
	p.sy = floats.Dot(p.s, p.y)
	if model := floats.Dot(p.s, m.slope); p.sy < boundedCurving*model {
		part := (1 - boundedCurving) * model / (model - p.sy)
		floats.Scale(part, p.y)
		floats.AddScaled(p.y, 1-part, m.slope)
		p.sy = boundedCurving * model
	}
	if !(p.sy > 0) {
		return
	}
	if len(r.pairs) == boundedPairs {
		r.pairs = slices.Delete(r.pairs, 0, 1)
	}
	r.pairs = append(r.pairs, p)
}

// running returns the part of a step that is too long to be the last, see Box.Reach; nil if there is none.
func (r *bounded) running(step []float64) (out []float64) {
	for j, d := range step {
		if r.box.Reach > 0 && math.Abs(d) > r.box.Reach && !math.IsInf(r.box.Hi[j]-r.box.Lo[j], 0) {
			if out == nil {
				out = make([]float64, len(step))
			}
			out[j] = d
		}
	}
	return out
}

// stretch goes on along a step until the value rises or bounds end it, each time twice as
// far. The value of what runs away soon falls by less than rounding shows.
func (r *bounded) stretch(step []float64) (moved bool, err error) {
	for share := 2.0; step != nil; share *= 2 {
		value, err := r.try(share, step)
		if err != nil || !(value <= r.out.Value) || slices.Equal(r.trial, r.out.X) {
			return moved, err
		}
		r.accept(value)
		moved = true
	}
	return moved, nil
}

// Box is a set of bounds on the variables of an objective that falls forever beyond them.
type Box struct {
	Lo, Hi []float64 // -Inf and +Inf where there is none
	// Held are the variables that Minimize left at a bound that holds them.
	Held []bool
	// Reach is the longest last step, 0 for any. A function that falls forever
	// falls slower and slower, so that the gap alone soon looks small; but its steps stay long.
	Reach float64
}

// NewBox returns a box of n variables without bounds.
func NewBox(n int) *Box {
	b := &Box{Lo: make([]float64, n), Hi: make([]float64, n), Held: make([]bool, n)}
	for j := range n {
		b.Lo[j], b.Hi[j] = math.Inf(-1), math.Inf(1)
	}
	return b
}

// Clone returns a copy, which a minimization may change; nil of nil.
func (b *Box) Clone() *Box {
	if b == nil {
		return nil
	}
	c := *b
	c.Held = slices.Clone(b.Held)
	return &c
}

// clamp returns the nearest value within the bounds of variable j.
func (b *Box) clamp(j int, x float64) float64 { return min(b.Hi[j], max(b.Lo[j], x)) }

// faceRounds is how many faces of the box are tried.
const faceRounds = 1000

// idleRounds is how many faces in a row may bring next to nothing before a minimization ends.
const idleRounds = 3

// Minimize runs the method within the box, as an active set: variables that end beyond a bound are held at it,
// and released when the value falls towards the inside. For a convex objective the last face holds the minimum.
// Without a box (nil) it is the method itself. It begins with the variables held that the last call left at a
// bound. GaussNewton finds the held variables within each of its steps.
func (b *Box) Minimize(ctx context.Context, m Method, f Objective, x0 []float64, s Settings) (Outcome, error) {
	if b == nil {
		return m.Minimize(ctx, f, x0, s)
	}
	if m == (GaussNewton{}) {
		return minimizeBounded(ctx, f, b, x0, s)
	}
	x := slices.Clone(x0)
	b.clampAll(x)
	b.catch(x)
	inner := s
	if s.Step != nil { // what moves is a face of the box, not all of it
		inner.Step = func(i int, _ []float64, value, gap float64) { s.Step(i, nil, value, gap) }
	}
	var total Outcome
	single, idle, last := false, 0, math.Inf(1)
	g := make([]float64, len(x))
	for round := 1; ; round++ {
		face := newFace(f, x, b.Held)
		inner.Region = &Region{Lo: face.of(b.Lo), Hi: face.of(b.Hi)}
		out, err := m.Minimize(ctx, face, face.of(x), inner)
		total.Iterations += out.Iterations
		total.Passes += out.Passes
		total.Curvatures += out.Curvatures
		total.Value, total.Gap, total.Converged = out.Value, out.Gap, out.Converged
		if out.X != nil {
			face.fill(out.X)
		}
		moved := b.catch(x)
		total.X = x
		if err != nil {
			return total, err
		}
		if !moved {
			if _, err := f.Gradient(ctx, x, g); err != nil {
				return total, err
			}
			total.Passes++
			if idle++; last-out.Value > s.Gap/10 {
				idle = 0
			}
			last = out.Value
			moved = idle < idleRounds && b.release(x, g, single)
			single = true // caught again: it was let go with too many others
		}
		if !moved {
			return total, nil
		}
		if round == faceRounds {
			total.Converged, total.Gap = false, math.Inf(1)
			return total, nil
		}
	}
}

// clampAll moves x to the nearest point of the box.
func (b *Box) clampAll(x []float64) {
	for j, v := range x {
		x[j] = b.clamp(j, v)
	}
}

// catch puts variables beyond a bound on it, and holds them and those that are exactly on it.
func (b *Box) catch(x []float64) (moved bool) {
	for j := range x {
		at := !b.Held[j] && (x[j] == b.Lo[j] || x[j] == b.Hi[j])
		if v := b.clamp(j, x[j]); v != x[j] || at {
			x[j], b.Held[j], moved = v, true, true
		}
	}
	return moved
}

// release lets variables go that are held at a bound against the slope: all of them or, if
// single, the one with the steepest slope, which is certain to go inside.
func (b *Box) release(x, g []float64, single bool) bool {
	var against []int
	for j := range x {
		if b.Held[j] && b.Lo[j] < b.Hi[j] && (x[j] == b.Lo[j] && g[j] < 0 || x[j] == b.Hi[j] && g[j] > 0) {
			against = append(against, j)
		}
	}
	if single && len(against) > 0 {
		against = []int{slices.MaxFunc(against, func(i, j int) int { return cmp.Compare(math.Abs(g[i]), math.Abs(g[j])) })}
	}
	for _, j := range against {
		b.Held[j] = false
	}
	return len(against) > 0
}

// face is an objective with some of its variables held.
type face struct {
	f    Objective
	x, g []float64 // all variables, and the gradient
	free []int
}

func newFace(f Objective, x []float64, held []bool) *face {
	c := &face{f: f, x: x, g: make([]float64, len(x))}
	for j := range x {
		if !held[j] {
			c.free = append(c.free, j)
		}
	}
	return c
}

// of returns the free ones of all variables' values.
func (c *face) of(all []float64) []float64 {
	out := make([]float64, len(c.free))
	for i, j := range c.free {
		out[i] = all[j]
	}
	return out
}

func (c *face) fill(x []float64) {
	for i, j := range c.free {
		c.x[j] = x[i]
	}
}

// Dim implements Objective.
func (c *face) Dim() int { return len(c.free) }

// Gradient implements Objective.
func (c *face) Gradient(ctx context.Context, x, g []float64) (float64, error) {
	c.fill(x)
	all := c.g
	if g == nil {
		all = nil
	}
	v, err := c.f.Gradient(ctx, c.x, all)
	for i := range g {
		g[i] = c.g[c.free[i]]
	}
	return v, err
}

// Curvature implements Objective.
func (c *face) Curvature(ctx context.Context, x []float64) (*mat.SymDense, error) {
	c.fill(x)
	all, err := c.f.Curvature(ctx, c.x)
	if err != nil || len(c.free) == len(c.x) {
		return all, err
	}
	h := mat.NewSymDense(max(1, len(c.free)), nil)
	for i, j := range c.free {
		for k := i; k < len(c.free); k++ {
			h.SetSym(i, k, all.At(j, c.free[k]))
		}
	}
	return h, nil
}
