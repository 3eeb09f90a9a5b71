package tuner

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Bound limits both values of a term, in centipawns.
type Bound struct{ Lo, Hi float64 }

// limits sets the bounds of the parameters, as changes from the start values.
func (p *params) limits(terms []Term, bounds map[string]Bound) error {
	names := sortedKeys(bounds)
	for _, name := range names {
		if b := bounds[name]; !(b.Lo <= b.Hi) {
			return fmt.Errorf("%w: bounds of %s from %v to %v", ErrConfig, name, b.Lo, b.Hi)
		}
	}
	if err := checkNames(terms, names); err != nil {
		return err
	}
	p.lo, p.hi = make([]float64, p.n), make([]float64, p.n)
	for j := range p.lo {
		p.lo[j], p.hi[j] = math.Inf(-1), math.Inf(1)
	}
	for t, term := range terms {
		b, ok := bounds[term.Name]
		if !ok {
			if b, ok = bounds[term.Group]; !ok {
				continue
			}
		}
		for _, h := range [2]struct {
			j     int
			start float64
		}{{p.mg[t], p.start.mg[t]}, {p.eg[t], p.start.eg[t]}} {
			if h.j == fixed {
				continue
			}
			p.lo[h.j], p.hi[h.j] = max(p.lo[h.j], b.Lo-h.start), min(p.hi[h.j], b.Hi-h.start)
			if p.lo[h.j] > p.hi[h.j] {
				return fmt.Errorf("%w: the bounds of terms tied to %s leave nothing", ErrConfig, term.Name)
			}
		}
	}
	return nil
}

// clamp returns the nearest value within the bounds of parameter j.
func (p *params) clamp(j int, x float64) float64 { return min(p.hi[j], max(p.lo[j], x)) }

// faceRounds is how many faces of the bounds are tried.
const faceRounds = 100

// minimize runs the method within the bounds of the parameters, as an active
// set: parameters that end beyond a bound are held at it, and let go when the
// loss falls towards the inside. For a convex loss the last face holds the
// minimum. Without bounds it is the method itself.
func (f *fitting) minimize(ctx context.Context, m Method, o *objective, theta []float64, s Settings) (Outcome, error) {
	q := f.params
	if q.lo == nil {
		return m.Minimize(ctx, o, theta, s)
	}
	x := slices.Clone(theta)
	for j := range x {
		x[j] = q.clamp(j, x[j])
	}
	if q.held == nil {
		q.held = make([]bool, q.n)
	}
	inner := s
	if s.Step != nil { // what moves is a face of the box, not all of it
		inner.Step = func(i int, _ []float64, value, gap float64) { s.Step(i, nil, value, gap) }
	}
	var total Outcome
	g := make([]float64, q.n)
	for round := 1; ; round++ {
		face := newFace(o, x, q.held)
		out, err := m.Minimize(ctx, face, face.start(), inner)
		total.Iterations += out.Iterations
		total.Passes += out.Passes
		total.Curvatures += out.Curvatures
		total.Value, total.Gap, total.Converged = out.Value, out.Gap, out.Converged
		if out.X != nil {
			face.fill(out.X)
		}
		moved := q.catch(x)
		total.X = x
		if err != nil {
			return total, err
		}
		if !moved {
			if _, err := o.Gradient(ctx, x, g); err != nil {
				return total, err
			}
			total.Passes++
			moved = q.release(x, g)
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

// catch puts parameters beyond a bound on it and holds them there.
func (p *params) catch(x []float64) (moved bool) {
	for j := range x {
		if v := p.clamp(j, x[j]); v != x[j] {
			x[j], p.held[j], moved = v, true, true
		}
	}
	return moved
}

// release lets parameters go that are held at a bound against the slope.
func (p *params) release(x, g []float64) (moved bool) {
	for j := range x {
		if !p.held[j] || p.lo[j] == p.hi[j] {
			continue
		}
		if x[j] == p.lo[j] && g[j] < 0 || x[j] == p.hi[j] && g[j] > 0 {
			p.held[j], moved = false, true
		}
	}
	return moved
}

// face is an objective with some of its variables held.
type face struct {
	f    *objective
	x, g []float64 // all variables, and the gradient
	free []int
}

func newFace(f *objective, x []float64, held []bool) *face {
	c := &face{f: f, x: x, g: make([]float64, len(x))}
	for j := range x {
		if !held[j] {
			c.free = append(c.free, j)
		}
	}
	return c
}

func (c *face) start() []float64 {
	out := make([]float64, len(c.free))
	for i, j := range c.free {
		out[i] = c.x[j]
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

// holdOut returns m without the rows and columns of parameters held at a bound:
// they do not move with the data.
func (p *params) holdOut(m *mat.SymDense) *mat.SymDense {
	if !slices.Contains(p.held, true) {
		return m
	}
	out := mat.NewSymDense(p.n, nil)
	for j := range p.n {
		for k := j; k < p.n; k++ {
			if !p.held[j] && !p.held[k] {
				out.SetSym(j, k, m.At(j, k))
			}
		}
	}
	return out
}

// stuck tells whether parameter j is held at a bound.
func (p *params) stuck(j int) bool { return p.held != nil && p.held[j] }
