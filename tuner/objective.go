package tuner

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// objective is a problem with its prior, as a function of the parameters: the
// changes of coefficients in centipawns.
type objective struct {
	p      *problem
	params *params
	design float64 // D
	w, g   halves  // scratch
	known  *known  // the last information, whatever the objective it was taken for
}

// known is the information at a point: it depends on neither design effect nor
// prior, so that the estimate of the one and the minimisation under it share it.
type known struct {
	theta       []float64
	information *mat.SymDense
}

func newObjective(p *problem, q *params, design float64) *objective {
	return &objective{p: p, params: q, design: design, w: newHalves(p.s.terms), g: newHalves(p.s.terms), known: new(known)}
}

// Dim implements Objective.
func (o *objective) Dim() int { return o.params.n }

// Gradient implements Objective.
func (o *objective) Gradient(ctx context.Context, theta, g []float64) (float64, error) {
	o.params.expand(theta, o.w)
	var dst halves
	if g != nil {
		clear(o.g.mg)
		clear(o.g.eg)
		dst = o.g
	}
	value, err := o.p.gradient(ctx, o.w, dst)
	if err != nil {
		return 0, err
	}
	value /= o.design
	if g != nil {
		o.params.fold(o.g, g)
		for j := range g {
			g[j] /= o.design
		}
	}
	for j, x := range theta {
		d, prec := x-o.params.centre[j], o.params.precision(j)
		value += 0.5 * prec * d * d
		if g != nil {
			g[j] += prec * d
		}
	}
	return value, nil
}

// Curvature implements Objective.
func (o *objective) Curvature(ctx context.Context, theta []float64) (*mat.SymDense, error) {
	info, err := o.information(ctx, theta)
	if err != nil {
		return nil, err
	}
	h := mat.NewSymDense(len(theta), nil)
	h.ScaleSym(1/o.design, info)
	for j := range theta {
		h.SetSym(j, j, h.At(j, j)+o.params.precision(j))
	}
	return h, nil
}

// information is the Gauss-Newton matrix of the sum of losses alone, before
// the design effect and the prior.
func (o *objective) information(ctx context.Context, theta []float64) (*mat.SymDense, error) {
	if slices.Equal(o.known.theta, theta) {
		return o.known.information, nil
	}
	o.params.expand(theta, o.w)
	g, err := o.p.gram(ctx, o.w, curvatureWeight)
	if err != nil {
		return nil, err
	}
	o.known.set(theta, o.params.foldGram(g[0]))
	return o.known.information, nil
}

func (k *known) set(theta []float64, information *mat.SymDense) {
	k.theta, k.information = slices.Clone(theta), information
}
