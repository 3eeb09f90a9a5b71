package spsa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Hill is the function of a simulation: a player loses strength with the square of each
// parameter's distance from its optimum.
type Hill struct {
	Optimum []float64 // a parameter each
	// Loss is the Elo that a player loses whose parameter is at the farther of its
	// bounds while all others are at their optimum; a parameter each.
	Loss  []float64
	Draws float64 // share of draws among equal players, 0 to 0.95
}

// Elo returns the strength of a player with the values, at most 0.
func (h *Hill) Elo(parameters []Parameter, values []float64) float64 {
	elo := 0.0
	for i := range parameters {
		p := &parameters[i]
		far := max(h.Optimum[i]-p.Min, p.Max-h.Optimum[i])
		x := (values[i] - h.Optimum[i]) / far
		elo -= h.Loss[i] * x * x
	}
	return elo
}

// RandomHill returns a hill whose optimum is anywhere between the parameters' bounds,
// and on which their starts together cost the given Elo.
func RandomHill(parameters []Parameter, elo, draws float64, seed uint64) Hill {
	rng := rand.New(rand.NewPCG(seed, uint64(len(parameters))))
	h := Hill{Draws: draws, Optimum: make([]float64, len(parameters)), Loss: make([]float64, len(parameters))}
	start := make([]float64, len(parameters))
	for i := range parameters {
		p := &parameters[i]
		h.Optimum[i] = p.Min + rng.Float64()*(p.Max-p.Min)
		h.Loss[i], start[i] = 1, p.Start
	}
	scale := elo / max(1e-9, -h.Elo(parameters, start))
	for i := range h.Loss {
		h.Loss[i] *= scale
	}
	return h
}

// Simulated is the result of simulated runs, as Elo below the optimum of their hills.
type Simulated struct {
	Runs           int     `json:"runs"`
	StartElo       float64 `json:"start_elo"` // mean over the runs
	ValueElo       float64 `json:"value_elo"` // of the answer, the average over the last third
	ValueEloSE     float64 `json:"value_elo_se"`
	FinalElo       float64 `json:"final_elo"`       // of the values after the last iteration
	Covered        float64 `json:"covered"`         // share of parameters whose optimum is within 2 batch errors of the answer
	RegressCovered float64 `json:"regress_covered"` // likewise by regression, of those that show a top
	Tops           float64 `json:"tops"`            // share of parameters that show a top
}

// Simulate makes runs of the configuration, with as many pairs of games an iteration,
// each on a hill of its own from the function. Equal arguments give equal answers.
func Simulate(ctx context.Context, c Config, pairs, runs int, hill func(run uint64) Hill) (Simulated, error) {
	if err := c.Validate(); err != nil {
		return Simulated{}, err
	}
	if pairs < 1 || runs < 1 {
		return Simulated{}, fmt.Errorf("%w: %d pairs, %d runs", ErrConfig, pairs, runs)
	}
	s := Simulated{Runs: runs}
	squares, covered, regressed, tops := 0.0, 0, 0, 0
	for run := range uint64(runs) {
		h := hill(run)
		c.Seed = run + 1
		t, err := climb(ctx, c, pairs, &h)
		if err != nil {
			return s, err
		}
		values := make([]float64, len(c.Parameters))
		for i, e := range t.Estimates() {
			values[i] = e.Value
			if math.Abs(e.Value-h.Optimum[i]) <= 2*e.BatchSE {
				covered++
			}
			if e.Optimum != nil {
				tops++
				if math.Abs(*e.Optimum-h.Optimum[i]) <= 2**e.OptimumSE {
					regressed++
				}
			}
		}
		value := h.Elo(c.Parameters, values)
		s.StartElo += h.Elo(c.Parameters, t.theta[0]) / float64(runs)
		s.FinalElo += h.Elo(c.Parameters, t.Values()) / float64(runs)
		s.ValueElo += value / float64(runs)
		squares += value * value / float64(runs)
	}
	all := float64(runs * len(c.Parameters))
	s.Covered, s.Tops = float64(covered)/all, float64(tops)/all
	if tops > 0 {
		s.RegressCovered = float64(regressed) / float64(tops)
	}
	s.ValueEloSE = math.Sqrt(max(0, squares-s.ValueElo*s.ValueElo) / float64(runs))
	return s, nil
}

// climb is one simulated run.
func climb(ctx context.Context, c Config, pairs int, h *Hill) (*Tuner, error) {
	t, err := New(c)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, math.MaxUint64))
	for k := 1; k <= c.Iterations; k++ {
		if k%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		trial, err := t.Ask(k)
		if err != nil {
			return nil, err
		}
		elo := h.Elo(c.Parameters, trial.Plus) - h.Elo(c.Parameters, trial.Minus)
		points := 0.0
		for range 2 * pairs {
			points += game(rng.Float64(), elo, h.Draws)
		}
		if err := t.Tell(k, points, 2*pairs); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// game returns the result of a game, 1, 0 or -1, for a player that is stronger by elo;
// chance is uniform in [0, 1).
func game(chance, elo, draws float64) float64 {
	score := 1 / (1 + math.Pow(10, -elo/400))
	draw := min(draws, 2*min(score, 1-score))
	switch win := score - draw/2; {
	case chance < win:
		return 1
	case chance < win+draw:
		return 0
	}
	return -1
}
