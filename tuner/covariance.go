package tuner

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
// naive one takes every row for a cluster. Both are about the penalised
// target: what the fit would be with endless games, held by the same prior. With
// up to jackknifeClusters clusters, V is the jackknife's.
type covariance struct {
	inverse   *mat.SymDense // A^-1
	v         *mat.Dense    // clustered, symmetric
	naive     *mat.SymDense // the naive meat, with its factor
	clustered float64       // tr(A^-1 meat)
	parts     designParts
	w         halves // coefficients
	sums      *clusterSums
	factor    float64 // of v, for finite numbers of clusters and rows
	effective float64 // tr(H A^-1)
	ridge     bool    // A was singular and had to be helped
}

// designParts are the two factors of the design effect: clustering is what
// dependence within clusters adds to the variance of a sum of scores,
// dispersion is how much a single row varies against what the loss expects
// (below 1 for cross-entropy of games with draws).
type designParts struct{ clustering, dispersion float64 }

// newCovariance computes what the variances of parameters at theta need.
func newCovariance(ctx context.Context, o *objective, c *clusters, theta []float64) (*covariance, error) {
	w := newHalves(o.p.s.terms)
	o.params.expand(theta, w)
	sums, information, err := o.p.clusterSums(ctx, c, o.params, w)
	if err != nil {
		return nil, err
	}
	v := &covariance{sums: sums, w: w}
	h := o.params.foldGram(information)
	o.known.set(theta, h)
	h = o.params.holdOut(h)
	v.invert(h, o)
	v.sums.meat = o.params.holdOut(v.sums.meat)
	v.effective = dotSym(v.inverse, h)
	v.clustered = dotSym(v.inverse, v.sums.meat)
	return v, nil
}

// design returns the estimate of D, or 0 if there is none: by how much the
// spread of the clusters' scores exceeds what the loss expects of independent
// rows. Of few clusters the fit leaves next to no spread, but rows cannot say
// more than independent ones do, and how much these vary is known besides.
func (v *covariance) design(ctx context.Context, p *problem) (float64, error) {
	spread, err := p.spread(ctx, v.w)
	if err != nil || v.effective <= 0 {
		return 0, err
	}
	return max(v.clustered/v.effective, spread), nil
}

// finish computes what estimating the design effect does not need.
func (v *covariance) finish(ctx context.Context, o *objective, c *clusters, theta []float64, few bool) error {
	n := v.inverse.SymmetricDim()
	v.parts = designParts{clustering: 1, dispersion: 1}
	if n == 0 {
		v.v, v.naive = &mat.Dense{}, &mat.SymDense{}
		return nil
	}
	grams, err := o.p.gram(ctx, v.w, slopeWeight)
	if err != nil {
		return err
	}
	v.naive = o.params.holdOut(o.params.foldGram(grams[0]))
	if naive := dotSym(v.inverse, v.naive); v.effective > 0 && naive > 0 {
		v.parts = designParts{clustering: v.clustered / naive, dispersion: naive / v.effective}
	}
	v.finiteSample(o.p)
	if few {
		if err := v.jackknife(ctx, o, c, theta); err != nil {
			return err
		}
	}
	v.v = symMul(v.inverse, symMul(v.sums.meat, mat.DenseCopyOf(v.inverse)))
	v.v.Scale(v.factor, v.v)
	return nil
}

// invert sets A^-1. Directions that neither data nor prior know are given a
// tiny precision, so that their variance is not infinite but absurd.
func (v *covariance) invert(h *mat.SymDense, o *objective) {
	n := h.SymmetricDim()
	a := mat.NewSymDense(n, nil)
	a.CopySym(h)
	largest := 0.0
	for j := range n {
		a.SetSym(j, j, h.At(j, j)+o.design*o.params.precision(j))
		if o.params.stuck(j) {
			a.SetSym(j, j, 1) // of no matter: its row and column are 0
		}
		largest = max(largest, a.At(j, j))
	}
	var chol mat.Cholesky
	for ridge := 0.0; ; ridge = max(ridge*10, largest*1e-12) {
		if ridge > 0 {
			v.ridge = true
			for j := range n {
				a.SetSym(j, j, a.At(j, j)+ridge)
			}
		}
		if largest == 0 {
			v.inverse = mat.NewSymDense(n, nil)
			return
		}
		if chol.Factorize(a) && chol.Cond() < 1e15 {
			break
		}
	}
	v.inverse = mat.NewSymDense(n, nil)
	// The condition is known to be tolerable, so the error can only repeat it.
	_ = chol.InverseTo(v.inverse)
}

// finiteSample applies the factors for finite numbers of clusters and rows.
func (v *covariance) finiteSample(p *problem) {
	rows := 0.0
	for _, c := range p.omega {
		for _, o := range c {
			if o > 0 {
				rows++
			}
		}
	}
	small := 1.0
	if rows > v.effective+1 {
		small = (rows - 1) / (rows - v.effective)
	}
	v.naive.ScaleSym(small, v.naive)
	if c := float64(v.sums.n); c > 1 {
		small *= c / (c - 1)
	}
	v.factor = small
}

// naiveErrors returns the standard error of each parameter under the naive meat.
func (v *covariance) naiveErrors() []float64 {
	full := mat.DenseCopyOf(v.inverse)
	m := symMul(v.naive, full)
	out := make([]float64, v.inverse.SymmetricDim())
	for j := range out {
		// v_jj = (A^-1)_j' meat (A^-1)_j, and A^-1 is symmetric.
		s := 0.0
		for k := range out {
			s += full.At(j, k) * m.At(k, j)
		}
		out[j] = math.Sqrt(max(s, 0))
	}
	return out
}

// symMul returns the product of a symmetric and a general matrix. It goes
// through the general product, which gonum does with all cores and in an order
// that does not depend on them.
func symMul(a *mat.SymDense, b *mat.Dense) *mat.Dense {
	var m mat.Dense
	m.Mul(mat.DenseCopyOf(a), b)
	return &m
}

// at returns the clustered covariance V of two parameters.
func (v *covariance) at(j, k int) float64 { return v.v.At(j, k) }

// contrast returns the clustered standard error of a'theta.
func (v *covariance) contrast(a []float64) float64 {
	total := 0.0
	for j, x := range a {
		if x != 0 {
			total += x * floats.Dot(v.v.RawRowView(j), a)
		}
	}
	return math.Sqrt(max(total, 0))
}

// deviations returns a function for the clustered standard error of
// theta_j - mean'theta, j = fixed standing for a constant.
func (v *covariance) deviations(mean []float64) func(j int) float64 {
	vm := make([]float64, len(mean))
	for j := range vm {
		vm[j] = floats.Dot(v.v.RawRowView(j), mean)
	}
	mvm := floats.Dot(mean, vm)
	return func(j int) float64 {
		if j == fixed {
			return math.Sqrt(max(mvm, 0))
		}
		return math.Sqrt(max(v.at(j, j)-2*vm[j]+mvm, 0))
	}
}

// dotSym returns the trace of the product of two symmetric matrices.
func dotSym(a, b *mat.SymDense) float64 {
	n := a.SymmetricDim()
	total := 0.0
	ra, rb := a.RawSymmetric(), b.RawSymmetric()
	for j := range n {
		x, y := ra.Data[j*ra.Stride:j*ra.Stride+n], rb.Data[j*rb.Stride:j*rb.Stride+n]
		total += x[j]*y[j] + 2*floats.Dot(x[j+1:], y[j+1:])
	}
	return total
}
