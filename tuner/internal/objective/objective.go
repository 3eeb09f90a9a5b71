package objective

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/autodiff"
)

// objective is a problem with its prior, as a function of the parameters: the
// changes of coefficients in centipawns.
type Penalized struct {
	Problem *Problem
	Params  *Params
	Design  float64 // D
	w, g    Tapered // scratch
	Known   *Known  // the last information, whatever the objective it was taken for
}

// Known is the information at a point: it depends on neither design effect nor
// prior, so that the estimate of the one and the minimization under it share it.
type Known struct {
	Theta       []float64
	Information *mat.SymDense
}

func New(p *Problem, q *Params, design float64) *Penalized {
	return &Penalized{Problem: p, Params: q, Design: design, w: NewTapered(p.Store.Terms()),
		g: NewTapered(p.Store.Terms()), Known: new(Known)}
}

// Dim implements Objective.
func (o *Penalized) Dim() int { return o.Params.N }

// Gradient implements Objective.
func (o *Penalized) Gradient(ctx context.Context, theta, g []float64) (float64, error) {
	o.Params.Expand(theta, o.w)
	var dst Tapered
	if g != nil {
		clear(o.g.MG)
		clear(o.g.EG)
		dst = o.g
	}
	value, err := o.Problem.Gradient(ctx, o.w, dst)
	if errors.Is(err, autodiff.ErrRow) { // a step into what the formula does not have
		return math.Inf(1), nil
	}
	if err != nil {
		return 0, err
	}
	value /= o.Design
	if g != nil {
		o.Params.Fold(o.g, g)
		for j := range g {
			g[j] /= o.Design
		}
	}
	for j, x := range theta {
		d, prec := x-o.Params.Center[j], o.Params.Precision(j)
		value += num.Rounded(0.5 * prec * d * d)
		if g != nil {
			g[j] += num.Rounded(prec * d)
		}
	}
	return value, nil
}

// Curvature implements Objective.
func (o *Penalized) Curvature(ctx context.Context, theta []float64) (*mat.SymDense, error) {
	info, err := o.information(ctx, theta)
	if err != nil {
		return nil, err
	}
	h := mat.NewSymDense(len(theta), nil)
	h.ScaleSym(1/o.Design, info)
	for j := range theta {
		h.SetSym(j, j, h.At(j, j)+o.Params.Precision(j))
	}
	return h, nil
}

// information is the Gauss-Newton matrix of the sum of losses alone, before the design effect and the prior.
func (o *Penalized) information(ctx context.Context, theta []float64) (*mat.SymDense, error) {
	if slices.Equal(o.Known.Theta, theta) {
		return o.Known.Information, nil
	}
	o.Params.Expand(theta, o.w)
	g, err := o.Problem.Gram(ctx, o.w, Curvature)
	if err != nil {
		return nil, err
	}
	o.Known.Set(theta, o.Params.FoldGram(g[0]))
	return o.Known.Information, nil
}

func (k *Known) Set(theta []float64, information *mat.SymDense) {
	k.Theta, k.Information = slices.Clone(theta), information
}
