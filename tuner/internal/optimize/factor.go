package optimize

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/dense"
)

// Factor solves equations with a symmetric, positive semidefinite matrix h.
//
// A well-conditioned h is factorized as it is. Otherwise it is first scaled to a unit
// diagonal (Jacobi), so that a variable that is merely small, or rarely matters, does not
// count as singular. If it is singular even so, a ridge is added to the unit diagonal:
// then the solution is, but for a part of about the ridge, the smallest in that scale.
type Factor struct {
	chol  *dense.Cholesky
	scale []float64 // 1/sqrt(h_jj); nil: h was not scaled
	// Ridge is what was added to the unit diagonal; 0 if h is not singular.
	Ridge float64
}

const (
	largestCond   = 1e12  // condition number from which a matrix counts as singular
	smallestRidge = 1e-11 // of a unit diagonal: above the rounding of sums over rows
)

// Factorize returns the factor of h. It is nil if h is not finite, or has eigenvalues far below 0.
func Factorize(h *mat.SymDense) *Factor {
	if c := dense.Factorize(h.RawSymmetric()); c != nil && c.Cond() <= largestCond {
		return &Factor{chol: c}
	}
	return factorizeScaled(h, 0)
}

// factorizeScaled is Factorize for a matrix that is known to need at least that ridge.
func factorizeScaled(h *mat.SymDense, ridge float64) *Factor {
	n := h.SymmetricDim()
	f := &Factor{scale: make([]float64, n)}
	for j := range n {
		f.scale[j] = 1
		if d := h.At(j, j); d > 0 {
			f.scale[j] = 1 / math.Sqrt(d)
		}
	}
	a := mat.NewSymDense(n, nil)
	for f.Ridge = ridge; f.Ridge < 1; f.Ridge = max(10*f.Ridge, smallestRidge) {
		for j := range n {
			for k := j; k < n; k++ {
				a.SetSym(j, k, f.scale[j]*h.At(j, k)*f.scale[k])
			}
			if a.At(j, j) <= 0 {
				a.SetSym(j, j, 1) // nothing is known of it: it stays where it is
			}
			a.SetSym(j, j, a.At(j, j)+f.Ridge)
		}
		f.chol = dense.Factorize(a.RawSymmetric())
		if f.chol != nil && (f.Ridge > 0 || f.chol.Cond() <= largestCond) {
			return f
		}
	}
	return nil
}

// Solve returns -h^-1 g.
func (f *Factor) Solve(g []float64) ([]float64, error) {
	out := slices.Clone(g)
	if f.scale != nil {
		floats.Mul(out, f.scale)
	}
	f.chol.Solve(out)
	floats.Scale(-1, out)
	if f.scale != nil {
		floats.Mul(out, f.scale)
	}
	if !Finite(0, out) {
		return nil, errNotFinite
	}
	return out, nil
}

// Inverse returns h^-1.
func (f *Factor) Inverse() *mat.SymDense {
	n := f.chol.N()
	out := mat.NewSymDense(n, f.chol.Inverse().Data)
	for j := 0; j < n && f.scale != nil; j++ {
		for k := j; k < n; k++ {
			out.SetSym(j, k, f.scale[j]*out.At(j, k)*f.scale[k])
		}
	}
	return out
}
