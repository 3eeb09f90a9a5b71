package spsa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// hill is a function to climb: a player loses strength with the square of each
// parameter's distance from its optimum.
type hill struct {
	Optimum []float64 // a parameter each
	// Loss is the Elo that a player loses whose parameter is at the farther of its
	// bounds while all others are at their optimum; a parameter each.
	Loss  []float64
	Draws float64 // share of draws among equal players, 0 to 0.95
}

// elo returns the strength of a player with the values, at most 0.
func (h *hill) elo(parameters []Parameter, values []float64) float64 {
	elo := 0.0
	for i := range parameters {
		p := &parameters[i]
		far := max(h.Optimum[i]-p.Min, p.Max-h.Optimum[i])
		x := (values[i] - h.Optimum[i]) / far
		elo -= float64(h.Loss[i] * x * x)
	}
	return elo
}

// randomHill returns a hill whose optimum is anywhere between the parameters' bounds,
// and on which their starts together cost the given Elo.
func randomHill(parameters []Parameter, elo, draws float64, seed uint64) hill {
	rng := rand.New(rand.NewPCG(seed, uint64(len(parameters))))
	h := hill{Draws: draws, Optimum: make([]float64, len(parameters)), Loss: make([]float64, len(parameters))}
	start := make([]float64, len(parameters))
	for i := range parameters {
		p := &parameters[i]
		h.Optimum[i] = p.Min + float64(rng.Float64()*(p.Max-p.Min))
		h.Loss[i], start[i] = 1, p.Start
	}
	scale := elo / max(1e-9, -h.elo(parameters, start))
	for i := range h.Loss {
		h.Loss[i] *= scale
	}
	return h
}

// moments sums up numbers.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+float64(x*x) }

func (m *moments) mean() (mean, se float64) {
	mean = m.sum / m.n
	return mean, math.Sqrt(max(0, m.squares/m.n-float64(mean*mean)) / max(1, m.n-1))
}

// climbAll makes simulated runs on random hills, and passes each to a function.
func climbAll(ctx context.Context, c Config, pairs, runs int, elo, draws float64, each func(*hill, *Tuner)) error {
	if pairs < 1 || runs < 1 {
		return fmt.Errorf("%w: %d pairs, %d runs", errConfig, pairs, runs)
	}
	for run := range uint64(runs) {
		h := randomHill(c.Parameters, elo, draws, run)
		c.Seed = run + 1
		t, err := climb(ctx, c, pairs, &h)
		if err != nil {
			return err
		}
		each(&h, t)
	}
	return nil
}

// climb is one simulated run.
func climb(ctx context.Context, c Config, pairs int, h *hill) (*Tuner, error) {
	t, err := New(c)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, math.MaxUint64))
	for k := 1; k <= c.Iterations; k++ {
		if k%1024 == 1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		trial, err := t.Ask(k)
		if err != nil {
			return nil, err
		}
		elo := h.elo(c.Parameters, trial.Plus) - h.elo(c.Parameters, trial.Minus)
		if err := t.Tell(k, points(rng, 2*pairs, elo, h.Draws), 2*pairs); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// points returns the sum of the results of games, 1, 0 or -1 each, for a player that is
// stronger by elo.
func points(rng *rand.Rand, games int, elo, draws float64) float64 {
	score := 1 / (1 + math.Pow(10, -elo/400))
	draw := min(draws, 2*min(score, 1-score))
	win := score - draw/2
	if many := float64(games); games > 200 {
		mean := 2*score - 1
		sum := float64(many*mean) + float64(math.Sqrt(many*(1-draw-float64(mean*mean)))*rng.NormFloat64())
		return min(max(math.Round(sum), -many), many)
	}
	sum := 0.0
	for range games {
		switch chance := rng.Float64(); {
		case chance < win:
			sum++
		case chance >= win+draw:
			sum--
		}
	}
	return sum
}

// Budget is what simulated runs of a configuration find.
type Budget struct {
	Elo      float64 `json:"elo"`   // assumed: of the optimum above the start
	Draws    float64 `json:"draws"` // assumed: share among equal players
	Runs     int     `json:"runs"`
	Found    float64 `json:"found"` // Elo of the answer above the start, mean of the runs
	FoundSE  float64 `json:"found_se"`
	Hopeless bool    `json:"hopeless"` // less than a fifth is found
}

// Limits of the simulations for a budget.
const (
	budgetRuns       = 20
	budgetIterations = 4000
	budgetWork       = 2_000_000 // iterations x parameters of all runs
)

// Afford simulates what a configuration finds with as many pairs of games an iteration, on
// RandomHills. Longer runs are simulated with fewer iterations of more pairs.
func Afford(ctx context.Context, c Config, pairs int, elo, draws float64) (Budget, error) {
	if err := c.Validate(); err != nil {
		return Budget{}, err
	}
	most := min(max(budgetWork/(4*len(c.Parameters)), 500), budgetIterations)
	merge := (c.Iterations + most - 1) / most
	c.Iterations, c.Ahead = (c.Iterations+merge-1)/merge, max(1, c.Ahead/merge)
	b := Budget{Elo: elo, Draws: draws, Runs: min(max(budgetWork/(c.Iterations*len(c.Parameters)), 4), budgetRuns)}
	var found moments
	err := climbAll(ctx, c, pairs*merge, b.Runs, elo, draws, func(h *hill, t *Tuner) {
		values := make([]float64, len(c.Parameters))
		for i := range values {
			values[i], _, _ = t.average(i)
		}
		found.add(elo + h.elo(c.Parameters, values))
	})
	if err != nil {
		return Budget{}, err
	}
	b.Found, b.FoundSE = found.mean()
	b.Hopeless = b.Found < elo/5
	return b, nil
}

// WithDefaultREnd returns the configuration with as many times its iterations, and the
// default r_end.
func (c Config) WithDefaultREnd(pairs, times int) Config {
	c.Parameters = slices.Clone(c.Parameters)
	c.Iterations *= times
	for i := range c.Parameters {
		c.Parameters[i].REnd = DefaultREnd(c.Iterations*pairs, len(c.Parameters))
	}
	return c
}
