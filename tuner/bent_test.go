package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestLinearFormula: a linear evaluation written as a formula gives the same fit as its sum.
func TestLinearFormula(t *testing.T) {
	e := &synthetic.Bent{Channels: []formula.Channel{{Name: "main", Tapered: true}}}
	e.Formula = formula.New("linear", func(b *formula.Builder) formula.Value {
		phase := b.Read(formula.Input{Channel: formula.Phase})
		mg, eg := b.Read(formula.Input{Channel: 0}), b.Read(formula.Input{Channel: 0, Endgame: true})
		return mg.Times(phase).Plus(eg.Times(b.Number(1).Minus(phase)))
	})
	for i := range 8 {
		e.Add(0, fmt.Sprintf("main.%d", i), float64(60+10*i), float64(90-5*i))
	}
	data := e.Games(400, 10, 1)
	line := rows.NewBuilder(len(e.Terms))
	for i := range data {
		row := rows.Row{Phase: data[i].Phase, Scale: 1, Result: data[i].Result, Score: rows.NoScore, Weight: 1,
			Game: data[i].Game}
		for term, n := range data[i].Counts {
			if n[0] != 0 {
				row.Entries = append(row.Entries, rows.Entry{Term: uint16(term), Count: n[0]})
			}
		}
		setup.Check(t, line.Add(&row))
	}
	fast, slow := synthetic.Finish(t, line), e.Store(t, data, "")
	for i := range e.Terms { // guesses
		e.Terms[i].MG, e.Terms[i].EG = 80, 80
	}
	for name, change := range map[string]func(*Config){
		"prior":     func(*Config) {},
		"free":      func(c *Config) { c.Prior = map[string]float64{objective.AllTerms: math.Inf(1)} },
		"mse":       func(c *Config) { c.Loss = objective.MSE },
		"few games": func(c *Config) { c.Valid = 0.8 },
		"folds":     func(c *Config) { c.Folds = 5 },
	} {
		t.Run(name, func(t *testing.T) {
			c := NewConfig()
			c.KeepScale, c.Gap = true, 1e-15
			change(&c)
			a := setup.Must(Fit(context.Background(), fast, e.Terms, c))
			b := setup.Must(Fit(context.Background(), slow, e.Terms, c))
			close := func(what string, x, y, tolerance float64) {
				if !(math.Abs(x-y) <= tolerance*(1+math.Abs(x))) {
					t.Errorf("%s: %.12g as linear, %.12g as a formula", what, x, y)
				}
			}
			close("K", a.K, b.K, 1e-9)
			close("design effect", a.Design, b.Design, 1e-6)
			close("effective parameters", a.Effective, b.Effective, 1e-6)
			close("validation loss", float64(a.Fit.Valid), float64(b.Fit.Valid), 1e-9)
			if a.CrossValidation != nil {
				close("cross-validated gain", a.CrossValidation.Gain, b.CrossValidation.Gain, 1e-6)
			}
			for i := range a.Terms {
				x, y := &a.Terms[i], &b.Terms[i]
				close(x.Name, x.FitMG, y.FitMG, 1e-6)
				close(x.Name, x.FitEG, y.FitEG, 1e-6)
				close(x.Name+" error", float64(x.SEMG), float64(y.SEMG), 1e-6)
				close(x.Name+" error", float64(x.SEEG), float64(y.SEEG), 1e-6)
				close(x.Name+" naive error", float64(x.NaiveMG), float64(y.NaiveMG), 1e-6)
				close(x.Name+" games", x.EffectiveGames, y.EffectiveGames, 1e-6)
				close(x.Name+" typical count", x.TypicalCount, y.TypicalCount, 1e-6)
				if x.Count != y.Count {
					t.Errorf("%s occurs %d and %d times", x.Name, x.Count, y.Count)
				}
			}
		})
	}
}

// TestBentGradient compares the objective's derivatives with central differences, and the
// Gauss-Newton matrix with sums over rows.
func TestBentGradient(t *testing.T) {
	e := synthetic.NewBent(6, true)
	s, terms := e.Store(t, e.Games(100, 10, 2), ""), e.Terms
	p := &objective.Problem{Store: s, K: synthetic.BentK, Target: objective.Targets(s, 1, 0)}
	p.Omega, _ = s.Split(s.Clusters(), 0, 0)
	w, g := objective.StartOf(terms), objective.NewTapered(len(terms))
	for i := range terms { // no sum is exactly 0, where the derivative is another on either side
		w.MG[i] *= 1 + 1e-4*math.Sqrt(float64(i+2))
		w.EG[i] *= 1 - 1e-4*math.Sqrt(float64(i+3))
	}
	ctx := context.Background()
	setup.Must(p.Gradient(ctx, w, g))
	value := func() float64 {
		return setup.Must(p.Gradient(ctx, w, objective.NewTapered(len(terms))))
	}
	checked := 0
	for i := range terms {
		for half, x := range [2]*float64{&w.MG[i], &w.EG[i]} {
			got := [2]float64{g.MG[i], g.EG[i]}[half]
			const h = 1e-5
			center := *x
			*x = center + h
			up := value()
			*x = center - h
			down := value()
			*x = center
			want := (up - down) / (2 * h)
			if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s, half %d: %v, want %v", terms[i].Name, half, got, want)
			}
			if got != 0 {
				checked++
			}
		}
	}
	if checked < 2*6+4+1 {
		t.Errorf("only %d derivatives are not 0", checked)
	}
	n := 2 * len(terms)
	dense := make([]float64, n*n)
	setup.Check(t, p.EachDerivative(ctx, w, func(_, _ int, _, h float64, parts []objective.Part) {
		x := make([]float64, n)
		for _, e := range parts {
			x[2*e.Term] += float64(e.Count) * e.MG
			x[2*e.Term+1] += float64(e.Count) * e.EG
		}
		for i := range n {
			for j := range n {
				dense[i*n+j] += h * x[i] * x[j]
			}
		}
	}))
	leader := setup.Must(objective.Leaders(terms, false))
	params := objective.NewParams(terms, objective.StartOf(terms), make([]bool, len(terms)), make([]float64, len(terms)),
		leader)
	grams := setup.Must(p.Gram(ctx, w, objective.Curvature))
	got := params.FoldGram(grams[0])
	fold := make([][]float64, params.N)
	for j := range fold {
		fold[j] = make([]float64, params.N)
	}
	for i := range n {
		for j := range n {
			of := func(k int) int { return [2]int{params.MG[k/2], params.EG[k/2]}[k%2] }
			fold[of(i)][of(j)] += dense[i*n+j]
		}
	}
	for j := range fold {
		for k := range fold {
			if math.Abs(got.At(j, k)-fold[j][k]) > 1e-9*(1+math.Abs(fold[j][k])) {
				t.Fatalf("element %d, %d is %v, want %v", j, k, got.At(j, k), fold[j][k])
			}
		}
	}
}

// TestBentScale: under too small a slope a fit makes larger evaluations. By default another slope
// keeps their scale, and the losses are those under the right slope.
func TestBentScale(t *testing.T) {
	e := synthetic.NewBent(6, false)
	s := e.Store(t, e.Games(1000, 10, 3), "")
	c := NewConfig()
	c.Valid, c.K = 0, synthetic.BentK
	right := setup.Must(Fit(t.Context(), s, e.Terms, c))
	for _, keep := range []bool{true, false} {
		c.K, c.KeepScale = 0.6*synthetic.BentK, keep
		r := setup.Must(Fit(t.Context(), s, e.Terms, c))
		before := setup.Must(objective.RMS(t.Context(), s, 2, objective.StartOf(e.Terms)))
		after := setup.Must(objective.RMS(t.Context(), s, 2, r.fitted()))
		switch ratio := after / before; {
		case keep && (ratio < 1.3 || r.K != c.K || r.Scale.Kept):
			t.Errorf("scale as fitted: evaluations are %.3f times as large under K %.5f: %v", ratio, r.K, r.Scale)
		case !keep && (math.Abs(ratio-1) > 0.03 || math.Abs(r.K/synthetic.BentK-1) > 0.1 || !r.Scale.Kept ||
			math.Abs(float64(r.Fit.Train-right.Fit.Train)) > 1e-3):
			t.Errorf("scale kept: evaluations are %.3f times as large under K %.5f, loss %.5f of %.5f: %v", ratio, r.K,
				r.Fit.Train, right.Fit.Train, r.Scale)
		}
	}
}

// TestBentRecovers fits simulated games of a bent evaluation from three starts: they meet, and
// near the truth.
func TestBentRecovers(t *testing.T) {
	truth := synthetic.NewBent(6, false)
	s := truth.Store(t, truth.Games(1500, 10, 3), "")
	c := NewConfig()
	c.Prior = map[string]float64{objective.AllTerms: math.Inf(1)}
	c.Valid, c.K, c.Gap, c.KeepScale = 0, synthetic.BentK, 1e-12, true
	r := rand.New(rand.NewPCG(4, 5))
	var first *Result
	for start := range 3 {
		terms := slices.Clone(truth.Terms)
		for i := range terms {
			x := &terms[i]
			if start > 0 {
				f := 0.7 + 0.6*r.Float64()
				x.MG, x.EG = x.MG*f, x.EG*f
			}
		}
		f := setup.Must(Fit(context.Background(), s, terms, c))
		if first == nil {
			first = f
		}
		if d := math.Abs(float64(f.Fit.Train - first.Fit.Train)); d > 1e-8 || !f.Converged {
			t.Errorf("start %d ends %.2g from the first's loss, converged %v after %d steps", start, d, f.Converged, f.Steps)
		}
	}
	far, worst := 0, 0.0
	n := 0
	for i, x := range first.Terms {
		v := truth.Terms[i]
		for half, fit := range [2]float64{x.FitMG, x.FitEG} {
			z := (fit - [2]float64{v.MG, v.EG}[half]) / float64([2]num.Float{x.SEMG, x.SEEG}[half])
			if n++; math.Abs(z) > 2 {
				far++
			}
			worst = max(worst, math.Abs(z))
		}
	}
	if far > n/4 || worst > 4 {
		t.Errorf("%d of %d coefficients are more than two errors from the truth, the farthest %.1f", far, n, worst)
	}
	t.Logf("%d of %d beyond two errors, the farthest %.1f; loss %.6f, %d steps", far, n, worst, first.Fit.Train,
		first.Steps)
}

// TestBentWorkers: the same bytes for any number of workers, and on disk.
func TestBentWorkers(t *testing.T) {
	e := synthetic.NewBent(4, false)
	data := e.Games(1500, 8, 13)
	var first *Result
	for _, workers := range []int{1, 2, 3} {
		disk := ""
		if workers == 3 {
			disk = t.TempDir()
		}
		s := e.Store(t, data, disk)
		defer s.Close()
		c := NewConfig()
		c.Workers = workers
		r := setup.Must(Fit(context.Background(), s, e.Terms, c))
		if first == nil {
			first = r
		}
		for i := range r.Terms {
			if r.Terms[i] != first.Terms[i] {
				t.Fatalf("%d workers: %+v, want %+v", workers, r.Terms[i], first.Terms[i])
			}
		}
	}
}

// TestBentKinks: a coefficient that ends on a kink, and one whose rows are near a jump, are named.
func TestBentKinks(t *testing.T) {
	e := &synthetic.Bent{Channels: []formula.Channel{{Name: "main", Tapered: true}, {Name: "a"}, {Name: "b"}}}
	e.Formula = formula.New("kinks", func(b *formula.Builder) formula.Value {
		phase := b.Read(formula.Input{Channel: formula.Phase})
		mg, eg := b.Read(formula.Input{Channel: 0}), b.Read(formula.Input{Channel: 0, Endgame: true})
		v := mg.Times(phase).Plus(eg.Times(b.Number(1).Minus(phase)))
		a := b.Read(formula.Input{Channel: 1})
		v = v.Plus(b.If(b.Number(20).Less(a), b.Number(2), b.Number(1)).Times(a))
		return v.Minus(b.Read(formula.Input{Channel: 2}).Abs())
	})
	for i := range 4 {
		e.Add(0, fmt.Sprintf("main.%d", i), float64(60+10*i), float64(90-5*i))
	}
	e.Add(1, "jumpy", 17, 17)
	e.Add(2, "kinky", 20, 20)
	e.Add(2, "steady", 300, 300)
	data := e.Games(300, 10, 6)
	for i := range data { // the rows of kinky are won more often than its part may say
		row, n := &data[i], data[i].Counts[4:]
		had := [2]bool{n[1][0] != 0, n[2][0] != 0}
		if n[0][0] != 0 {
			n[0][0] = 1
		}
		n[1][0], n[2][0] = 0, 0
		switch {
		case had[0]:
			n[1][0], row.Result = 1, max(row.Result, float32(i%4/2))
		case had[1]:
			n[2][0] = 1
		}
	}
	c := NewConfig()
	c.Valid, c.K, c.Prior = 0, synthetic.BentK, map[string]float64{"jumpy": 0.1}
	r := setup.Must(Fit(t.Context(), e.Store(t, data, ""), e.Terms, c))
	if got := strings.Join(r.Nonlinear.OnKinks, ", "); got != "jumpy, kinky" ||
		!strings.Contains(strings.Join(r.Warnings, "\n"), "the errors of 2 coefficients are rough") {
		t.Errorf("%s are named, %v\n%+v", got, r.Warnings, r.Terms[4:])
	}
}

// TestScaleWarning: a fit that is solved again with other priors says once why it is not rescaled.
func TestScaleWarning(t *testing.T) {
	w := objective.NewTapered(1)
	w.MG[0] = 100
	f := &fitting{terms: []rows.Term{{Name: "a"}}, free: freedom{frozen: []bool{true}}}
	for range 2 {
		if f.scalable(w) {
			t.Error("it is rescaled")
		}
	}
	if len(f.warnings) != 1 {
		t.Errorf("%q", f.warnings)
	}
}

// TestBentMemory: a fit with a formula needs its matrices, and says so.
func TestBentMemory(t *testing.T) {
	e := synthetic.NewBent(6, false)
	c := NewConfig()
	c.Memory = 1 << 20
	if _, err := Fit(t.Context(), e.Store(t, e.Games(50, 4, 7), ""), e.Terms, c); !errors.Is(err, objective.ErrConfig) ||
		!strings.Contains(err.Error(), "needs matrices") {
		t.Errorf("%v", err)
	}
}
