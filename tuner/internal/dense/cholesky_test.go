package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/internal/setup"
)

// definite returns a matrix whose smallest and largest eigenvalues are some powers of ten apart.
func definite(r *rand.Rand, n int, powers float64) blas64.Symmetric {
	a := blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
	g := blas64.General{Rows: n + 5, Cols: n, Stride: n, Data: make([]float64, (n+5)*n)}
	for i := range g.Data {
		g.Data[i] = r.NormFloat64() * math.Pow(10, -powers/2*float64(i%n)/float64(n))
	}
	AddSquare(a, g)
	return a
}

// TestCholesky compares with gonum, for sizes that fill tiles and halves and for others.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 2, 15, 16, 17, 63, 64, 65, 130, 257} {
		for _, powers := range []float64{0, 6} {
			a := definite(r, n, powers)
			sym := mat.NewSymDense(n, a.Data)
			var want mat.Cholesky
			if !want.Factorize(sym) {
				t.Fatal(n)
			}
			c := Factorize(a)
			if c == nil || c.N() != n {
				t.Fatalf("%d: no factor", n)
			}
			if ratio := c.Cond() / want.Cond(); ratio < 0.9 || ratio > 1.1 {
				t.Errorf("%d: condition %g, want %g", n, c.Cond(), want.Cond())
			}
			var inverse mat.SymDense
			setup.Check(t, want.InverseTo(&inverse))
			got := c.Inverse()
			limit := 1e-14 * want.Cond() * mat.Max(&inverse)
			for i := range n {
				for j := i; j < n; j++ {
					if d := got.Data[i*n+j] - inverse.At(i, j); !(math.Abs(d) <= limit) {
						t.Fatalf("%d: inverse %d, %d is %g, want %g", n, i, j, got.Data[i*n+j], inverse.At(i, j))
					}
				}
			}
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			b := mat.NewVecDense(n, nil)
			b.MulVec(sym, mat.NewVecDense(n, x))
			solved := b.RawVector().Data
			c.Solve(solved)
			for i := range x {
				if d := solved[i] - x[i]; !(math.Abs(d) <= 1e-14*want.Cond()*10) {
					t.Fatalf("%d: solution %d is off by %g", n, i, d)
				}
			}
		}
	}
}

// TestCholeskyIndefinite: a matrix that is not positive definite, or not finite, has no factor.
func TestCholeskyIndefinite(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 8))
	for _, n := range []int{1, 40, 150} {
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			for _, at := range []int{0, n / 2, n - 1} {
				a := definite(r, n, 0)
				a.Data[at*n+at] = bad
				if Factorize(a) != nil {
					t.Errorf("%v at %d of %d has a factor", bad, at, n)
				}
			}
		}
	}
	if c := Factorize(blas64.Symmetric{}); c == nil || c.Cond() != 1 {
		t.Error("the empty matrix has a factor")
	}
}
