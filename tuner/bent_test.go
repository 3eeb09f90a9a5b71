package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// bentStore builds a store, keeping the formula where it is linear.
func bentStore(t testing.TB, set dataset.FeatureSet, data []dataset.FeatureRow, keep bool) *rows.Store {
	t.Helper()
	if keep { // the difference is 0, but not linear
		set.Formula = strings.Replace(set.Formula, "value = ", "value = abs(main.mg) - abs(main.mg) + ", 1)
	}
	s, err := rows.Build{}.Features(context.Background(), set,
		[]rows.FeatureSource{{Name: "simulated", Rows: synthetic.Seq(data)}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLinearFormula: a linear evaluation written as a formula is recognized, and gives the same
// fit if it is not.
func TestLinearFormula(t *testing.T) {
	set := synthetic.LinearSet(8)
	data := synthetic.BentGames(t, set, 400, 10, 1)
	for i := range set.Terms { // guesses
		set.Terms[i].MG, set.Terms[i].EG = 80, 80
	}
	fast, slow := bentStore(t, set, data, false), bentStore(t, set, data, true)
	if fast.Bend() != nil || slow.Bend() == nil {
		t.Fatal("a linear formula is not recognized, or the switch does nothing")
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
			a := setup.Must(Fit(context.Background(), fast, rows.TermsOfFeatures(set), c))
			b := setup.Must(Fit(context.Background(), slow, rows.TermsOfFeatures(set), c))
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
	set := synthetic.BentSet(6)
	set.Formula = strings.Replace(set.Formula, "value = ", "value = balance(curve[danger/60])*phase + ", 1)
	for i, v := range []float64{0, 5, 12, 30, 31, 45} { // a table of the formula
		set.Terms = append(set.Terms, dataset.FeatureTerm{Name: fmt.Sprintf("curve.%d", i), Kind: dataset.ScalarTerm, MG: v,
			EG: v, Step: 0.5})
	}
	data := synthetic.BentGames(t, set, 100, 10, 2)
	s := bentStore(t, set, data, false)
	terms := rows.TermsOfFeatures(set)
	p := &objective.Problem{Store: s, K: synthetic.BentK, Target: objective.Targets(s, 1, 0)}
	for _, c := range s.Chunks {
		w := make([]float32, c.Rows)
		for i := range w {
			w[i] = 1
		}
		p.Omega = append(p.Omega, w)
	}
	w, g := objective.StartOf(terms), objective.NewTapered(len(terms))
	for i := range terms { // no sum is exactly 0, where the derivative is another on either side
		w.MG[i] *= 1 + 1e-4*math.Sqrt(float64(i+2))
		w.EG[i] *= 1 - 1e-4*math.Sqrt(float64(i+3))
	}
	ctx := context.Background()
	if _, err := p.Gradient(ctx, w, g); err != nil {
		t.Fatal(err)
	}
	value := func() float64 {
		v := setup.Must(p.Gradient(ctx, w, objective.Tapered{}))
		return v
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
	if checked < 2*6+4+1+1+6 {
		t.Errorf("only %d derivatives are not 0", checked)
	}
	n := 2 * len(terms)
	dense := make([]float64, n*n)
	err := p.EachDerivative(ctx, w, func(_, _ int, _, h float64, parts []objective.Part) {
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
	})
	if err != nil {
		t.Fatal(err)
	}
	params := objective.NewParams(terms, objective.StartOf(terms), make([]bool, len(terms)), make([]float64, len(terms)),
		leaders(len(terms)))
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

func leaders(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// TestBentScale: under too small a slope a fit makes larger evaluations. By default another slope
// keeps their scale, and the losses are those under the right slope.
func TestBentScale(t *testing.T) {
	set := synthetic.BentSet(6)
	s := bentStore(t, set, synthetic.BentGames(t, set, 1000, 10, 3), false)
	c := NewConfig()
	c.Valid, c.K = 0, synthetic.BentK
	right := setup.Must(Fit(t.Context(), s, rows.TermsOfFeatures(set), c))
	for _, keep := range []bool{true, false} {
		c.K, c.KeepScale = 0.6*synthetic.BentK, keep
		r := setup.Must(Fit(t.Context(), s, rows.TermsOfFeatures(set), c))
		start, w := objective.StartOf(rows.TermsOfFeatures(set)), objective.NewTapered(len(r.Terms))
		for i, x := range r.Terms {
			w.MG[i], w.EG[i] = x.FitMG, x.FitEG
		}
		before := setup.Must(objective.RMS(t.Context(), s, 2, start))
		after := setup.Must(objective.RMS(t.Context(), s, 2, w))
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
	truth := synthetic.BentSet(6)
	data := synthetic.BentGames(t, truth, 1500, 10, 3)
	s := bentStore(t, truth, data, false)
	c := NewConfig()
	c.Prior = map[string]float64{objective.AllTerms: math.Inf(1)}
	c.Valid, c.K, c.Gap, c.KeepScale = 0, synthetic.BentK, 1e-12, true
	r := rand.New(rand.NewPCG(4, 5))
	var first *Result
	for start := range 3 {
		set := synthetic.BentSet(6)
		for i := range set.Terms {
			x := &set.Terms[i]
			if start > 0 {
				f := 0.7 + 0.6*r.Float64()
				x.MG, x.EG = x.MG*f, x.EG*f
			}
		}
		f := setup.Must(Fit(context.Background(), s, rows.TermsOfFeatures(set), c))
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
			step, se := v.StepOf(), float64([2]num.Float{x.SEMG, x.SEEG}[half])
			z := (fit - [2]float64{v.MG, v.EG}[half]/step) / se
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

// TestBentRowError: a start value that divides by 0 is an error with the row, and no fit.
func TestBentRowError(t *testing.T) {
	set := synthetic.BentSet(3)
	set.Formula = strings.Replace(set.Formula, "/ 400", "/ (share - 0.3)", 1)
	_, err := rows.Build{}.Features(context.Background(), set,
		[]rows.FeatureSource{{Name: "simulated", Rows: synthetic.Seq(synthetic.BentGames(t, synthetic.BentSet(3), 10, 2,
			1))}})
	if !errors.Is(err, formula.ErrFormula) || !strings.Contains(err.Error(), "row 1") ||
		!strings.Contains(err.Error(), "division by 0") {
		t.Errorf("%v", err)
	}
}

// TestUnidentified: a scalar that only repeats the scale of a channel is held, and named.
func TestUnidentified(t *testing.T) {
	set := synthetic.BentSet(3)
	set.Formula = strings.Replace(set.Formula, "/ 400", "/ divisor", 1)
	set.Terms = append(set.Terms, dataset.FeatureTerm{Name: "divisor", Kind: dataset.ScalarTerm, MG: 400, EG: 400,
		Step: 10})
	s := bentStore(t, set, synthetic.BentGames(t, set, 300, 8, 9), false)
	c := NewConfig()
	c.Prior = map[string]float64{objective.AllTerms: math.Inf(1)}
	r := setup.Must(Fit(context.Background(), s, rows.TermsOfFeatures(set), c))
	if len(r.Bend.Held) != 1 || r.Bend.Held[0] != "divisor" || r.Terms[len(r.Terms)-1].MG != 40 {
		t.Errorf("held %v, the divisor is %d steps", r.Bend.Held, r.Terms[len(r.Terms)-1].MG)
	}
	said := strings.Join(r.Warnings, "\n")
	if !strings.Contains(said, "divisor is held at its start value") ||
		!strings.Contains(said, "danger.0, danger.1, danger.2, danger.3") {
		t.Error(said)
	}
	f := setup.Must(r.FileOf(set.Model, nil, Pedigree{}))
	text, err := f.Encode()
	if err != nil || !strings.Contains(string(text), `"formula": "let q = max(danger, 0)^2 / divisor`) ||
		!strings.Contains(string(text), `"mg": 40, "step": 10`) {
		t.Errorf("%s, %v", text, err)
	}
	again, err := models.ParseAny("weights.json", text)
	if err != nil || again.ID() != f.ID() {
		t.Fatalf("%v", err)
	}
	again.Formula += " "
	if again.ID() == f.ID() {
		t.Error("another formula has the same id")
	}
}

// TestWorthIt: the bent formula that the games were made from predicts held-out games better
// than a linear one of the same channels, and not the other way round.
func TestWorthIt(t *testing.T) {
	set := synthetic.BentSet(4)
	data := synthetic.BentGames(t, set, 1500, 8, 12)
	flat := set
	flat.Formula = "value = (main.mg + balance(danger)*0.3)*phase + (main.eg + balance(danger)*share)*(1 - phase)"
	fit := func(set dataset.FeatureSet) *Result {
		c := NewConfig()
		c.Folds = 5
		r := setup.Must(Fit(context.Background(), bentStore(t, set, data, false), rows.TermsOfFeatures(set), c))
		return r
	}
	bent, line := fit(set), fit(flat)
	setup.Check(t, bent.CompareBend(line))
	setup.Check(t, line.CompareBend(bent))
	if p := bent.Bend.Against; p.Interval[0] <= 0 || p.Clusters != 1500 || line.Bend.Against.Interval[1] >= 0 {
		t.Errorf("%s; the other way %s", bent.Bend.Comparison(), line.Bend.Comparison())
	}
	t.Log(bent.Bend.Comparison())
}

// TestBentWorkers: the same bytes for any number of workers, and on disk.
func TestBentWorkers(t *testing.T) {
	set := synthetic.BentSet(4)
	data := synthetic.BentGames(t, set, 1500, 8, 13)
	var first *Result
	for _, workers := range []int{1, 2, 3} {
		b := rows.Build{}
		if workers == 3 {
			b.Disk = t.TempDir()
		}
		s, err := b.Features(context.Background(), set, []rows.FeatureSource{{Name: "simulated", Rows: synthetic.Seq(data)}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		c := NewConfig()
		c.Workers = workers
		r := setup.Must(Fit(context.Background(), s, rows.TermsOfFeatures(set), c))
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
