package objective

import (
	"context"
	"math"

	"github.com/assay-chess/assay/tuner/optimize"
)

// Large is a Penalized whose matrices do not fit into memory:
// its Gauss-Newton matrix is known by its products.
type Large struct{ *Penalized }

// Products implements optimize.Products.
func (o Large) Products(ctx context.Context, theta []float64) (optimize.Operator, error) {
	return o.Information(ctx, theta, 1/o.Design, 1)
}

// Information is the matrix data*H + prior*P, with H the Gauss-Newton matrix of the sum of
// losses and P the prior's precisions. Parameters held at a bound have neither.
type Information struct {
	problem     *Problem
	params      *Params
	data, prior float64
	curvature   [][]float64 // of the loss, by chunk and row
	diagonal    []float64
	v, out      Tapered
}

// Information returns the matrix at theta.
func (o *Penalized) Information(ctx context.Context, theta []float64, data, prior float64) (*Information, error) {
	terms := o.Problem.Store.Terms()
	h := &Information{
		problem: o.Problem, params: o.Params, data: data, prior: prior,
		diagonal: make([]float64, o.Params.N), v: NewTapered(terms), out: NewTapered(terms),
	}
	for _, c := range o.Problem.Store.Chunks {
		h.curvature = append(h.curvature, make([]float64, c.Rows))
	}
	w := NewTapered(terms)
	o.Params.Expand(theta, w)
	square := NewTapered(terms) // the diagonal, but for what tied halves share
	err := o.Problem.EachDerivative(ctx, w, func(chunk, row int, _, curvature float64, parts []Part) {
		c := o.Problem.Store.Chunks[chunk]
		for _, e := range parts {
			v := float64(e.Count)
			square.MG[e.Term] += float64(curvature * e.MG * e.MG * v * v)
			square.EG[e.Term] += float64(curvature * e.EG * e.EG * v * v)
		}
		if s := c.ScaleOf(row); s != 0 {
			h.curvature[chunk][row] = curvature / (s * s)
		}
	})
	if err != nil {
		return nil, err
	}
	o.Params.Fold(square, h.diagonal)
	for j := range h.diagonal {
		h.diagonal[j] = float64(data*h.diagonal[j]) + float64(prior*o.Params.Precision(j))
	}
	return h, nil
}

// Diagonal implements optimize.Operator.
func (h *Information) Diagonal() []float64 { return h.diagonal }

// Multiply implements optimize.Operator.
func (h *Information) Multiply(ctx context.Context, x, out []float64) error {
	largest := 0.0
	for j, v := range x {
		if !h.params.Stuck(j) {
			largest = max(largest, math.Abs(v))
		}
	}
	clear(out)
	if largest == 0 {
		return nil
	}
	// Scaled, so that rows' offsets, which are added and subtracted, take no digits.
	for t := range h.v.MG {
		h.v.MG[t], h.v.EG[t] = 0, 0
		if j := h.params.MG[t]; j != Fixed && !h.params.Stuck(j) {
			h.v.MG[t] = x[j] / largest
		}
		if j := h.params.EG[t]; j != Fixed && !h.params.Stuck(j) {
			h.v.EG[t] = x[j] / largest
		}
	}
	clear(h.out.MG)
	clear(h.out.EG)
	_, err := h.problem.gradient(ctx, h.v, h.out, func(i int, x []float64) float64 {
		offset := h.problem.Store.Chunks[i].Offset
		for j, c := range h.curvature[i] {
			if offset != nil {
				x[j] -= float64(offset[j])
			}
			x[j] *= c
		}
		return 0
	})
	if err != nil {
		return err
	}
	h.params.Fold(h.out, out)
	for j := range out {
		out[j] = float64(h.data*largest*out[j]) + float64(h.prior*h.params.Precision(j)*x[j])
		if h.params.Stuck(j) {
			out[j] = 0
		}
	}
	return nil
}

// WeightedSum adds to g the sum over rows of a weight times the derivatives of the row's
// evaluation. weights writes those of a chunk.
func (p *Problem) WeightedSum(ctx context.Context, g Tapered, weights func(chunk int, out []float64)) error {
	_, err := p.gradient(ctx, NewTapered(p.Store.Terms()), g, func(i int, x []float64) float64 {
		weights(i, x)
		return 0
	})
	return err
}
