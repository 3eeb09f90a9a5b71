package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// testProblem is small, with every kind of row: factors, scales, offsets, weights,
// soft targets, counts beyond one, a frozen term, an untapered one and a tied
// pair.
func testProblem(t *testing.T, loss objective.Loss) (*objective.Penalized, []rows.Row) {
	t.Helper()
	const terms = 12
	r := rand.New(rand.NewPCG(5, 5))
	syn := synthetic.Games{Terms: terms, PerRow: 6}
	b := rows.NewBuilder(terms)
	var data []rows.Row
	for i := range 300 {
		row := rows.Row{Entries: syn.Entries(r), Phase: r.IntN(25), Scale: 1, Weight: 1 + r.Float32(),
			Score: int16(r.IntN(400) - 200), Result: float32(r.IntN(3)) / 2, Game: uint64(i + 1)}
		if i%4 == 0 {
			row.Phase, row.MG, row.EG = rows.OwnFactors, 2*r.Float32()-0.5, r.Float32()
		}
		if i%5 == 0 {
			row.Scale, row.Offset = 0.5, float32(r.IntN(100))-50
		}
		data = append(data, row)
		setup.Check(t, b.Add(&row))
	}
	s := synthetic.Finish(t, b)
	list := syn.List(testTruth(terms))
	list[2].Tapered, list[2].EG = false, list[2].MG
	list[4].Mirror, list[5].Mirror = 5, 4
	frozen := make([]bool, terms)
	frozen[7] = true
	tau := make([]float64, terms)
	for i := range tau {
		tau[i] = 30
	}
	leader := setup.Must(objective.Leaders(list, true))
	q := objective.NewParams(list, objective.StartOf(list), frozen, tau, leader)
	if want := 2*terms - 1 - 2 - 2; q.N != want {
		t.Fatalf("%d parameters, want %d", q.N, want)
	}
	omega, _ := s.Split(s.Clusters(), 0, 0)
	n := 0
	for i := range omega {
		for j := range omega[i] {
			if n%11 == 0 { // some rows are held out
				omega[i][j] = 0
			}
			n++
		}
	}
	p := &objective.Problem{Store: s, Loss: loss, K: 0.006, Target: objective.Targets(s, 0.7, 0.005), Omega: omega,
		Workers: 2}
	return objective.New(p, q, 3), data
}

func testTruth(terms int) objective.Tapered {
	w := objective.NewTapered(terms)
	for t := range w.MG {
		w.MG[t], w.EG[t] = float64(10*t), float64(50-5*t)
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

// TestCurvature compares the Gauss-Newton matrix with differences of the
// gradient, which for cross-entropy are its Hessian exactly.
func TestCurvature(t *testing.T) {
	ctx := context.Background()
	o, _ := testProblem(t, objective.CrossEntropy)
	theta := testTheta(o.Params.N)
	h := setup.Must(o.Curvature(ctx, theta))
	for j := range theta {
		const d = 1e-3
		at := func(d float64) []float64 {
			x := append([]float64(nil), theta...)
			x[j] += d
			g := make([]float64, len(x))
			setup.Must(o.Gradient(ctx, x, g))
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

// TestWorkers: every sum is bitwise the same for any number of goroutines.
func TestWorkers(t *testing.T) {
	ctx := context.Background()
	syn := synthetic.Games{Games: 400, Rows: 40, Terms: 30, PerRow: 8, Shared: 0.5, K: 0.006, Seed: 3}
	s := syn.Store(t)
	terms := syn.List(objective.NewTapered(syn.Terms))
	fit := func(workers int) string {
		c := NewConfig()
		c.K, c.Workers = 0.006, workers
		c.Prior = map[string]float64{"pieces": 80}
		r := setup.Must(Fit(ctx, s, terms, c))
		r.Config = Config{}
		return fmt.Sprintf("%+v", *r) // %v of a float64 is unique
	}
	one := fit(1)
	for _, n := range []int{2, 3, 8} {
		if got := fit(n); got != one {
			t.Errorf("%d workers: another result than with one", n)
		}
	}
}

func TestMethodsObeyContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o, _ := testProblem(t, objective.CrossEntropy)
	for _, name := range []string{"gauss-newton", "adam"} {
		m, _ := optimize.NewMethod(name)
		if _, err := m.Minimize(ctx, o, make([]float64, o.Params.N), optimize.Settings{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want context.Canceled", name, err)
		}
	}
}

// evaluations returns E in centipawns of every row under w, by the row's game
// less one: for stores in which every row is a game of its own.
func evaluations(tb testing.TB, s *rows.Store, w objective.Tapered, workers int) []float64 {
	tb.Helper()
	out := make([]float64, s.Rows())
	setup.Check(tb, objective.Evaluate(context.Background(), s, workers, w, func(t *objective.Scratch, i int) {
		for j, g := range s.Chunks[i].Game {
			out[g] = t.X[j]
		}
	}, func(*objective.Scratch, int) {}))
	return out
}

// countedGames returns rows of a tapered evaluation whose results are drawn under other weights, and the same rows as
// slopes of a pair of numbers for each term.
func countedGames(games int) (counted, sloped dataset.FeatureSet, a, b []dataset.FeatureRow) {
	rng := rand.New(rand.NewPCG(5, 6))
	const terms = 12
	evaluation := dataset.Evaluation{Unit: 100, Tolerance: 1}
	counted = dataset.FeatureSet{Version: 2, Model: "counted", Float: true, Evaluation: evaluation}
	evaluation.Local = true
	sloped = dataset.FeatureSet{Version: 2, Model: "sloped", Float: true, Evaluation: evaluation}
	truth := objective.NewTapered(terms)
	for t := range terms {
		name := string(rune('a' + t))
		mg, eg := float64(20+3*t), float64(50-4*t)
		truth.MG[t], truth.EG[t] = mg+12*rng.NormFloat64(), eg+12*rng.NormFloat64()
		counted.Terms = append(counted.Terms, dataset.FeatureTerm{Name: name, MG: mg, EG: eg})
		sloped.Terms = append(sloped.Terms,
			dataset.FeatureTerm{Name: name + ".0", Group: name, Kind: dataset.FlatTerm, MG: mg, EG: mg, Pair: name + ".1"},
			dataset.FeatureTerm{Name: name + ".1", Group: name, Kind: dataset.FlatTerm, MG: eg, EG: eg, Pair: name + ".0"})
	}
	for game := range games {
		luck := rng.Float64()
		for ply := range 8 {
			phase := float64(24-3*ply) / 24
			row := dataset.FeatureRow{Phase: float32(phase), Scale: 1, EGScale: 1, Eval: dataset.NoEval, Weight: 1,
				Score: dataset.NoScore, Game: uint64(game + 1)}
			other := row
			other.Phase = 1
			x, value, sum := 0.0, 0.0, 0.0
			for t := range terms {
				count := float64(rng.IntN(2+t)*(1-2*rng.IntN(2))) / 2
				if count == 0 {
					continue
				}
				term := &counted.Terms[t]
				x += count * (phase*truth.MG[t] + (1-phase)*truth.EG[t])
				value += count * (phase*term.MG + (1-phase)*term.EG)
				row.Terms, row.Counts = append(row.Terms, uint16(t)), append(row.Counts, float32(count))
				for half, slope := range [2]float64{count * phase, count * (1 - phase)} {
					if slope != 0 {
						other.Terms = append(other.Terms, uint16(2*t+half))
						other.Counts = append(other.Counts, float32(slope))
						sum += float64(float32(slope)) * sloped.Terms[2*t+half].MG
					}
				}
			}
			other.Eval, other.Offset = float32(value), float32(value-sum)
			if p := objective.Sigmoid(0.006 * x); luck < p {
				row.Result = 1
			}
			other.Result = row.Result
			a, b = append(a, row), append(b, other)
		}
	}
	return counted, sloped, a, b
}

// fitRows fits rows of a set.
func fitRows(t *testing.T, set dataset.FeatureSet, list []dataset.FeatureRow, change func(*Config)) *Result {
	t.Helper()
	s := setup.Must(rows.Build{}.Features(t.Context(), set, []rows.FeatureSource{{Name: set.Model,
		Rows: synthetic.Seq(list)}}))
	c := NewConfig()
	c.Folds, c.KeepScale = 5, true
	if change != nil {
		change(&c)
	}
	return setup.Must(Fit(t.Context(), s, rows.TermsOfFeatures(set), c))
}

// A fit of the slopes of a linear evaluation has the weights of the fit of its counts: the prior knows that the slopes
// of a pair's halves are parts of one count.
func TestSlopesFitAsCounts(t *testing.T) {
	counted, sloped, a, b := countedGames(400)
	for name, change := range map[string]func(*Config){
		"defaults": nil, "auto": func(c *Config) { c.ChoosePrior = true },
		"centre": func(c *Config) {
			for range counted.Terms {
				c.Center = append(c.Center, Coefficient{30, 30})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := fitRows(t, counted, a, change)
			have := fitRows(t, sloped, b, func(c *Config) {
				if change != nil {
					change(c)
				}
				if c.Center != nil {
					c.Center = append(c.Center, c.Center...)
				}
			})
			for i, x := range want.Terms {
				mg, eg := have.Terms[2*i], have.Terms[2*i+1]
				if math.Abs(x.FitMG-mg.FitMG) > 0.2 || math.Abs(x.FitEG-eg.FitMG) > 0.2 || x.MG == int32(x.StartMG) {
					t.Errorf("%s: counts give %.3f, %.3f, slopes %.3f, %.3f", x.Name, x.FitMG, x.FitEG, mg.FitMG, eg.FitMG)
				}
			}
			if l := have.Linearization; l == nil || len(l.AtLimit) > 0 || l.Predicted < 10 || want.Linearization != nil {
				t.Errorf("local: %+v", l)
			}
		})
	}
}

// No number leaves the trust region, in its own effect, and those at its edge are named.
func TestTrust(t *testing.T) {
	_, sloped, _, list := countedGames(400)
	wide := fitRows(t, sloped, list, nil).Linearization
	r := fitRows(t, sloped, list, func(c *Config) { c.Trust = wide.Largest / 2 })
	if l := r.Linearization; l.Largest > wide.Largest/2+2 || len(l.AtLimit) == 0 || len(l.AtLimit) == len(sloped.Terms) ||
		l.Predicted >= wide.Predicted {
		t.Errorf("%+v, without limit %+v", l, wide)
	}
	for i, x := range r.Terms {
		if by := math.Abs(x.FitMG-x.StartMG) * x.TypicalCount; by > wide.Largest/2+0.01 {
			t.Errorf("%s moved by %.2f centipawns of effect", sloped.Terms[i].Name, by)
		}
	}
}

// What is not tuned does not grow with the weights: they get the factor with which the evaluation has its old size.
func TestScaleWithOffsets(t *testing.T) {
	_, set, _, list := countedGames(400)
	for i := range list {
		by := float32(i%400 - 200)
		list[i].Offset += by
		list[i].Eval += by
		set.Tolerance = 2
	}
	size := func(r *Result) float64 {
		sum := 0.0
		for _, row := range list {
			x := float64(row.Offset)
			for i, k := range row.Terms {
				x += float64(row.Counts[i]) * r.Terms[k].FitMG
			}
			sum += x * x
		}
		return math.Sqrt(sum / float64(len(list)))
	}
	start := 0.0
	for _, row := range list {
		start += float64(row.Eval) * float64(row.Eval)
	}
	start = math.Sqrt(start / float64(len(list)))
	left := fitRows(t, set, list, func(c *Config) { c.K, c.Valid = 0.01, 0 })
	kept := fitRows(t, set, list, func(c *Config) { c.KeepScale, c.Rescale, c.K, c.Valid = false, true, 0.01, 0 })
	if math.Abs(size(kept)/start-1) > 1e-3 || math.Abs(size(left)/start-1) < 0.05 || kept.Rescale == 1 {
		t.Errorf("RMS %.1f, left alone %.1f, kept %.1f, rescaled by %v", start, size(left), size(kept), kept.Rescale)
	}
}
