package tuner

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestHeadline compares the verdict on simulated games with the truth: the loss of start and
// tuned weights against the results to expect under the true weights.
func TestHeadline(t *testing.T) {
	base := synthetic.Games{Games: 400, Rows: 30, Terms: 60, PerRow: 12, Shared: 0.6, K: 0.006, Persistent: true,
		Dominant: 100, Spread: 12}
	truth, guessed := base.Truth(), objective.NewTapered(base.Terms)
	guessed.MG[0], guessed.EG[0] = truth.MG[0], truth.EG[0]
	exact := base
	exact.Games, exact.Seed, exact.Exact = 300, 999, true
	fixed := func(width float64) func(*Config, *synthetic.Games) {
		return func(c *Config, _ *synthetic.Games) {
			c.ChoosePrior, c.Prior = false, map[string]float64{objective.AllTerms: width}
		}
	}
	games := func(n int) func(*Config, *synthetic.Games) {
		return func(_ *Config, s *synthetic.Games) { s.Games = n }
	}
	seen := map[bool]int{}
	for _, tt := range []struct {
		name   string
		start  objective.Tapered
		change func(*Config, *synthetic.Games)
		tested bool   // on other games of the truth
		want   string // answers that are right
		gains  bool   // in truth
	}{
		{"guessed weights", guessed, games(1200), false, Better, true},
		{"guessed weights, no choice of priors", guessed, func(c *Config, s *synthetic.Games) {
			c.ChoosePrior, s.Games = false, 1200
		}, false, Better, true},
		{"guessed weights, tested", guessed, nil, true, Better, true},
		{"guessed weights, too few games", guessed, games(30), false, noDifference, false},
		{"good weights", truth, nil, false, noDifference, false},
		{"good weights, too few games", truth, games(60), false, noDifference + worse, false},
		{"good weights, wide priors", truth, fixed(50), false, worse, false},
		{"good weights, next to no priors", truth, fixed(1000), false, worse, false},
		{"good weights, narrow priors", truth, fixed(2), false, noDifference, false},
		{"good weights, noisy rows", truth, func(_ *Config, s *synthetic.Games) { s.Noise = 0.6 }, false, noDifference +
			worse, false},
		{"good weights, games of another kind", truth, func(_ *Config, s *synthetic.Games) { s.Spread = -12 }, true, worse,
			false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			syn, c := base, NewConfig()
			syn.Seed, c.Folds, c.ChoosePrior = 100, 5, true
			if tt.change != nil {
				tt.change(&c, &syn)
			}
			terms := syn.List(tt.start)
			r := setup.Must(Fit(t.Context(), syn.Store(t), terms, c))
			verdict := r.Verdict
			setup.Check(t, r.TestOn(t.Context(), exact.Store(t), terms))
			if tt.tested {
				verdict = r.Verdict
			}
			seen[verdict.Answer == Better]++
			t.Logf("%s (%s), priors x %.2g; true gain %+.6f", verdict.Answer, verdict.Gain(), r.PriorFactor, r.Test.Gain)
			if gains := r.Test.Gain > 0; gains != tt.gains || !strings.Contains(tt.want, verdict.Answer) {
				t.Errorf("%s, want %s; true gain %+.6f", verdict.Answer, tt.want, r.Test.Gain)
			}
		})
	}
	if seen[true] < 3 || seen[false] < 3 {
		t.Errorf("better %d times, not %d times: it always says the same", seen[true], seen[false])
	}
}

// TestScale: an external evaluation keeps the scale of the fit while a centipawn means what it
// did; else its old size.
func TestScale(t *testing.T) {
	syn := synthetic.Games{Games: 300, Rows: 20, Terms: 4, PerRow: 3, K: 0.006, Seed: 31}
	start := syn.Truth()
	start.MG[1], start.EG[1] = start.MG[1]+40, start.EG[1]+40
	c := NewConfig()
	r := setup.Must(Fit(t.Context(), syn.Store(t), syn.List(start), c))
	if s := r.Scale; r.Rescale != 1 || s.Kept || s.Rows == 0 || s.Rows >= r.RowsTrain || s.Pawn < 90 || s.Pawn > 111 {
		t.Errorf("rescaled by %v: %v", r.Rescale, s)
	}
	c.K = 0.012 // half the size fits it
	r = setup.Must(Fit(t.Context(), syn.Store(t), syn.List(start), c))
	if s := r.Scale; r.Rescale < 1.5 || !s.Kept || s.KTuned < 1.5*s.KStart || s.Pawn < 80 || s.Pawn > 120 {
		t.Errorf("K given, rescaled by %v: %v", r.Rescale, s)
	}
	terms := syn.List(start)
	for i := range terms {
		terms[i].Own = true
	}
	c.K = 0
	r = setup.Must(Fit(t.Context(), syn.Store(t), terms, c))
	if r.Scale != nil || r.Rescale == 1 {
		t.Errorf("our own model, rescaled by %v: %v", r.Rescale, r.Scale)
	}
}

// TestRoundingWarning: weights of a few units lose what they gain by rounding.
func TestRoundingWarning(t *testing.T) {
	for spread, want := range map[float64]bool{0.7: true, 20: false} {
		syn := synthetic.Games{Games: 400, Rows: 20, Terms: 6, PerRow: 3, K: 0.1, Seed: 32, Spread: spread}
		if !want {
			syn.K = 0.006
		}
		c := NewConfig()
		c.K, c.Prior = syn.K, map[string]float64{objective.AllTerms: 100}
		r := setup.Must(Fit(t.Context(), syn.Store(t), syn.List(objective.NewTapered(syn.Terms)), c))
		if warned := strings.Contains(strings.Join(r.Warnings, "\n"), "rounding to integers costs"); warned != want {
			t.Errorf("weights of %v: warned %v: %v -> %v, rounded %v", spread, warned, r.Start.Train, r.Fit.Train,
				r.Rounded.Train)
		}
	}
}

// ablatable is games of eight terms; the two of the group dead say nothing.
func ablatable(t *testing.T) (*rows.Store, []rows.Term, Config) {
	syn := synthetic.Games{Games: 300, Rows: 15, Terms: 8, PerRow: 4, K: 0.005, Seed: 5}
	truth, r, b := syn.Truth(), rand.New(rand.NewPCG(3, 7)), rows.NewBuilder(8)
	for i := 6; i < 8; i++ {
		truth.MG[i], truth.EG[i] = 0, 0
	}
	for g := range syn.Games {
		for range syn.Rows {
			row := rows.Row{Entries: syn.Entries(r), Phase: r.IntN(rows.MaxPhase + 1), Scale: 1, Weight: 1, Score: rows.NoScore,
				Game: uint64(g + 1)}
			if r.Float64() < objective.Sigmoid(syn.K*synthetic.Evaluate(&row, truth)) {
				row.Result = 1
			}
			setup.Check(t, b.Add(&row))
		}
	}
	for i := range truth.MG {
		truth.MG[i], truth.EG[i] = math.Round(truth.MG[i]/2), math.Round(truth.EG[i]/2)
	}
	terms := syn.List(truth)
	for i, name := range []string{"a", "a", "a", "b", "b", "b", "dead", "dead"} {
		terms[i].Group = name
	}
	c := NewConfig()
	c.K, c.Design, c.KeepScale, c.Folds = syn.K, 1, true, 4
	return synthetic.Finish(t, b), terms, c
}

// The loss without a group comes from cross-validated fits in which its terms are 0 from the start and frozen.
func TestAblation(t *testing.T) {
	s, terms, c := ablatable(t)
	c.Ablate = Groups
	r := setup.Must(Fit(context.Background(), s, terms, c))
	if len(r.Ablations) != 3 {
		t.Fatalf("%+v", r.Ablations)
	}
	for i, a := range r.Ablations {
		if i > 0 && a.Rise > r.Ablations[i-1].Rise {
			t.Error("not in order")
		}
		if want := map[string]string{"a": Helps, "b": Helps, "dead": NotShown}[a.Name]; a.Verdict() != want {
			t.Errorf("%s: %s, want %s: %+v", a.Name, a.Verdict(), want, a)
		}
		without := append([]rows.Term(nil), terms...)
		for j := range without {
			if without[j].Group == a.Name {
				without[j].MG, without[j].EG = 0, 0
			}
		}
		d := c
		d.Ablate, d.Freeze = "", []string{a.Name}
		o := setup.Must(Fit(context.Background(), s, without, d))
		if off := math.Abs(o.CrossValidation.Tuned - a.Loss); off > 2e-5 { // weights are rounded
			t.Errorf("without %s the loss is %v, of a fit with it frozen at 0 %v", a.Name, a.Loss, o.CrossValidation.Tuned)
		}
		if off := math.Abs(a.Loss - a.Rise - r.CrossValidation.Tuned); off > 1e-6 {
			t.Errorf("%s: the loss with it is %v, of the fit %v", a.Name, a.Loss-a.Rise, r.CrossValidation.Tuned)
		}
	}
	c.Ablate = ""
	if plain, err := Fit(context.Background(), s, terms, c); err != nil || plain.Rounded != r.Rounded {
		t.Errorf("ablation changes the fit: %v, %v", plain, err)
	}
	c.Ablate, c.Freeze = Groups, []string{"b", "dead"} // without a nothing is free
	for _, a := range setup.Must(Fit(context.Background(), s, terms, c)).Ablations {
		if a.Name == "a" && !(a.Rise > 0) {
			t.Errorf("%+v", a)
		}
	}
}

// Each term by itself; tied ones go together.
func TestAblationOfTerms(t *testing.T) {
	s, terms, c := ablatable(t)
	terms[0].Mirror, terms[3].Mirror = 3, 0
	c.Ablate, c.Folds = Terms, 2
	r := setup.Must(Fit(context.Background(), s, terms, c))
	names := map[string]int{}
	for _, a := range r.Ablations {
		names[a.Name] = a.Terms
	}
	if len(names) != 7 || names["t0=t3"] != 2 || names["t6"] != 1 {
		t.Errorf("%v", names)
	}
	c.Trace = func(Step) { t.Error("a step before an ablation is refused") }
	c.Folds = 0
	if _, err := Fit(context.Background(), s, terms, c); !errors.Is(err, objective.ErrConfig) {
		t.Errorf("without folds: %v", err)
	}
	c.Folds, c.Memory = 2, 1
	_, err := Fit(context.Background(), s, terms, c)
	if err == nil || !strings.Contains(err.Error(), "an ablation needs matrices") {
		t.Errorf("without memory: %v", err)
	}
}

// phases256 returns positions of an engine whose phase has 256 steps: their predicted
// results follow from the true values under K, to the bit of a float32.
func phases256(n int, truth objective.Tapered, k float64, phase func(i int) float32) []dataset.FeatureRow {
	r := rand.New(rand.NewPCG(1, 256))
	var out []dataset.FeatureRow
	for i := range n {
		row := dataset.FeatureRow{Phase: phase(i), Scale: 1, Eval: dataset.NoEval, Score: dataset.NoScore, Weight: 1,
			Game: uint64(i/5 + 1)}
		x := 0.0
		for t := range truth.MG {
			if c := r.IntN(5) - 2; c != 0 {
				row.Terms, row.Counts = append(row.Terms, uint16(t)), append(row.Counts, float32(c))
				p := float64(row.Phase)
				x += float64(c) * (truth.MG[t]*p + truth.EG[t]*(1-p))
			}
		}
		row.Result = float32(objective.Sigmoid(k * x))
		out = append(out, row)
	}
	return out
}

// TestForeignPhases: any phase counts as it is. Phases of few values stand in chunks of
// their own, others carry their factors; both give the evaluations and the known values.
func TestForeignPhases(t *testing.T) {
	const k = 0.006
	ctx := context.Background()
	truth := objective.Tapered{MG: []float64{80, -30, 12}, EG: []float64{20, 50, 12.5}}
	set := dataset.FeatureSet{Model: "mine", Terms: []dataset.FeatureTerm{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	for _, tt := range []struct {
		name  string
		phase func(i int) float32
		mixed func(rows int) bool
	}{
		{"24 steps", func(i int) float32 { return float32(i%25) / 24 }, func(n int) bool { return n > 3000 }},
		{"four of 256", func(i int) float32 { return float32(51*(i%4)+1) / 256 }, func(n int) bool { return n == 0 }},
		{"256 steps", func(i int) float32 { return float32(i*37%257) / 256 }, func(n int) bool { return n > 3000 }},
		{"all different", func(i int) float32 { return float32(i) / 4096 }, func(n int) bool { return n > 3000 }},
	} {
		features := phases256(4000, truth, k, tt.phase)
		s := setup.Must(rows.Build{}.Features(ctx, set, []rows.FeatureSource{featureSource(features)}))
		mixed := 0
		for _, c := range s.Chunks {
			if c.Mixed() {
				mixed += c.Rows
			}
		}
		if !tt.mixed(mixed) || s.Rows() != 4000 {
			t.Errorf("%s: %d of %d rows carry their factors", tt.name, mixed, s.Rows())
		}
		c := NewConfig()
		c.K, c.KeepScale, c.Valid, c.Design = k, true, 0, 1
		c.Prior = map[string]float64{"a": math.Inf(1), "b": math.Inf(1), "c": math.Inf(1)}
		r := setup.Must(Fit(ctx, s, rows.TermsOfFeatures(set), c))
		for i, x := range r.Terms {
			if math.Abs(x.FitMG-truth.MG[i]) > 1e-3 || math.Abs(x.FitEG-truth.EG[i]) > 1e-3 {
				t.Errorf("%s: %s is %v, %v, want %v, %v", tt.name, x.Name, x.FitMG, x.FitEG, truth.MG[i], truth.EG[i])
			}
		}
	}
}
