package tuner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// testProblem is small, with every kind of row: scales, offsets, weights,
// soft targets, counts beyond one, a frozen term, an untapered one and a tied
// pair.
func testProblem(t *testing.T, loss Loss, workers int) (*objective, []Row) {
	t.Helper()
	const terms = 12
	r := rand.New(rand.NewPCG(5, 5))
	syn := synthetic{terms: terms, perRow: 6}
	b := NewBuilder(terms)
	var rows []Row
	for i := range 300 {
		row := Row{Entries: syn.entries(r), Phase: r.IntN(25), Scale: 1, Weight: 1 + r.Float32(), Score: int16(r.IntN(400) - 200), Result: float32(r.IntN(3)) / 2, Game: uint64(i + 1)}
		if i%5 == 0 {
			row.Scale, row.Offset = 0.5, float32(r.IntN(100))-50
		}
		rows = append(rows, row)
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	s := finish(t, b)
	list := syn.list(syn.truth2(terms))
	list[2].Tapered, list[2].EG = false, list[2].MG
	list[4].Mirror, list[5].Mirror = 5, 4
	frozen := make([]bool, terms)
	frozen[7] = true
	tau := make([]float64, terms)
	for i := range tau {
		tau[i] = 30
	}
	leader, err := leaders(list, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := newParams(list, startOf(list), frozen, tau, leader)
	if want := 2*terms - 1 - 2 - 2; q.n != want {
		t.Fatalf("%d parameters, want %d", q.n, want)
	}
	omega, _ := s.split(s.cluster(), 0, 0)
	for i := range omega {
		for j := range omega[i] {
			if (s.chunks[i].base+j)%11 == 0 { // some rows are held out
				omega[i][j] = 0
			}
		}
	}
	p := &problem{s: s, loss: loss, k: 0.006, target: s.targets(0.7, 0.005), omega: omega, workers: workers}
	return newObjective(p, q, 3), rows
}

func (synthetic) truth2(terms int) halves {
	w := newHalves(terms)
	for t := range w.mg {
		w.mg[t], w.eg[t] = float64(10*t), float64(50-5*t)
	}
	return w
}

func testTheta(n int) []float64 {
	r := rand.New(rand.NewPCG(8, 8))
	theta := make([]float64, n)
	for j := range theta {
		theta[j] = 20 * r.NormFloat64()
	}
	return theta
}

// TestGradient compares the fused sparse gradient with central differences.
func TestGradient(t *testing.T) {
	ctx := context.Background()
	for _, loss := range []Loss{CrossEntropy, MSE} {
		o, _ := testProblem(t, loss, 2)
		theta := testTheta(o.Dim())
		g := make([]float64, o.Dim())
		if _, err := o.Gradient(ctx, theta, g); err != nil {
			t.Fatal(err)
		}
		for j := range theta {
			const h = 1e-3
			at := func(d float64) float64 {
				x := append([]float64(nil), theta...)
				x[j] += d
				v, err := o.Gradient(ctx, x, nil)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			want := (at(h) - at(-h)) / (2 * h)
			if math.Abs(g[j]-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("%v: g[%d] = %v, differences say %v", loss, j, g[j], want)
			}
		}
	}
}

// TestCurvature compares the Gauss-Newton matrix with differences of the
// gradient, which for cross-entropy are its Hessian exactly.
func TestCurvature(t *testing.T) {
	ctx := context.Background()
	o, _ := testProblem(t, CrossEntropy, 2)
	theta := testTheta(o.Dim())
	h, err := o.Curvature(ctx, theta)
	if err != nil {
		t.Fatal(err)
	}
	for j := range theta {
		const d = 1e-3
		at := func(d float64) []float64 {
			x := append([]float64(nil), theta...)
			x[j] += d
			g := make([]float64, len(x))
			if _, err := o.Gradient(ctx, x, g); err != nil {
				t.Fatal(err)
			}
			return g
		}
		a, b := at(d), at(-d)
		for k := range theta {
			want := (a[k] - b[k]) / (2 * d)
			if got := h.At(j, k); math.Abs(got-want) > 1e-8+1e-6*math.Abs(want) {
				t.Errorf("h[%d,%d] = %v, differences say %v", j, k, got, want)
			}
		}
	}
}

// TestEvaluations compares the packed rows with the definition of E.
func TestEvaluations(t *testing.T) {
	o, rows := testProblem(t, CrossEntropy, 1)
	w := newHalves(o.p.s.terms)
	o.params.expand(testTheta(o.Dim()), w)
	got := evaluations(t, o.p.s, w, 1)
	for i := range rows {
		if want := evaluate(&rows[i], w); math.Abs(got[i]-want) > 1e-9 {
			t.Fatalf("row %d: %v, want %v", i, got[i], want)
		}
	}
}

// TestWorkers: every sum is bitwise the same for any number of goroutines.
func TestWorkers(t *testing.T) {
	ctx := context.Background()
	syn := synthetic{games: 400, rows: 40, terms: 30, perRow: 8, shared: 0.5, k: 0.006, seed: 3}
	s := syn.store(t)
	terms := syn.list(newHalves(syn.terms))
	fit := func(workers int) *Result {
		c := NewConfig()
		c.K, c.Workers = 0.006, workers
		c.Prior = map[string]float64{"pieces": 80}
		r, err := Fit(ctx, s, terms, c)
		if err != nil {
			t.Fatal(err)
		}
		r.Config = Config{}
		return r
	}
	one := fmt.Sprintf("%+v", *fit(1)) // %v of a float64 is unique
	for _, n := range []int{2, 3, 8} {
		if got := fmt.Sprintf("%+v", *fit(n)); got != one {
			t.Errorf("%d workers: another result than with one", n)
		}
	}
}
