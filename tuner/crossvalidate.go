package tuner

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
)

// foldGap is the distance in mean loss from the optimum at which the fit of a fold stops.
const foldGap = 1e-7

// crossValidation refits the coefficients without each fold of the games, the last fit for
// start. Scale, design effect and priors are the last fit's.
type crossValidation struct {
	f       *fitting
	all     *objective.Problem // every row trained on
	folds   int
	fold    []int // by cluster; -1: never held out
	theta   []float64
	parts   []*mat.SymDense // information by fold at theta; the last of rows that no fold holds out
	whole   *mat.SymDense   // their sum
	rescale float64         // from the fit to the weights as written
}

// newCrossValidation prepares it; nil if there are too few games.
func (f *fitting) newCrossValidation(ctx context.Context, rescale float64) (*crossValidation, error) {
	c := f.split.clusters
	fold, n := c.Folds(max(1, f.c.Folds), f.c.Seed)
	if n < 2 {
		return nil, nil
	}
	all := &objective.Problem{Store: f.s, Loss: f.c.Loss, K: f.slope.k, Target: f.train.Target, Workers: f.c.Workers}
	all.Omega, _ = f.s.Split(c, 0, 0)
	v := &crossValidation{f: f, all: all, folds: n, fold: fold, theta: f.at.theta, rescale: rescale}
	return v, v.informations(ctx)
}

// informations takes the information of each fold at theta, in one pass.
func (v *crossValidation) informations(ctx context.Context) error {
	w := objective.NewTapered(len(v.f.terms))
	v.f.free.Expand(v.theta, w)
	var factors []objective.RowFactor
	for k := range v.folds + 1 {
		factors = append(factors, func(chunk, row int, _, curvature float64) float64 {
			if at := v.foldOf(chunk, row); at == k || at < 0 && k == v.folds {
				return curvature
			}
			return 0
		})
	}
	grams, err := v.all.Gram(ctx, w, factors...)
	if err != nil {
		return err
	}
	v.whole = mat.NewSymDense(v.f.free.N, nil)
	for _, g := range grams {
		part := v.f.free.FoldGram(g)
		v.parts = append(v.parts, part)
		v.whole.AddSym(v.whole, part)
	}
	return nil
}

func (v *crossValidation) foldOf(chunk, row int) int {
	return v.fold[v.f.split.clusters.Of[v.f.s.Chunks[chunk].Game[row]]]
}

// without returns the problem without a fold, which it holds out.
func (v *crossValidation) without(fold int) *objective.Problem {
	p := *v.all
	p.Omega, p.Held = nil, make([]bool, len(v.f.split.clusters.Of))
	for g, c := range v.f.split.clusters.Of {
		p.Held[g] = v.fold[c] == fold
	}
	for i, k := range v.f.s.Chunks {
		w := make([]float32, k.Rows)
		for j, g := range k.Game {
			if !p.Held[g] {
				w[j] = v.all.Omega[i][j]
			}
		}
		p.Omega = append(p.Omega, w)
	}
	return &p
}

// run holds every fold out once, with the widths of the priors multiplied by a factor.
func (v *crossValidation) run(ctx context.Context, factor float64) (*clusterLosses, error) {
	sums := newClusterLosses(v.f.split.clusters)
	start := predictor{w: objective.StartOf(v.f.terms)}
	var err error
	if start.k, err = v.f.slopeOf(ctx, v.all, start.w, v.f.slope.k); err != nil {
		return nil, err
	}
	for fold := range v.folds {
		v.f.c.progress(int64(fold), int64(v.folds), "cross-validation")
		p := v.without(fold)
		tuned, err := v.refit(ctx, p, fold, factor)
		if err != nil {
			return nil, err
		}
		if err := sums.add(ctx, p, objective.HeldOut, start, tuned); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// refit returns the weights that are fitted without a fold, with their slope.
func (v *crossValidation) refit(ctx context.Context, p *objective.Problem, fold int, factor float64) (predictor,
	error) {
	params, of := v.f.free.Without(make([]bool, len(v.f.terms)))
	params.Widen(factor)
	w, err := v.fit(ctx, p, fold, params, of)
	if err != nil {
		return predictor{}, err
	}
	k, err := v.f.slopeOf(ctx, p, w, p.K)
	return predictor{w, k}, err
}

// fit returns the weights that are fitted without a fold, or to all if that is -1, rounded as those of the fit are. Of
// are the numbers of the parameters in the fit to all.
func (v *crossValidation) fit(ctx context.Context, p *objective.Problem, fold int, params *objective.Params,
	of []int) (w objective.Tapered, err error) {
	f := v.f
	o := objective.New(p, params, f.at.design)
	theta, known := make([]float64, params.N), mat.NewSymDense(params.N, nil)
	for i, a := range of {
		theta[i] = v.theta[a]
		for j := i; j < params.N; j++ {
			known.SetSym(i, j, v.whole.At(a, of[j]))
			if fold >= 0 {
				known.SetSym(i, j, known.At(i, j)-v.parts[fold].At(a, of[j]))
			}
		}
	}
	o.Known.Set(theta, known)
	weight := 0.0
	for _, c := range p.Omega {
		for _, o := range c {
			weight += float64(o)
		}
	}
	s := optimize.Settings{Gap: foldGap * weight / f.at.design}
	if f.s.Bend() != nil {
		s.Idle = 10 * s.Gap
	}
	out, err := params.Box.Minimize(ctx, optimize.GaussNewton{}, o, theta, s)
	if err != nil {
		return w, fmt.Errorf("fold %d: %w", fold+1, err)
	}
	w = objective.NewTapered(len(f.terms))
	params.Expand(out.X, w)
	for t := range w.MG {
		w.MG[t], w.EG[t] = math.Round(w.MG[t]*v.rescale)/v.rescale, math.Round(w.EG[t]*v.rescale)/v.rescale
	}
	return w, nil
}
