package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// counted is a matrix that counts its products.
type counted struct {
	*mat.SymDense
	products int
}

func (c *counted) Diagonal() []float64 {
	out := make([]float64, c.SymmetricDim())
	for j := range out {
		out[j] = c.At(j, j)
	}
	return out
}

func (c *counted) Multiply(_ context.Context, x, out []float64) error {
	c.products++
	mat.NewVecDense(len(out), out).MulVec(c, mat.NewVecDense(len(x), x))
	return nil
}

// TestSolver: solutions are those of a factorization, and later ones take fewer products.
func TestSolver(t *testing.T) {
	const n = 200
	r := rand.New(rand.NewPCG(1, 2))
	h := mat.NewSymDense(n, nil)
	v := make([]float64, n)
	for i := range 60 { // as of rows: a few directions matter far more than others
		for j := range v {
			v[j] = r.NormFloat64()
		}
		h.SymRankOne(h, math.Pow(0.8, float64(i)), mat.NewVecDense(n, v))
	}
	for j := range n {
		h.SetSym(j, j, h.At(j, j)+0.5*float64(1+j%7))
	}
	factor := Factorize(h)
	op := &counted{SymDense: h}
	s := NewSolver(op, 200)
	var products []int
	for range 8 {
		for j := range v {
			v[j] = r.NormFloat64()
		}
		op.products = 0
		x, energy, err := s.Solve(t.Context(), v, 1e-16)
		if err != nil {
			t.Fatal(err)
		}
		products = append(products, op.products)
		want, err := factor.Solve(v)
		if err != nil {
			t.Fatal(err)
		}
		if e := -floats.Dot(want, v); math.Abs(energy-e) > 1e-12*e || math.Abs(floats.Dot(x, v)-e) > 1e-10*e {
			t.Errorf("x'b is %v and %v, want %v", energy, floats.Dot(x, v), e)
		}
		floats.Add(x, want)
		if d := floats.Norm(x, 2) / floats.Norm(want, 2); d > 1e-7 {
			t.Errorf("solution is off by %.1e of it", d)
		}
	}
	t.Log(products)
	if last := products[len(products)-1]; last > products[0]/2 {
		t.Errorf("products of each solution: %v", products)
	}
}
