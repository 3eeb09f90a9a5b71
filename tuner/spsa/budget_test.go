//go:build experiment

package spsa

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The tables of SEARCH.md.

// nine are the parameters of testdata/search.toml, with the default c_end and r_end.
func nine(pairs int) Config {
	var c Config
	for i, r := range [][3]float64{{20, 95, 200}, {1536, 3476, 5120}, {0, 74, 300}, {256, 1903, 3072}, {20, 103, 250},
		{0, 997, 1800}, {1200, 2832, 3600}, {0, 1539, 3072}, {20, 180, 500}} {
		c.Parameters = append(c.Parameters, Parameter{Name: fmt.Sprint(i), Min: r[0], Start: r[1], Max: r[2],
			CEnd: (r[2] - r[0]) / CEndsInRange, Integer: true})
	}
	c.Iterations, c.Ahead = pairs, 4
	return c.WithDefaultREnd(1, 1)
}

const replications = 20

// What each number of pairs leaves to be found, with the default rate and with others.
func TestBudgetTable(t *testing.T) {
	for _, elo := range []float64{30, 100} {
		for _, pairs := range []int{300, 700, 2500, 10_000} {
			c := nine(pairs)
			run := func(c Config) Simulated {
				s, err := Simulate(t.Context(), c, 1, replications,
					func(run uint64) Hill { return RandomHill(c.Parameters, elo, 0.5, run) })
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			rate := func(r float64) Config { return c.Scaled(r/c.Parameters[0].REnd, 1) }
			s, n, old := run(c), run(rate(min(max(30/float64(pairs), 0.002), 0.1))), run(rate(0.002).Scaled(1, 0.5))
			t.Logf("| %g | %d | %v | %.1f ± %.1f | %.1f ± %.1f | %.0f %% | %.1f ± %.1f | %.1f ± %.1f |",
				elo, pairs, c.Parameters[0].REnd,
				-s.ValueElo, 1.96*s.ValueEloSE, -s.RegressElo, 1.96*s.RegressEloSE, 100*s.RegressCovered, -n.ValueElo,
				1.96*n.ValueEloSE, -old.ValueElo, 1.96*old.ValueEloSE)
		}
	}
}

// surface is a hill that is a parabola near its top, or everywhere.
type surface struct {
	Hill
	cap   float64 // of the distance, in ranges, at which half of what a parameter can lose is lost; 0: parabola
	scale float64
}

func (s *surface) elo(ps []Parameter, values []float64) float64 {
	sum := 0.0
	for i := range ps {
		x := (values[i] - s.Optimum[i]) / (ps[i].Max - ps[i].Min)
		if s.cap > 0 {
			sum -= x * x / (x*x + s.cap*s.cap)
		} else {
			sum -= x * x
		}
	}
	return sum * s.scale
}

func newSurface(ps []Parameter, elo, cap float64, run uint64) *surface {
	s := &surface{Hill: RandomHill(ps, 1, 0.5, run), cap: cap, scale: 1}
	start := make([]float64, len(ps))
	for i := range ps {
		start[i] = ps[i].Start
	}
	s.scale = -elo / s.elo(ps, start)
	return s
}

// SPSA against a fixed design, which plays pairs of points anywhere in the ranges and fits
// the same regression: the idea of CLOP (R. Coulom, 2011) without its localization.
func TestFixedDesign(t *testing.T) {
	const elo = 30.0
	for _, shape := range []struct {
		name string
		cap  float64
	}{{"parabola", 0}, {"capped", 0.15}} {
		names := []string{"SPSA, average", "SPSA, regression", "fixed design, regression"}
		half := make([]float64, len(names))
		before := make([]float64, len(names))
		for games := 200; games <= 51_200; games *= 2 {
			found := make([]moments, len(names))
			for run := range uint64(replications) {
				c := nine(games / 2)
				c.Seed = run + 1
				s := newSurface(c.Parameters, elo, shape.cap, run)
				rng := rand.New(rand.NewPCG(run, 9))
				spsa, fixed := mustNew(t, c), mustNew(t, c)
				for k := 1; k <= c.Iterations; k++ {
					trial, _ := spsa.Ask(k)
					if err := spsa.Tell(k, points(rng, 2,
						s.elo(c.Parameters, trial.Plus)-s.elo(c.Parameters, trial.Minus), 0.5), 2); err != nil {
						t.Fatal(err)
					}
					o := outcome{plus: anywhere(rng, c.Parameters), minus: anywhere(rng, c.Parameters), games: 2}
					o.result = points(rng, 2, s.elo(c.Parameters, o.plus)-s.elo(c.Parameters, o.minus), 0.5)
					fixed.trials, fixed.theta = append(fixed.trials, o), append(fixed.theta, fixed.theta[0])
				}
				var values [3][]float64
				for i, e := range spsa.Estimates() {
					values[0], values[1] = append(values[0], e.Value), append(values[1], *e.Optimum)
					values[2] = append(values[2], *fixed.Estimates()[i].Optimum)
				}
				for i := range names {
					found[i].add(elo + s.elo(c.Parameters, values[i]))
				}
			}
			line := fmt.Sprintf("| %s | %d |", shape.name, games)
			for i := range names {
				mean, se := found[i].mean()
				line += fmt.Sprintf(" %.1f ± %.1f |", elo-mean, 1.96*se)
				if half[i] == 0 && mean >= elo/2 {
					share := (elo/2 - before[i]) / (mean - before[i])
					half[i] = float64(games) / 2 * math.Pow(2, share)
				}
				before[i] = mean
			}
			t.Log(line)
		}
		for i, name := range names {
			t.Logf("%s: %s finds half of %g Elo in %.0f games", shape.name, name, elo, half[i])
		}
	}
}

func anywhere(rng *rand.Rand, ps []Parameter) []float64 {
	values := make([]float64, len(ps))
	for i := range ps {
		values[i] = ps[i].play(ps[i].Min+rng.Float64()*(ps[i].Max-ps[i].Min), rng.Float64())
	}
	return values
}

// How wide the perturbations should be where strength is no parabola.
func TestWidthTable(t *testing.T) {
	for _, cap := range []float64{0, 0.3, 0.15} {
		for _, pairs := range []int{700, 2500} {
			line := fmt.Sprintf("| %g | %d |", cap, pairs)
			for _, times := range []float64{0.5, 1, 2} {
				var missing moments
				for run := range uint64(replications) {
					c := nine(pairs).Scaled(1, times)
					c.Seed = run + 1
					s := newSurface(c.Parameters, 30, cap, run)
					missing.add(-s.elo(c.Parameters, climbOn(t, c, s, run)))
				}
				mean, se := missing.mean()
				line += fmt.Sprintf(" %.1f ± %.1f |", mean, 1.96*se)
			}
			t.Log(line)
		}
	}
}

// climbOn returns the answer of a run on a surface.
func climbOn(t *testing.T, c Config, s *surface, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 9))
	tuner := mustNew(t, c)
	for k := 1; k <= c.Iterations; k++ {
		trial, _ := tuner.Ask(k)
		if err := tuner.Tell(k, points(rng, 2, s.elo(c.Parameters, trial.Plus)-s.elo(c.Parameters, trial.Minus), 0.5),
			2); err != nil {
			t.Fatal(err)
		}
	}
	values := make([]float64, len(c.Parameters))
	for i := range values {
		values[i], _, _ = tuner.average(i)
	}
	return values
}
