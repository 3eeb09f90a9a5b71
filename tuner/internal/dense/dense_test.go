package dense

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func random(r *rand.Rand, rows, cols int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]float64, rows*(cols+3))}
	for i := range m.Data {
		if r.IntN(4) > 0 {
			m.Data[i] = r.NormFloat64()
		}
	}
	return m
}

// plain is the definition, without rounding's help.
func plain(c, a, b blas64.General) {
	for i := range c.Rows {
		for j := range c.Cols {
			for l := range a.Rows {
				c.Data[i*c.Stride+j] += float64(a.Data[l*a.Stride+i] * b.Data[l*b.Stride+j])
			}
		}
	}
}

// TestBytes: products have the bytes of the definition, for sizes that fill tiles and panels and for others.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][3]int{{1, 1, 1}, {4, 8, 5}, {3, 7, 300}, {65, 130, 64}, {70, 71, 257}, {128, 64, 512}} {
		c := random(r, size[0], size[1])
		a, b := random(r, size[2], size[0]), random(r, size[2], size[1])
		want := c
		want.Data = slices.Clone(c.Data)
		plain(want, a, b)
		if AddMul(c, a, b); !slices.Equal(c.Data, want.Data) {
			t.Errorf("%v: AddMul differs from the definition", size)
		}
	}
}

// TestSquare: the upper triangle agrees with gonum's Syrk.
func TestSquare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for _, n := range []int{1, 5, 37, 130} {
		a := random(r, 300, n)
		got := blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
		want := got
		want.Data = make([]float64, n*n)
		AddSquare(got, a)
		plain(blas64.General{Rows: n, Cols: n, Stride: n, Data: want.Data}, a, a)
		for i := range n {
			if !slices.Equal(got.Data[i*n+i:(i+1)*n], want.Data[i*n+i:(i+1)*n]) {
				t.Errorf("%d: row %d differs", n, i)
			}
		}
	}
}

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
}
