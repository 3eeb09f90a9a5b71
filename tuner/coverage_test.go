//go:build experiment

package tuner

import (
	"math"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
)

// TestCoverageTable counts, for the table of TUNER.md, how often 95 % intervals of weights as
// written hold the truth: of the dominant coefficient and of the others.
func TestCoverageTable(t *testing.T) {
	const runs = 1200
	for _, kind := range []struct {
		name   string
		games  int
		scored bool
		change func(*Config)
	}{
		{"K given", 150, false, func(*Config) {}},
		{"K fitted", 150, false, func(c *Config) { c.K = 0 }},
		{"K fitted, not rescaled", 150, false, func(c *Config) { c.K, c.KeepScale = 0, true }},
		{"lambda 0.5, K of the scores fitted", 150, true, func(c *Config) { c.Lambda = 0.5 }},
		{"MSE, K fitted", 150, false, func(c *Config) { c.Loss, c.K = objective.MSE, 0 }},
		{"30 games, K fitted", 30, false, func(c *Config) { c.K = 0 }},
		{"60 games, K fitted", 60, false, func(c *Config) { c.K = 0 }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var dominant, others, constant coverage
			for i := range runs {
				syn := dominated(uint64(7000 + i))
				syn.Games, syn.Scored = kind.games, kind.scored
				start := syn.Truth()
				for j := range start.MG {
					start.MG[j], start.EG[j] = 0.6*start.MG[j]+10, 0.6*start.EG[j]+10
				}
				r, truth := fitRescaled(t, syn, start, math.Inf(1), kind.change)
				count(r, truth, &dominant, &others, &constant)
			}
			t.Logf("| %s | %v | %v | %v |", kind.name, &dominant, &others, &constant)
		})
	}
	t.Run("prior", coverageWithPrior)
}

// coverageWithPrior is about the penalized target: that of a fit to many games with the same
// prior in the same proportion.
func coverageWithPrior(t *testing.T) {
	const runs, tau, more = 1200, 25.0, 60
	syn := dominated(1)
	big := syn
	big.Games *= more
	start := syn.Truth()
	for j := range start.MG {
		start.MG[j], start.EG[j] = 0.8*start.MG[j]+10, 0.8*start.EG[j]+10
	}
	var design float64
	for i := range 10 {
		syn.Seed = uint64(2000 + i)
		r, _ := fitRescaled(t, syn, start, tau, func(c *Config) { c.Design = 0 })
		design += r.Design / 10
	}
	target, _ := fitRescaled(t, big, start, tau/math.Sqrt(more), func(c *Config) { c.Design, c.KeepScale = design, true })
	at := objective.NewTapered(syn.Terms)
	for j, x := range target.Terms {
		at.MG[j], at.EG[j] = x.FitMG, x.FitEG
	}
	var dominant, others, constant coverage
	for i := range runs {
		syn.Seed = uint64(9000 + i)
		s := syn.Store(t)
		truth := rescaledTruth(t, s, start, at)
		r, _ := fitRescaled(t, syn, start, tau, func(c *Config) { c.Design = design })
		count(r, truth, &dominant, &others, &constant)
	}
	t.Logf("| prior of %v centipawns of effect, the penalized target | %v | %v | %v |", tau, &dominant, &others, &constant)
}

// fitRescaled returns a fit, and the truth on its scale.
func fitRescaled(t *testing.T, syn synthetic.Games, start objective.Tapered, tau float64,
	change func(*Config)) (*Result, objective.Tapered) {
	t.Helper()
	s := syn.Store(t)
	c := NewConfig()
	c.K, c.Valid, c.Design, c.Workers, c.Rescale = syn.K, 0, 1, 1, true
	c.Prior = map[string]float64{"pieces": tau}
	change(&c)
	r, err := Fit(t.Context(), s, syn.List(start), c)
	if err != nil {
		t.Fatal(err)
	}
	truth := syn.Truth()
	if c.KeepScale { // on the scale of the K that was used
		for j := range truth.MG {
			truth.MG[j] *= syn.K / r.K
			truth.EG[j] *= syn.K / r.K
		}
		return r, truth
	}
	return r, rescaledTruth(t, s, start, truth)
}

// count adds the intervals of a fit: of the dominant coefficient, of the others, and of the
// dominant one if the factor of the rescaling were a constant.
func count(r *Result, truth objective.Tapered, dominant, others, constant *coverage) {
	for j := range r.Terms {
		x := &r.Terms[j]
		q := x.Quantile()
		if j == 0 {
			dominant.add(math.Abs(x.FitMG-truth.MG[0]) <= q*float64(x.SEMG))
			constant.add(math.Abs(x.FitMG-truth.MG[0]) <= q*float64(x.SEChangeMG))
			continue
		}
		others.add(math.Abs(x.FitMG-truth.MG[j]) <= q*float64(x.SEMG))
		others.add(math.Abs(x.FitEG-truth.EG[j]) <= q*float64(x.SEEG))
	}
}
