package optimize

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

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
