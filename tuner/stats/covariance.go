package stats

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/dense"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// covariance knows how uncertain the parameters of a fit are.
//
// With H the Gauss-Newton matrix of the sum of losses, P the diagonal of the
// prior's precisions, A = H + D P and u_c the score of cluster c (all rows of
// a game, or of an opening), the clustered covariance of the estimate is
//
//	V = A^-1 (sum_c (u_c - mean u)(u_c - mean u)') A^-1 * C/(C-1) * (N-1)/(N-p)
//
// the sandwich of Huber (1967) and White (1980), clustered after Liang and
// Zeger (1986), with p the effective number of parameters tr(H A^-1). The
// naive one takes every row for a cluster. Both are about the penalized
// target: what the fit would be with endless games, held by the same prior. With
// up to jackknifeClusters clusters, V is the jackknife's.
type Covariance struct {
	Inverse   *mat.SymDense // A^-1
	v         *mat.Dense    // clustered, symmetric
	naive     *mat.SymDense // the naive meat, with its factor
	clustered float64       // tr(A^-1 meat)
	Parts     DesignParts
	w         objective.Tapered // coefficients
	Sums      *ClusterSums
	factor    float64 // of v, for finite numbers of clusters and rows
	Effective float64 // tr(H A^-1)
	Ridge     bool    // A was singular and had to be helped

	clusteredScale, naiveScale scaling
}

// scaling is what the errors of rescaled weights need. The factor of the rescaling,
// s = constant / RMS, depends on theta through the RMS evaluation. Let g be the derivative of
// ln RMS: then that of s a'w is s (a - (a'w) g), which is the delta method. The zero value is
// for a constant factor.
type scaling struct {
	vg  []float64 // V g
	gvg float64   // g'V g
}

// variance returns that of a'w when rescaled, by the factor squared: from the variance of
// a'theta, its covariance with g'theta, and the value of a'w.
func (s *scaling) variance(of, with, value float64) float64 {
	return of - float64(2*value*with) + float64(value*value*s.gvg)
}

// at returns the covariance of parameter j with g'theta.
func (s *scaling) at(j int) float64 {
	if s.vg == nil {
		return 0
	}
	return s.vg[j]
}

// dot returns the covariance of a'theta with g'theta.
func (s *scaling) dot(a []float64) float64 {
	if s.vg == nil {
		return 0
	}
	return floats.Dot(a, s.vg)
}

// Rescale makes all standard errors those of weights that are rescaled to an RMS
// evaluation. The gradient, by parameter, is of the logarithm of the RMS evaluation before it.
func (v *Covariance) Rescale(gradient []float64) {
	if len(gradient) == 0 {
		return
	}
	g := mat.NewVecDense(len(gradient), gradient)
	by := func(matrices ...mat.Matrix) scaling {
		x := mat.VecDenseCopyOf(g)
		for _, m := range matrices {
			next := mat.NewVecDense(len(gradient), nil)
			next.MulVec(m, x)
			x = next
		}
		return scaling{x.RawVector().Data, mat.Dot(g, x)}
	}
	v.clusteredScale = by(v.v)
	v.naiveScale = by(v.Inverse, v.naive, v.Inverse)
}

// designParts are the two factors of the design effect: clustering is what
// dependence within clusters adds to the variance of a sum of scores,
// dispersion is how much a single row varies against what the loss expects
// (below 1 for cross-entropy of games with draws).
type DesignParts struct{ Clustering, Dispersion float64 }

// NewCovariance computes what the variances of parameters at theta need. If it is likely the
// last, which Finish is called of, some of what that needs comes cheaper now.
func NewCovariance(ctx context.Context, o *objective.Penalized, c *rows.Clusters, theta []float64, last bool) (*Covariance, error) {
	w := objective.NewTapered(o.Problem.Store.Terms())
	o.Params.Expand(theta, w)
	sums, information, naive, err := sumClusters(ctx, o.Problem, c, o.Params, w, last)
	if err != nil {
		return nil, err
	}
	v := &Covariance{Sums: sums, w: w}
	if naive != nil {
		v.naive = o.Params.HoldOut(o.Params.FoldGram(naive))
	}
	h := o.Params.FoldGram(information)
	o.Known.Set(theta, h)
	h = o.Params.HoldOut(h)
	v.invert(h, o)
	v.Sums.meat = o.Params.HoldOut(v.Sums.meat)
	v.Effective = dotSym(v.Inverse, h)
	v.clustered = dotSym(v.Inverse, v.Sums.meat)
	return v, nil
}

// design returns the estimate of D, or 0 if there is none: by how much the
// spread of the clusters' scores exceeds what the loss expects of independent
// rows. Of few clusters the fit leaves next to no spread, but rows cannot say
// more than independent ones do, and how much these vary is known besides.
func (v *Covariance) Design(ctx context.Context, p *objective.Problem) (float64, error) {
	spread, err := p.Dispersion(ctx, v.w)
	if err != nil || v.Effective <= 0 {
		return 0, err
	}
	return max(v.clustered/v.Effective, spread), nil
}

// finish computes what estimating the design effect does not need.
func (v *Covariance) Finish(ctx context.Context, o *objective.Penalized, c *rows.Clusters, theta []float64, few bool) error {
	n := v.Inverse.SymmetricDim()
	v.Parts = DesignParts{Clustering: 1, Dispersion: 1}
	if n == 0 {
		v.v, v.naive = &mat.Dense{}, &mat.SymDense{}
		return nil
	}
	if v.naive == nil {
		grams, err := o.Problem.Gram(ctx, v.w, objective.SquaredSlope)
		if err != nil {
			return err
		}
		v.naive = o.Params.HoldOut(o.Params.FoldGram(grams[0]))
	}
	if naive := dotSym(v.Inverse, v.naive); v.Effective > 0 && naive > 0 {
		v.Parts = DesignParts{Clustering: v.clustered / naive, Dispersion: naive / v.Effective}
	}
	var small float64
	small, v.factor = finiteSample(o.Problem, v.Effective, v.Sums.N)
	v.naive.ScaleSym(small, v.naive)
	if few {
		if err := v.jackknife(ctx, o, c, theta); err != nil {
			return err
		}
	}
	v.v = symMul(v.Inverse, symMul(v.Sums.meat, mat.DenseCopyOf(v.Inverse)))
	v.v.Scale(v.factor, v.v)
	return nil
}

// invert sets A^-1.
func (v *Covariance) invert(h *mat.SymDense, o *objective.Penalized) {
	a := mat.NewSymDense(h.SymmetricDim(), nil)
	a.CopySym(h)
	v.Inverse, v.Ridge = invert(a, o)
}

// invert returns A^-1, and whether A is singular, from H, which it overwrites. Directions
// that neither data nor prior know are given a tiny precision, so that their variance is
// not infinite but absurd.
func invert(a *mat.SymDense, o *objective.Penalized) (inverse *mat.SymDense, ridge bool) {
	n := a.SymmetricDim()
	for j := range n {
		a.SetSym(j, j, a.At(j, j)+float64(o.Design*o.Params.Precision(j)))
		if o.Params.Stuck(j) {
			a.SetSym(j, j, 1) // of no matter: its row and column are 0
		}
	}
	if factor := optimize.Factorize(a); factor != nil {
		return factor.Inverse(), factor.Ridge > 0
	}
	return mat.NewSymDense(n, nil), false
}

// finiteSample returns the factors of the naive and the clustered covariance for finite
// numbers of clusters and rows.
func finiteSample(p *objective.Problem, effective float64, clusters int) (naive, clustered float64) {
	rows := 0.0
	for _, c := range p.Omega {
		for _, o := range c {
			if o > 0 {
				rows++
			}
		}
	}
	small := 1.0
	if rows > effective+1 {
		small = (rows - 1) / (rows - effective)
	}
	naive, clustered = small, small
	if c := float64(clusters); c > 1 {
		clustered *= c / (c - 1)
	}
	return naive, clustered
}

// NaiveErrors returns a function for the standard error of parameter j, whose coefficient
// is w before the rescaling, under the naive meat.
func (v *Covariance) NaiveErrors() func(j int, w float64) float64 {
	full := mat.DenseCopyOf(v.Inverse)
	m := symMul(v.naive, full)
	return func(j int, w float64) float64 {
		// v_jj = (A^-1)_j' meat (A^-1)_j, and A^-1 is symmetric.
		of := 0.0
		for k := range v.Inverse.SymmetricDim() {
			of += float64(full.At(j, k) * m.At(k, j))
		}
		return math.Sqrt(max(0, v.naiveScale.variance(of, v.naiveScale.at(j), w)))
	}
}

// symMul returns the product of a symmetric and a general matrix.
func symMul(a *mat.SymDense, b *mat.Dense) *mat.Dense {
	rows, cols := b.Dims()
	m := mat.NewDense(rows, cols, nil)
	dense.AddMul(m.RawMatrix(), mat.DenseCopyOf(a).RawMatrix(), b.RawMatrix())
	return m
}

// FewestClusters is the number of clusters from which there are clustered standard errors.
// At the optimum the scores of all clusters add up to next to nothing, so that those of one
// or two show no spread.
const FewestClusters = 3

// root returns the standard error for a clustered variance, NaN if there are too few clusters.
func (v *Covariance) root(variance float64) float64 {
	if v.Sums.N < FewestClusters {
		return math.NaN()
	}
	return math.Sqrt(max(0, variance))
}

// SE returns the clustered standard error of parameter j, whose coefficient is w before
// the rescaling.
func (v *Covariance) SE(j int, w float64) float64 {
	return v.root(v.clusteredScale.variance(v.v.At(j, j), v.clusteredScale.at(j), w))
}

// contrast implements Errors.
func (v *Covariance) contrast(_ context.Context, a []float64, value float64) (float64, error) {
	total := 0.0
	for j, x := range a {
		if x != 0 {
			total += float64(x * floats.Dot(v.v.RawRowView(j), a))
		}
	}
	return v.root(v.clusteredScale.variance(total, v.clusteredScale.dot(a), value)), nil
}

// deviation implements Errors.
func (v *Covariance) deviation(_ context.Context, mean []float64) func(j int, value float64) (Float, error) {
	vm := make([]float64, len(mean))
	for j := range vm {
		vm[j] = floats.Dot(v.v.RawRowView(j), mean)
	}
	mvm, scale := floats.Dot(mean, vm), &v.clusteredScale
	with := scale.dot(mean)
	return func(j int, value float64) (Float, error) {
		if j == objective.Fixed {
			return Float(v.root(scale.variance(mvm, -with, value))), nil
		}
		return Float(v.root(scale.variance(v.v.At(j, j)-float64(2*vm[j])+mvm, scale.at(j)-with, value))), nil
	}
}

// dotSym returns the trace of the product of two symmetric matrices.
func dotSym(a, b *mat.SymDense) float64 {
	n := a.SymmetricDim()
	total := 0.0
	ra, rb := a.RawSymmetric(), b.RawSymmetric()
	for j := range n {
		x, y := ra.Data[j*ra.Stride:j*ra.Stride+n], rb.Data[j*rb.Stride:j*rb.Stride+n]
		total += float64(x[j]*y[j]) + float64(2*floats.Dot(x[j+1:], y[j+1:]))
	}
	return total
}

// share is 1 - D P_jj (A^-1)_jj: these add up to tr(H A^-1).
func (v *Covariance) Share(o *objective.Penalized, j int) float64 {
	return share(o, j, v.Inverse.At(j, j))
}

// share is Covariance.Share, from element jj of A^-1.
func share(o *objective.Penalized, j int, inverse float64) float64 {
	if o.Params.Stuck(j) {
		return 0
	}
	return min(1, max(0, 1-float64(o.Design*o.Params.Precision(j)*inverse)))
}
