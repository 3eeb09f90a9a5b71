package optimize

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Operator is a symmetric, positive semidefinite matrix that is known by its products.
type Operator interface {
	// Diagonal returns the diagonal or what comes near it, for scaling.
	Diagonal() []float64
	Multiply(ctx context.Context, x, out []float64) error
}

// Products is an objective whose curvature is known by its products, which needs no memory
// for a matrix. GaussNewton then solves by conjugate gradients.
type Products interface {
	Objective
	Products(ctx context.Context, x []float64) (Operator, error)
}

const (
	cgSteps = 2000 // most products of one solution
	cgDelay = 5    // products over which what is still to gain is estimated
	cgNew   = 0.5  // share of a direction's curvature that must be new to be worth keeping
)

// SolveCG returns x with h x = b, and x'b; see Solver.
func SolveCG(ctx context.Context, h Operator, b []float64, tolerance float64) (x []float64, energy float64, err error) {
	return NewSolver(h, 0).Solve(ctx, b, tolerance)
}

// Solver solves equations with one matrix by conjugate gradients (Hestenes and Stiefel 1952),
// scaled by the diagonal. It keeps the directions of its first solutions, in which it knows
// the inverse: a preconditioner for later ones (Morales and Nocedal 2000).
type Solver struct {
	h       Operator
	inverse []float64 // of the diagonal
	most    int       // directions to keep
	kept    []direction
}

// direction is p, conjugate to all others: p'h q = 0.
type direction struct {
	p, hp     []float64 // hp is h p / p'h p
	curvature float64   // p'h p
}

// NewSolver returns a solver that takes memory for that many vectors.
func NewSolver(h Operator, vectors int) *Solver {
	s := &Solver{h: h, inverse: make([]float64, len(h.Diagonal())), most: vectors / 2}
	for j, d := range h.Diagonal() {
		if s.inverse[j] = 1; d > 0 {
			s.inverse[j] = 1 / d
		}
	}
	return s
}

// Solve returns x with h x = b, and x'b. It stops where the last few steps have added less
// than the share tolerance to x'b (the estimate of the error by Hestenes and Stiefel; Strakos
// and Tichy 2002).
func (s *Solver) Solve(ctx context.Context, b []float64, tolerance float64) (x []float64, energy float64, err error) {
	n := len(b)
	x = make([]float64, n)
	r, z, p, hp := append([]float64(nil), b...), make([]float64, n), make([]float64, n), make([]float64, n)
	for _, k := range s.kept {
		c := floats.Dot(k.p, r)
		floats.AddScaled(x, c/k.curvature, k.p)
		floats.AddScaled(r, -c, k.hp)
		energy += float64(c * c / k.curvature)
	}
	known := s.kept
	along := make([]float64, len(known))
	var gains [cgDelay]float64
	last := 0.0
	for step := range cgSteps {
		s.precondition(known, along, r, z)
		rz := floats.Dot(r, z)
		if rz == 0 {
			return x, energy, nil
		}
		if step == 0 {
			copy(p, z)
		} else {
			floats.AddScaledTo(p, z, rz/last, p)
		}
		last = rz
		if err := s.h.Multiply(ctx, p, hp); err != nil {
			return nil, 0, err
		}
		curvature := floats.Dot(p, hp)
		if !(curvature > 0) { // nothing is known in this direction
			return x, energy, nil
		}
		alpha := rz / curvature
		floats.AddScaled(x, alpha, p)
		floats.AddScaled(r, -alpha, hp)
		if len(s.kept) < s.most {
			s.keep(p, hp, curvature)
		}
		energy += float64(alpha * rz)
		gains[step%cgDelay] = alpha * rz
		if step >= cgDelay && floats.Sum(gains[:]) <= tolerance*energy {
			return x, energy, nil
		}
	}
	return x, energy, nil
}

// keep keeps the part of p that is conjugate to the known directions.
func (s *Solver) keep(p, hp []float64, curvature float64) {
	d := direction{p: append([]float64(nil), p...), hp: append([]float64(nil), hp...)}
	for _, k := range s.kept {
		c := floats.Dot(k.hp, d.p)
		floats.AddScaled(d.p, -c, k.p)
		floats.AddScaled(d.hp, -c*k.curvature, k.hp)
	}
	if d.curvature = floats.Dot(d.p, d.hp); d.curvature > cgNew*curvature {
		floats.Scale(1/d.curvature, d.hp)
		s.kept = append(s.kept, d)
	}
}

// precondition writes to z an approximation of h^-1 r: the diagonal's, but exactly h^-1 r
// along known directions. along is scratch memory.
func (s *Solver) precondition(known []direction, along, r, z []float64) {
	copy(z, r)
	for i, k := range known {
		along[i] = floats.Dot(k.p, r)
		floats.AddScaled(z, -along[i], k.hp)
	}
	floats.Mul(z, s.inverse)
	for i, k := range known {
		along[i] = along[i]/k.curvature - floats.Dot(k.hp, z)
	}
	for i, k := range known {
		floats.AddScaled(z, along[i], k.p)
	}
}

const (
	roughCG  = 1e-3  // of the steps on the way
	exactCG  = 1e-16 // of the last: errors of 1e-8
	exactGap = 1e4   // times the gap to reach: from here on solve exactly
)

// minimizeCG is GaussNewton without a matrix. A step that does not make the value smaller
// is halved.
func minimizeCG(ctx context.Context, f Products, x0 []float64, s Settings) (Outcome, error) {
	n := len(x0)
	if s.Iterations == 0 {
		s.Iterations = gnIterations
	}
	out := Outcome{X: append([]float64(nil), x0...), Gap: math.Inf(1)}
	g, trial, trialG := make([]float64, n), make([]float64, n), make([]float64, n)
	var err error
	if out.Value, err = f.Gradient(ctx, out.X, g); err != nil {
		return out, err
	}
	out.Passes++
	if !Finite(out.Value, g) {
		return out, ErrNotFinite
	}
	tolerance := roughCG
	for n > 0 && !out.Converged && out.Iterations < s.Iterations {
		h, err := f.Products(ctx, out.X)
		if err != nil {
			return out, err
		}
		delta, energy, err := SolveCG(ctx, h, g, tolerance)
		if err != nil {
			return out, err
		}
		floats.Scale(-1, delta)
		out.Gap = energy / 2
		if out.Gap <= exactGap*s.Gap && tolerance > exactCG {
			tolerance = exactCG
			continue
		}
		out.Converged = out.Gap <= s.Gap && s.Region.running(delta) == nil
		moved := false
		for try := 0; try < gnRetries && !moved; try++ {
			floats.AddTo(trial, out.X, delta)
			s.Region.clampAll(trial)
			value, err := f.Gradient(ctx, trial, trialG)
			out.Passes++
			if err != nil {
				return out, err
			}
			if moved = value < out.Value && Finite(value, trialG); moved {
				out.Value = value
				copy(out.X, trial)
				g, trialG = trialG, g
			} else if out.Converged {
				break
			}
			floats.Scale(0.5, delta)
		}
		if !moved {
			out.Converged = out.Gap <= s.Gap
			return out, nil
		}
		out.Iterations++
		if s.Step != nil {
			s.Step(out.Iterations, out.X, out.Value, out.Gap)
		}
		if s.Limit > 0 && floats.Norm(out.X, math.Inf(1)) > s.Limit {
			return out, ErrDiverged
		}
		if s.Region.left(out.X) {
			return out, nil
		}
	}
	out.Converged = out.Converged || n == 0
	return out, nil
}

// gapCG sets the outcome's gap by conjugate gradients.
func gapCG(ctx context.Context, f Products, out *Outcome, g []float64, s Settings) error {
	h, err := f.Products(ctx, out.X)
	if err != nil {
		return err
	}
	_, energy, err := SolveCG(ctx, h, g, roughCG)
	if err != nil {
		return err
	}
	out.Gap = energy / 2
	out.Converged = out.Gap <= s.Gap
	return nil
}
