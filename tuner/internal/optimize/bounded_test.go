package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// boxOf returns a box in which no variable goes beyond lo and hi.
func boxOf(n int, lo, hi float64) *Box {
	b := NewBox(n)
	for j := range n {
		b.Lo[j], b.Hi[j] = lo, hi
	}
	return b
}

// TestBoundedConditions: at the end of a fit in a box the slope is 0 where no bound holds and points
// out of the box where one does; variables that others can stand in for are no obstacle.
func TestBoundedConditions(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		n, rows := 12, 40
		a, y := mat.NewDense(rows, n, nil), make([]float64, rows)
		for i := range rows {
			for j := range n {
				a.Set(i, j, r.NormFloat64())
			}
			a.Set(i, n-1, a.At(i, 0)+a.At(i, 1))
			y[i] = 5 * r.NormFloat64()
		}
		f := leastSquares{start: make([]float64, n), f: func(x []float64) (res []float64, jac [][]float64) {
			for i := range rows {
				res = append(res, floats.Dot(a.RawRowView(i), x)-y[i])
				jac = append(jac, a.RawRowView(i))
			}
			return res, jac
		}}
		b := boxOf(n, -0.5, 0.7)
		b.Lo[3], b.Hi[3] = math.Inf(-1), math.Inf(1)
		b.Lo[4], b.Hi[4] = 0, 0
		out, err := b.Minimize(context.Background(), GaussNewton{}, f, f.start, Settings{Gap: 1e-9})
		if err != nil || !out.Converged {
			t.Fatalf("seed %d: %v, %+v", seed, err, out)
		}
		g, held := make([]float64, n), 0
		if _, err := f.Gradient(context.Background(), out.X, g); err != nil {
			t.Fatal(err)
		}
		for j, x := range out.X {
			ok := math.Abs(g[j]) < 1e-3
			if b.Held[j] {
				held++
				ok = x == b.Hi[j] && g[j] <= 0 || x == b.Lo[j] && g[j] >= 0 || b.Lo[j] == b.Hi[j]
			}
			if !ok || x < b.Lo[j] || x > b.Hi[j] {
				t.Errorf("seed %d: variable %d at %v, held %v, slope %g", seed, j, x, b.Held[j], g[j])
			}
		}
		if held < 2 || out.Curvatures > 2 {
			t.Errorf("seed %d: %d variables held, %d matrices for a quadratic", seed, held, out.Curvatures)
		}
	}
}

// TestBoundedLargeResiduals: where Gauss-Newton leaves out nine tenths of the curvature, or
// takes twice what there is (Dennis and Schnabel 1983, example 10.2.4), it converges slowly; in a
// box it does not.
func TestBoundedLargeResiduals(t *testing.T) {
	for _, lambda := range []float64{0.9, -0.9} {
		f := leastSquares{start: []float64{0.3, 5}, f: func(x []float64) ([]float64, [][]float64) {
			return []float64{x[0] + 1, lambda*x[0]*x[0] + x[0] - 1, x[1] - 1}, [][]float64{{1, 0}, {2*lambda*x[0] + 1, 0},
				{0, 1}}
		}}
		b := boxOf(2, -2, 2)
		b.Lo[1] = 1.5
		out, err := b.Minimize(context.Background(), GaussNewton{}, f, f.start, Settings{Gap: 1e-13})
		if err != nil || !out.Converged || out.Iterations > 20 || math.Abs(out.X[0]) > 1e-5 || out.X[1] != 1.5 ||
			!b.Held[1] || b.Held[0] {
			t.Errorf("lambda %v: %v, %+v, held %v", lambda, err, out, b.Held)
		}
	}
}

// TestBoundedRunaway: a variable whose function falls for ever ends at its bound, however small
// the gap soon is.
func TestBoundedRunaway(t *testing.T) {
	f := decay{}
	b := boxOf(2, -100, 100)
	b.Reach = 0.05
	out, err := b.Minimize(context.Background(), GaussNewton{}, f, []float64{0, 3}, Settings{Gap: 1e-3})
	if err != nil || !out.Converged || out.X[0] != 100 || !b.Held[0] || math.Abs(out.X[1]) > 0.1 {
		t.Errorf("%v, %+v, held %v", err, out, b.Held)
	}
}

// decay is e^-x + y^2/2.
type decay struct{}

func (decay) Dim() int { return 2 }
func (decay) Gradient(_ context.Context, x, g []float64) (float64, error) {
	if g != nil {
		g[0], g[1] = -math.Exp(-x[0]), x[1]
	}
	return math.Exp(-x[0]) + x[1]*x[1]/2, nil
}
func (decay) Curvature(_ context.Context, x []float64) (*mat.SymDense, error) {
	return mat.NewSymDense(2, []float64{math.Exp(-x[0]), 0, 0, 1}), nil
}
