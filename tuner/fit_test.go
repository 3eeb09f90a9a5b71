package tuner

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// twoTerms makes rows of two terms: a knows the result, b never occurs.
func twoTerms(t *testing.T, n int, row func(i int, r *rows.Row)) (*rows.Store, []rows.Term) {
	t.Helper()
	b := rows.NewBuilder(2)
	for i := range n {
		r := rows.Row{Phase: i % 25, Scale: 1, Weight: 1, Score: rows.NoScore, Game: uint64(i/5 + 1)}
		row(i, &r)
		setup.Check(t, b.Add(&r))
	}
	return synthetic.Finish(t, b), []rows.Term{
		{Name: "a", Group: "material", Tapered: true, Mirror: 0, MG: 100, EG: 100},
		{Name: "b", Group: "king", Tapered: true, Mirror: 1},
	}
}

func sign(i int) float32 { return float32(1 - 2*(i%2)) }

func TestBadData(t *testing.T) {
	counts := func(i int, r *rows.Row) { r.Entries = []rows.Entry{{Term: 0, Count: sign(i / 5)}} }
	for _, tt := range []struct {
		name   string
		n      int
		row    func(i int, r *rows.Row)
		change func(c *Config)
		want   error
	}{
		{"empty", 0, nil, nil, rows.ErrEmpty},
		{"one class", 100, func(i int, r *rows.Row) { counts(i, r); r.Result = 1 }, nil, ErrOneClass},
		{"all draws", 100, func(i int, r *rows.Row) { counts(i, r); r.Result = 0.5 }, nil, ErrOneClass},
		{"no features", 100, func(i int, r *rows.Row) { r.Result = float32(i / 5 % 2) }, nil, ErrNoFeatures},
		{"features against results", 100, func(i int, r *rows.Row) { counts(i, r); r.Result = float32(i / 5 % 2) }, nil,
			objective.ErrScale},
		{"separable, K unknown", 100, func(i int, r *rows.Row) { counts(i, r); r.Result = float32(1 - i/5%2) }, nil,
			objective.ErrScale},
		{"no scores", 100, noisy, func(c *Config) { c.Lambda = 0.5 }, objective.ErrConfig},
		{"scores against results", 100, func(i int, r *rows.Row) { noisy(i, r); r.Score = -300 * int16(sign(i/5)) },
			func(c *Config) { c.Lambda = 0.5 }, ErrScores},
		{"everything frozen", 100, noisy, func(c *Config) { c.Freeze = []string{"material", "king"} }, ErrAllFrozen},
		{"freeze of nothing", 100, noisy, func(c *Config) { c.Freeze = []string{"queens"} }, objective.ErrName},
		{"prior of nothing", 100, noisy, func(c *Config) { c.Prior = map[string]float64{"queens": 3} }, objective.ErrName},
		{"lambda", 100, noisy, func(c *Config) { c.Lambda = math.NaN() }, objective.ErrConfig},
		{"method", 100, noisy, func(c *Config) { c.Method = "prayer" }, optimize.ErrMethod},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, terms := twoTerms(t, tt.n, tt.row)
			c := NewConfig()
			if tt.change != nil {
				tt.change(&c)
			}
			r, err := Fit(context.Background(), s, terms, c)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if r != nil {
				t.Error("a result beside the error")
			}
		})
	}
}

// noisy rows can be fitted: a is right three times out of four.
func noisy(i int, r *rows.Row) {
	s := sign(i / 5)
	r.Entries = []rows.Entry{{Term: 0, Count: s}}
	r.Result = (1 + s) / 2
	if i/5%4 == 0 {
		r.Result = 1 - r.Result
	}
}

// TestSeparable: results that the features predict perfectly give finite
// weights and a warning, with a prior and without.
func TestSeparable(t *testing.T) {
	s, terms := twoTerms(t, 1000, func(i int, r *rows.Row) {
		r.Entries = []rows.Entry{{Term: 0, Count: sign(i / 5)}}
		r.Result = (1 + sign(i/5)) / 2
	})
	for _, tau := range []float64{300, math.Inf(1)} {
		c := NewConfig()
		c.K, c.KeepScale = 0.005, true
		c.Prior = map[string]float64{"material": tau}
		r, err := Fit(context.Background(), s, terms, c)
		if err != nil {
			if tau > 1000 && errors.Is(err, optimize.ErrDiverged) {
				continue
			}
			t.Errorf("tau %v: %v", tau, err)
			continue
		}
		checkFinite(t, r)
		if !strings.Contains(strings.Join(r.Warnings, "\n"), "separable") {
			t.Errorf("tau %v: no warning of separable data in %q (loss %v)", tau, r.Warnings, r.Fit)
		}
	}
}

// TestUnseen: a term that never occurs keeps what the prior says and has no
// standard error; with no prior at all it keeps its start weight.
func TestUnseen(t *testing.T) {
	s, terms := twoTerms(t, 1000, noisy)
	terms[1].MG, terms[1].EG = 17, 23
	for _, tau := range []float64{25, math.Inf(1)} {
		c := NewConfig()
		c.KeepScale = true
		c.Prior = map[string]float64{"king": tau}
		r := setup.Must(Fit(context.Background(), s, terms, c))
		checkFinite(t, r)
		b := r.Terms[1]
		if b.MG != 17 || b.EG != 23 || b.Count != 0 || b.SEMG != 0 || b.SEEG != 0 {
			t.Errorf("tau %v: term that never occurs: %+v", tau, b)
		}
		if !strings.Contains(strings.Join(r.Warnings, "\n"), "never occur") {
			t.Errorf("no warning in %q", r.Warnings)
		}
	}
}

// TestCollinear: two terms that always occur together, without a prior, are named, warned of and stay finite.
func TestCollinear(t *testing.T) {
	s, terms := twoTerms(t, 1000, func(i int, r *rows.Row) {
		noisy(i, r)
		r.Entries = append(r.Entries, rows.Entry{Term: 1, Count: r.Entries[0].Count})
	})
	c := NewConfig()
	c.KeepScale = true
	c.Prior = map[string]float64{"king": math.Inf(1), "material": math.Inf(1)}
	r := setup.Must(Fit(context.Background(), s, terms, c))
	checkFinite(t, r)
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "not determined") {
		t.Errorf("no warning in %q", r.Warnings)
	}
	if len(r.Collinear) != 2 {
		t.Errorf("%+v, want both halves", r.Collinear)
	}
	for _, x := range r.Collinear {
		if half := x.Coefficient[1:]; !x.Exact || len(x.Others) != 1 || !strings.HasSuffix(x.Others[0], half) {
			t.Errorf("%+v", x)
		}
	}
}

// TestOneGame: a term of a single game has no standard error where no prior holds it. The
// optimum makes its score 0, whatever other games would say.
func TestOneGame(t *testing.T) {
	s, terms := twoTerms(t, 1000, func(i int, r *rows.Row) {
		noisy(i, r)
		if i < 5 {
			r.Result = sign(i)/2 + 0.5
			r.Entries = append(r.Entries, rows.Entry{Term: 1, Count: 1})
		}
	})
	for _, width := range []float64{20, math.Inf(1)} {
		c := NewConfig()
		c.KeepScale, c.Valid, c.Prior = true, 0, map[string]float64{"king": width}
		r := setup.Must(Fit(context.Background(), s, terms, c))
		if x := r.Terms[1]; x.EffectiveGames != 1 || x.SEMG.Known() == math.IsInf(width, 1) || !r.Terms[0].SEMG.Known() {
			t.Errorf("width %v: %+v", width, x)
		}
	}
}

func checkFinite(t *testing.T, r *Result) {
	t.Helper()
	for _, x := range r.Terms {
		v := []float64{x.FitMG, x.FitEG, float64(x.SEMG), float64(x.SEEG), float64(x.NaiveMG), float64(x.NaiveEG),
			x.EffectiveGames}
		if !optimize.Finite(r.FileK, v) {
			t.Errorf("not finite: %+v", x)
		}
	}
	if !optimize.Finite(float64(r.Fit.Train), []float64{r.Design, r.Effective, r.Rescale, float64(r.Rounded.Train)}) {
		t.Errorf("not finite: %+v", r)
	}
}

// A term stays where the caller freezes it, and where the evaluation says that it is fixed.
func TestFrozenTermsStay(t *testing.T) {
	syn := synthetic.Games{Games: 200, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 21}
	start := syn.Truth()
	for i := range start.MG {
		start.MG[i], start.EG[i] = math.Round(start.MG[i]/2), math.Round(start.EG[i]/2)
	}
	c := NewConfig()
	c.K, c.Freeze = syn.K, []string{"t3"}
	terms := syn.List(start)
	terms[5].Fixed = true
	r := setup.Must(Fit(context.Background(), syn.Store(t), terms, c))
	for i, x := range r.Terms {
		if stays := i == 3 || i == 5; x.Frozen != stays || stays &&
			(float64(x.MG) != start.MG[i] || float64(x.EG) != start.EG[i] || x.SEMG != 0) {
			t.Errorf("term %d, to stay: %v: %+v", i, stays, x)
		}
	}
	if r.Rescale != 1 {
		t.Errorf("weights were rescaled by %v, the frozen one was not", r.Rescale)
	}
}

// TestTied: mirrored twins move by the same amount, from where each began.
func TestTied(t *testing.T) {
	syn := synthetic.Games{Games: 200, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 22}
	terms := syn.List(objective.NewTapered(8))
	terms[2].Mirror, terms[3].Mirror = 3, 2
	terms[3].MG = 10
	c := NewConfig()
	c.K, c.KeepScale = syn.K, true
	r := setup.Must(Fit(context.Background(), syn.Store(t), terms, c))
	a, b := r.Terms[2], r.Terms[3]
	if math.Abs(a.FitMG-(b.FitMG-10)) > 1e-9 || a.FitEG != b.FitEG || a.FitMG == 0 {
		t.Errorf("twins: %+v and %+v", fitOf(a), fitOf(b))
	}
	if !r.Tied || r.Parameters != 14 {
		t.Errorf("tied %v, %d parameters", r.Tied, r.Parameters)
	}
}

// TestRescale: the root mean square evaluation of the reference stays, and
// the fit has the same loss as its file under FileK.
func TestRescale(t *testing.T) {
	ctx := context.Background()
	syn := synthetic.Games{Games: 300, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 23}
	start := objective.NewTapered(8)
	for i := range start.MG {
		start.MG[i], start.EG[i] = 300, 300
	}
	s := syn.Store(t)
	ref := synthetic.Games{Games: 10, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 24}.Store(t)
	c := NewConfig()
	c.K, c.Reference = syn.K, ref
	c.Prior = map[string]float64{"pieces": 1000}
	r := setup.Must(Fit(ctx, s, syn.List(start), c))
	a, _ := objective.RMS(ctx, ref, 1, start)
	b, _ := objective.RMS(ctx, ref, 1, r.fitted())
	if math.Abs(a-b) > 1e-6*a {
		t.Errorf("root mean square %v before, %v after", a, b)
	}
	if math.Abs(r.Rescale-1) < 0.01 {
		t.Errorf("rescale %v: the test does not test", r.Rescale)
	}
	if math.Abs(float64(r.Rounded.Train-r.Fit.Train)) > 1e-4 {
		t.Errorf("loss %v of the fit, %v of the rounded weights under FileK", r.Fit, r.Rounded)
	}
}

// TestMSE: the fit with MSE has a smaller MSE than that with cross-entropy.
func TestMSE(t *testing.T) {
	syn := synthetic.Games{Games: 300, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 25}
	s := syn.Store(t)
	terms := syn.List(objective.NewTapered(8))
	c := NewConfig()
	c.K, c.Loss, c.Valid, c.KeepScale = syn.K, objective.MSE, 0, true
	c.Prior = map[string]float64{"pieces": math.Inf(1)}
	r := setup.Must(Fit(context.Background(), s, terms, c))
	if !r.Converged {
		t.Fatalf("not converged: %d steps, %v from the minimum", r.Steps, r.Gap)
	}
	c.Loss = objective.CrossEntropy
	other := setup.Must(Fit(context.Background(), s, terms, c))
	omega, _ := s.Split(s.Clusters(), 0, 0)
	p := &objective.Problem{Store: s, Loss: objective.MSE, Target: objective.Targets(s, 1, 0), Omega: omega}
	m := setup.Must(p.Measure(context.Background(), other.fitted(), syn.K))
	if ce := lossesOf(&m).Train; r.Fit.Train >= ce {
		t.Errorf("MSE %v of the MSE fit, %v of the cross-entropy fit", r.Fit.Train, ce)
	}
}

func TestLambdaUsesScores(t *testing.T) {
	// Results are luck, scores are not: only scores know the weights.
	r := rand.New(rand.NewPCG(1, 2))
	s, terms := twoTerms(t, 4000, func(i int, row *rows.Row) {
		row.Entries = []rows.Entry{{Term: 0, Count: sign(r.IntN(2))}}
		row.Score = 300 * int16(row.Entries[0].Count)
		row.Result = float32(r.IntN(2))
	})
	c := NewConfig()
	c.K, c.KScore, c.Lambda, c.KeepScale = 0.004, 0.004, 0, true
	c.Prior = map[string]float64{"material": math.Inf(1)}
	got := setup.Must(Fit(context.Background(), s, terms, c))
	if x := got.Terms[0]; x.MG != 300 || x.EG != 300 {
		t.Errorf("fitted %+v to scores of 300", fitOf(x))
	}
}

// TestMatesAreNoScale: mates printed as centipawns, drawn a few times, leave the slope of the scores alone.
func TestMatesAreNoScale(t *testing.T) {
	slope := func(mates bool) float64 {
		r := rand.New(rand.NewPCG(1, 2))
		s, terms := twoTerms(t, 4000, func(i int, row *rows.Row) {
			row.Entries = []rows.Entry{{Term: 0, Count: sign(r.IntN(2))}}
			row.Score = 300 * int16(row.Entries[0].Count)
			if r.Float64() < objective.Sigmoid(0.005*float64(row.Score)) {
				row.Result = 1
			}
			if mates && i%200 == 0 {
				row.Score, row.Result = 29999, 0.5
			}
		})
		c := NewConfig()
		c.K, c.Lambda = 0.005, 0.3
		got := setup.Must(Fit(context.Background(), s, terms, c))
		return got.KScore
	}
	if with, without := slope(true), slope(false); math.Abs(with/without-1) > 0.03 || without < 0.004 {
		t.Errorf("K of the scores %v with mates, %v without", with, without)
	}
}

func TestFitK(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, k = 200000, 0.0051
	x, y, omega := make([]float64, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], omega[i] = 250*r.NormFloat64(), 1
		if r.Float64() < objective.Sigmoid(k*x[i]) {
			y[i] = 1
		}
	}
	for _, loss := range []objective.Loss{objective.CrossEntropy, objective.MSE} {
		got, err := objective.FitK(loss, x, y, omega)
		if err != nil || math.Abs(got/k-1) > 0.02 {
			t.Errorf("%v: K %v, want %v (%v)", loss, got, k, err)
		}
		mean := func(k float64) (sum float64) {
			for i := range x {
				v, _, _ := loss.At(k, x[i], float64(y[i]))
				sum += v / n
			}
			return sum
		}
		for _, f := range []float64{0.999, 1.001} {
			if at, other := mean(got), mean(got*f); other < at {
				t.Errorf("%v: loss %v at K, %v at %v K", loss, at, other, f)
			}
		}
	}
}

// TestUnitOfK: the bounds of K hold per centipawn, whatever the unit of the evaluation.
func TestUnitOfK(t *testing.T) {
	for _, unit := range []float64{1, 100, 1 << 18} {
		s, terms := twoTerms(t, 1000, noisy)
		terms[0].MG, terms[0].EG = unit, unit
		p := &objective.Problem{Store: s, Unit: unit / 100, Target: objective.Targets(s, 1, 0)}
		p.Omega, _ = s.Split(s.Clusters(), 0, 0)
		if k, err := p.FitK(t.Context(), objective.StartOf(terms)); !(math.Abs(k*unit-math.Log(3)) < 1e-3) {
			t.Errorf("unit %g: K %g (%v)", unit, k, err)
		}
	}
}

// TestCancel: a cancelled fit says so, and returns the best weights if it had
// any, even if only their errors are missing.
func TestCancel(t *testing.T) {
	syn := synthetic.Games{Games: 300, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 26}
	s := syn.Store(t)
	for _, moment := range []string{"step 2", "errors, tables"} {
		ctx, cancel := context.WithCancel(context.Background())
		c := NewConfig()
		c.K = syn.K
		c.Progress = func(done, _ int64, note string) {
			if strings.HasPrefix(note, moment) {
				cancel()
			}
		}
		r, err := Fit(ctx, s, syn.List(objective.NewTapered(8)), c)
		if !errors.Is(err, context.Canceled) || r == nil || !r.Partial {
			t.Fatalf("at %s: error %v, result %v", moment, err, r)
		}
		if r.Fit.Train >= r.Start.Train || r.Terms[0].SEMG != 0 || r.Tables != nil {
			t.Errorf("at %s: loss %v at the start, %v when cancelled; %+v", moment, r.Start, r.Fit, r.Terms[0])
		}
	}
}

func fitOf(x TermFit) [2]float64 { return [2]float64{x.FitMG, x.FitEG} }

// TestLargeFit: a fit whose matrices would take too much memory has the weights of one with them,
// under the same design effect, and a verdict; standard errors are not known.
func TestLargeFit(t *testing.T) {
	syn := synthetic.Games{Games: 400, Rows: 10, Terms: 40, PerRow: 8, K: 0.006, Seed: 71}
	s, terms := syn.Store(t), syn.List(objective.NewTapered(syn.Terms))
	terms[3].Mirror, terms[4].Mirror, terms[7].Tapered = 4, 3, false
	c := NewConfig()
	c.K = syn.K
	fit := func(memory int64, design float64, method string) *Result {
		c.Memory, c.Design, c.Method = memory, design, method
		return setup.Must(Fit(context.Background(), s, terms, c))
	}
	want := fit(1<<40, designFirst, "")
	for _, method := range []string{"", "gauss-newton", "adam"} {
		r := fit(1, 0, method)
		if !r.Converged || r.Gap.Known() && !math.IsInf(float64(r.Gap), 1) ||
			math.Abs(float64(r.Fit.Train-want.Fit.Train)) > 1e-5 {
			t.Errorf("%q: %+v, want %+v; converged %v, gap %v", method, r.Fit, want.Fit, r.Converged, r.Gap)
		}
		if r.Design != designFirst || r.Answer == "" {
			t.Errorf("%q: D %v, verdict %+v, want %+v", method, r.Design, r.Verdict, want.Verdict)
		}
		for i, x := range r.Terms {
			y := want.Terms[i]
			if math.Abs(x.FitMG-y.FitMG) > 1 || math.Abs(x.FitEG-y.FitEG) > 1 {
				t.Errorf("%q: %s %v, %v, want %v, %v", method, x.Name, x.FitMG, x.FitEG, y.FitMG, y.FitEG)
			}
			if x.SEMG.Known() || x.SEEG.Known() || x.Few() || x.Moved() || x.IntervalMG != (Interval{}) {
				t.Errorf("%q: errors of %+v", method, x)
			}
		}
	}
}
