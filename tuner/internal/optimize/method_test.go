package optimize

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// leastSquares is half the sum of squares of residuals with a known minimum.
type leastSquares struct {
	name    string
	start   []float64
	minimum []float64 // nil: only the value 0 is known
	f       func(x []float64) (r []float64, jacobian [][]float64)
}

func (l leastSquares) Gradient(_ context.Context, x, g []float64) (float64, error) {
	r, jac := l.f(x)
	v := 0.0
	clear(g)
	for i := range r {
		v += 0.5 * r[i] * r[i]
		for j := range g {
			g[j] += r[i] * jac[i][j]
		}
	}
	return v, nil
}

func (l leastSquares) Curvature(_ context.Context, x []float64) (*mat.SymDense, error) {
	_, jac := l.f(x)
	h := mat.NewSymDense(len(x), nil)
	for _, row := range jac {
		h.SymRankOne(h, 1, mat.NewVecDense(len(row), append([]float64(nil), row...)))
	}
	return h, nil
}

// From Moré, Garbow and Hillstrom, "Testing Unconstrained Optimization
// Software", ACM TOMS 7 (1981), problems 1, 7 and 13, and a plain quadratic.
var knownMinima = []leastSquares{
	{"quadratic", []float64{10, -7, 3}, []float64{1, 2, 3}, func(x []float64) ([]float64, [][]float64) {
		return []float64{x[0] - 1, 10 * (x[1] - 2), 100 * (x[2] - 3)}, [][]float64{{1, 0, 0}, {0, 10, 0}, {0, 0, 100}}
	}},
	{"rosenbrock", []float64{-1.2, 1}, []float64{1, 1}, func(x []float64) ([]float64, [][]float64) {
		return []float64{10 * (x[1] - x[0]*x[0]), 1 - x[0]}, [][]float64{{-20 * x[0], 10}, {-1, 0}}
	}},
	{"powell singular", []float64{3, -1, 0, 1}, nil, func(x []float64) ([]float64, [][]float64) {
		s5, s10 := math.Sqrt(5), math.Sqrt(10)
		a, b := x[1]-2*x[2], x[0]-x[3]
		return []float64{x[0] + 10*x[1], s5 * (x[2] - x[3]), a * a, s10 * b * b},
			[][]float64{{1, 10, 0, 0}, {0, 0, s5, -s5}, {0, 2 * a, -4 * a, 0}, {2 * s10 * b, 0, 0, -2 * s10 * b}}
	}},
	{"freudenstein and roth", []float64{6, 5}, []float64{5, 4}, func(x []float64) ([]float64, [][]float64) {
		return []float64{-13 + x[0] + ((5-x[1])*x[1]-2)*x[1], -29 + x[0] + ((x[1]+1)*x[1]-14)*x[1]},
			[][]float64{{1, (10-3*x[1])*x[1] - 2}, {1, (3*x[1]+2)*x[1] - 14}}
	}},
}

func TestMethodsFindKnownMinima(t *testing.T) {
	methods := map[string]Method{"gauss-newton": GaussNewton{}, "adam": adam{Rate: 0.05}}
	for name, m := range methods {
		for _, f := range knownMinima {
			s := Settings{Gap: 1e-14, Iterations: 2000}
			if name == "adam" {
				s.Iterations = 20000
			}
			out, err := m.Minimize(context.Background(), f, f.start, s)
			if err != nil {
				t.Errorf("%s on %s: %v", name, f.name, err)
				continue
			}
			if out.Value > 1e-9 {
				t.Errorf("%s on %s: value %v after %d steps, minimum 0", name, f.name, out.Value, out.Iterations)
			}
			for j, want := range f.minimum {
				if math.Abs(out.X[j]-want) > 1e-5 {
					t.Errorf("%s on %s: x = %v, minimum at %v", name, f.name, out.X, f.minimum)
					break
				}
			}
		}
	}
}

// cliff falls for ever, as the loss of separable data does.
type cliff struct{}

func (cliff) Gradient(_ context.Context, x, g []float64) (float64, error) {
	if g != nil {
		g[0] = -1
	}
	return -x[0], nil
}
func (cliff) Curvature(context.Context, []float64) (*mat.SymDense, error) {
	return mat.NewSymDense(1, []float64{1e-3}), nil
}

func TestMethodsGiveUpOnDivergence(t *testing.T) {
	for _, name := range []string{"gauss-newton", "adam"} {
		m, _ := NewMethod(name)
		_, err := m.Minimize(context.Background(), cliff{}, []float64{0}, Settings{Gap: 1e-9, Limit: 500})
		if !errors.Is(err, ErrDiverged) {
			t.Errorf("%s: error %v, want ErrDiverged", name, err)
		}
	}
}

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
	t.Run("gauss-newton", func(t *testing.T) { checkBounded(t, GaussNewton{}, 30, 1e-3) })
	t.Run("adam", func(t *testing.T) { checkBounded(t, adam{Rate: 0.05}, 3, 1e-2) })
}

func checkBounded(t *testing.T, m Method, seeds uint64, slope float64) {
	for seed := range seeds {
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
		out, err := m.Minimize(context.Background(), f, f.start, Settings{Gap: 1e-9, Box: b})
		if err != nil || !out.Converged {
			t.Fatalf("seed %d: %v, %+v", seed, err, out)
		}
		g, held := make([]float64, n), 0
		if _, err := f.Gradient(context.Background(), out.X, g); err != nil {
			t.Fatal(err)
		}
		for j, x := range out.X {
			ok := math.Abs(g[j]) < slope
			if b.Held[j] {
				held++
				ok = x == b.Hi[j] && g[j] <= 0 || x == b.Lo[j] && g[j] >= 0 || b.Lo[j] == b.Hi[j]
			}
			if !ok || x < b.Lo[j] || x > b.Hi[j] {
				t.Errorf("seed %d: variable %d at %v, held %v, slope %g", seed, j, x, b.Held[j], g[j])
			}
		}
		if held < 2 || m == (GaussNewton{}) && out.Curvatures > 2 {
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
		out, err := GaussNewton{}.Minimize(context.Background(), f, f.start, Settings{Gap: 1e-13, Box: b})
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
	out, err := GaussNewton{}.Minimize(context.Background(), f, []float64{0, 3}, Settings{Gap: 1e-3, Box: b})
	if err != nil || !out.Converged || out.X[0] != 100 || !b.Held[0] || math.Abs(out.X[1]) > 0.1 {
		t.Errorf("%v, %+v, held %v", err, out, b.Held)
	}
}

// decay is e^-x + y^2/2.
type decay struct{}

func (decay) Gradient(_ context.Context, x, g []float64) (float64, error) {
	if g != nil {
		g[0], g[1] = -math.Exp(-x[0]), x[1]
	}
	return math.Exp(-x[0]) + x[1]*x[1]/2, nil
}
func (decay) Curvature(_ context.Context, x []float64) (*mat.SymDense, error) {
	return mat.NewSymDense(2, []float64{math.Exp(-x[0]), 0, 0, 1}), nil
}
