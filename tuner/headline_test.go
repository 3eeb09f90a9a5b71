package tuner

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
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
			c.ChoosePrior,
				s.Games = false, 1200
		}, false, Better, true},
		{"guessed weights, tested", guessed, nil, true, Better, true},
		{"guessed weights, too few games", guessed, games(30), false, noDifference, false},
		{"good weights", truth, nil, false, noDifference, false},
		{"good weights, too few games", truth, games(60), false, noDifference + Worse, false},
		{"good weights, wide priors", truth, fixed(50), false, Worse, false},
		{"good weights, next to no priors", truth, fixed(1000), false, Worse, false},
		{"good weights, narrow priors", truth, fixed(2), false, noDifference, false},
		{"good weights, noisy rows", truth, func(_ *Config, s *synthetic.Games) { s.Noise = 0.6 }, false, noDifference +
			Worse, false},
		{"good weights, games of another kind", truth, func(_ *Config, s *synthetic.Games) { s.Spread = -12 }, true, Worse,
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

// TestScale: a foreign evaluation keeps the scale of the fit while a centipawn means what it
// did; else its old size.
func TestScale(t *testing.T) {
	syn := synthetic.Games{Games: 300, Rows: 20, Terms: 4, PerRow: 3, K: 0.006, Seed: 31}
	start := syn.Truth()
	start.MG[1], start.EG[1] = start.MG[1]+40, start.EG[1]+40
	c := NewConfig()
	r, err := Fit(t.Context(), syn.Store(t), syn.List(start), c)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Scale; r.Rescale != 1 || s.Kept || s.Rows == 0 || s.Rows >= r.RowsTrain || s.Pawn < 90 || s.Pawn > 111 {
		t.Errorf("rescaled by %v: %v", r.Rescale, s)
	}
	c.K = 0.012 // half the size fits it
	if r, err = Fit(t.Context(), syn.Store(t), syn.List(start), c); err != nil {
		t.Fatal(err)
	}
	if s := r.Scale; r.Rescale < 1.5 || !s.Kept || s.KTuned < 1.5*s.KStart || s.Pawn < 80 || s.Pawn > 120 {
		t.Errorf("K given, rescaled by %v: %v", r.Rescale, s)
	}
	terms := syn.List(start)
	for i := range terms {
		terms[i].Own = true
	}
	c.K = 0
	if r, err = Fit(t.Context(), syn.Store(t), terms, c); err != nil {
		t.Fatal(err)
	}
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
