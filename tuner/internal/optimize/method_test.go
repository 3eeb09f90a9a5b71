package optimize

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// leastSquares is half the sum of squares of residuals with a known minimum.
type leastSquares struct {
	name    string
	start   []float64
	minimum []float64 // nil: only the value 0 is known
	f       func(x []float64) (r []float64, jacobian [][]float64)
}

func (l leastSquares) Dim() int { return len(l.start) }

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

func (cliff) Dim() int { return 1 }
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
