package optimize

import (
	"context"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"gonum.org/v1/gonum/floats"
)

// bounded is GaussNewton in a box. A step leads to the minimum of the quadratic model within the box, so that
// it holds and releases any number of variables at once. The model is the Gauss-Newton matrix with BFGS
// updates, damped (Nocedal and Wright 2006, procedure 18.2), because the second derivatives that the matrix
// leaves out matter for terms that are rare: with the matrix alone a fit of MSE converges slowly.
type bounded struct {
	run
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

func minimizeBounded(ctx context.Context, f Objective, x0 []float64, s Settings) (Outcome, error) {
	of, err := begin(ctx, f, x0, s)
	r := bounded{run: of}
	for moved := true; err == nil && moved && !r.out.Converged && r.out.Iterations < r.s.Iterations; {
		moved, err = r.step()
	}
	s.Box.hold(r.out.X, r.g)
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
	q := quadratic{inverse: r.inverse, g: r.g}
	q.lo, q.hi = r.s.Box.around(r.out.X)
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
	r.s.Box.clampAll(r.trial) // but for rounding, it is within
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
		if r.s.Box.Reach > 0 && math.Abs(d) > r.s.Box.Reach && !math.IsInf(r.s.Box.Hi[j]-r.s.Box.Lo[j], 0) {
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
	// Held are the variables that the last minimization left at a bound that holds them.
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

// clampAll moves x to the nearest point of the box.
func (b *Box) clampAll(x []float64) {
	if b == nil {
		return
	}
	for j, v := range x {
		x[j] = min(b.Hi[j], max(b.Lo[j], v))
	}
}

// around returns the bounds of a step from x.
func (b *Box) around(x []float64) (lo, hi []float64) {
	if b == nil {
		b = NewBox(len(x))
	}
	lo, hi = make([]float64, len(x)), make([]float64, len(x))
	floats.SubTo(lo, b.Lo, x)
	floats.SubTo(hi, b.Hi, x)
	return lo, hi
}

// hold sets which variables a bound holds at x, where the gradient is g.
func (b *Box) hold(x, g []float64) {
	if b == nil {
		return
	}
	for j, x := range x {
		b.Held[j] = x == b.Lo[j] && g[j] >= 0 || x == b.Hi[j] && g[j] <= 0
	}
}
