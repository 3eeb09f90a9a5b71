package spsa

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// errOrder is wrapped by the errors about iterations that are asked for too early, or whose
// results come out of order.
var errOrder = errors.New("iteration out of order")

// Trial is what an iteration compares.
type Trial struct {
	Iteration   int       // from 1
	Flips       []int8    // 1 where Plus is above, -1 where it is below
	Plus, Minus []float64 // values to play, within their bounds; integers where required
}

// Tuner is a run of SPSA.
type Tuner struct {
	config Config
	// theta[k] holds the values after k iterations; trials[k-1] what iteration k was.
	theta  [][]float64
	trials []outcome
}

// outcome is an iteration with its result.
type outcome struct {
	plus, minus []float64
	result      float64 // points that plus is ahead
	games       int
}

// New returns a run that starts at the start values.
func New(c Config) (*Tuner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	start := make([]float64, len(c.Parameters))
	for i := range start {
		start[i] = c.Parameters[i].Start
	}
	return &Tuner{config: c, theta: [][]float64{start}}, nil
}

// Completed returns the number of iterations that have results.
func (t *Tuner) Completed() int { return len(t.trials) }

// Values returns the values after the last iteration that has a result.
func (t *Tuner) Values() []float64 { return slices.Clone(t.theta[len(t.trials)]) }

// Ready reports whether Ask can return iteration k.
func (t *Tuner) Ready(k int) bool { return k-t.config.ahead() <= t.Completed() }

// Ask returns what iteration k, from 1, compares. The error wraps errOrder if too few
// iterations before it have results.
func (t *Tuner) Ask(k int) (Trial, error) {
	if k < 1 || k > t.config.Iterations {
		return Trial{}, fmt.Errorf("spsa: %w: there is no iteration %d of %d", errOrder, k, t.config.Iterations)
	}
	if !t.Ready(k) {
		return Trial{}, fmt.Errorf("spsa: %w: iteration %d needs more results than the first %d",
			errOrder, k, t.Completed())
	}
	rng := rand.New(rand.NewPCG(t.config.Seed, uint64(k)))
	n := len(t.config.Parameters)
	trial := Trial{Iteration: k, Flips: make([]int8, n), Plus: make([]float64, n), Minus: make([]float64, n)}
	center := t.theta[max(0, k-t.config.ahead())]
	for i := range t.config.Parameters {
		p := &t.config.Parameters[i]
		trial.Flips[i] = int8(1 - 2*rng.IntN(2))
		round := rng.Float64()
		c := float64(float64(trial.Flips[i]) * t.config.perturbation(p, k))
		trial.Plus[i] = p.play(center[i]+c, round)
		trial.Minus[i] = p.play(center[i]-c, round)
	}
	return trial, nil
}

// play returns a value that can be played for x. A whole number is one of x's
// neighbours, so that x is its mean over round, which is uniform in [0, 1).
func (p *Parameter) play(x, round float64) float64 {
	if p.Integer {
		x = math.Floor(x + round)
	}
	return min(max(x, p.Min), p.Max)
}

// Tell takes the result of the next iteration: the points of Plus less those of Minus over
// the games, where a win is 1, a draw 0 and a loss -1. The error wraps errOrder if
// iteration k is not the next.
func (t *Tuner) Tell(k int, result float64, games int) error {
	if k != t.Completed()+1 || k > t.config.Iterations {
		return fmt.Errorf("spsa: %w: a result of iteration %d after %d of %d",
			errOrder, k, t.Completed(), t.config.Iterations)
	}
	if games < 1 || !(math.Abs(result) <= float64(games)) {
		return fmt.Errorf("spsa: iteration %d: %v points are impossible in %d games", k, result, games)
	}
	trial, err := t.Ask(k)
	if err != nil {
		return err
	}
	next := slices.Clone(t.theta[k-1])
	for i := range next {
		p := &t.config.Parameters[i]
		next[i] += float64(t.config.step(p, k) * result * float64(trial.Flips[i]))
		next[i] = min(max(next[i], p.Min), p.Max)
	}
	t.theta = append(t.theta, next)
	t.trials = append(t.trials, outcome{plus: trial.Plus, minus: trial.Minus, result: result, games: games})
	return nil
}
