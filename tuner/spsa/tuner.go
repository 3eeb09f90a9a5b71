package spsa

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// Tell takes the result of the next iteration: the points of Plus less Minus's over
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

// ErrConfig is wrapped by every error about a configuration that cannot be run.
var ErrConfig = errors.New("impossible configuration")

// Exponents of the sequences: Spall's, of 1998, section III.
const (
	alpha = 0.602 // of the steps
	gamma = 0.101 // of the perturbations
)

// Parameter is one value to be tuned, in its own unit.
type Parameter struct {
	Name    string  `json:"name"`
	Start   float64 `json:"start"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	CEnd    float64 `json:"c_end"`   // by how much it is changed to either side in the last iteration
	REnd    float64 `json:"r_end"`   // the last step is REnd x CEnd for each point that one side is ahead
	Integer bool    `json:"integer"` // whole numbers play, rounded at random without bias
}

// Config is everything that decides a run, except results.
type Config struct {
	Parameters []Parameter `json:"parameters"`
	Iterations int         `json:"iterations"`
	Seed       uint64      `json:"seed,string"`

	// Ahead is how many iterations may be under way at once: iteration k starts from the
	// values after iteration k - Ahead. 1 waits for each result; more keep many workers
	// busy. It changes the answer; the number of workers does not. 0: 1.
	Ahead int `json:"ahead"`
}

// Limits of a configuration.
const (
	maxParameters = 1000
	MaxIterations = 10_000_000
	maxAhead      = 10_000
)

// Validate reports the first thing that makes the configuration impossible.
func (c *Config) Validate() error {
	switch {
	case len(c.Parameters) == 0:
		return fmt.Errorf("%w: no parameters", ErrConfig)
	case len(c.Parameters) > maxParameters:
		return fmt.Errorf("%w: %d parameters, at most %d", ErrConfig, len(c.Parameters), maxParameters)
	case c.Iterations < 1 || c.Iterations > MaxIterations:
		return fmt.Errorf("%w: %d iterations: want 1 to %d", ErrConfig, c.Iterations, MaxIterations)
	case c.Ahead < 0 || c.Ahead > maxAhead:
		return fmt.Errorf("%w: %d iterations ahead: want 1 to %d", ErrConfig, c.Ahead, maxAhead)
	}
	seen := map[string]string{} // names in lower case: UCI ignores the case of an option's name
	for i := range c.Parameters {
		p := &c.Parameters[i]
		if err := p.Validate(); err != nil {
			return fmt.Errorf("%w: parameter %q: %w", ErrConfig, p.Name, err)
		}
		lower := strings.ToLower(p.Name)
		switch first, again := seen[lower]; {
		case again && first == p.Name:
			return fmt.Errorf("%w: parameter %q is given twice", ErrConfig, p.Name)
		case again:
			return fmt.Errorf("%w: parameters %q and %q are one option, since UCI ignores case: remove one of them",
				ErrConfig, first, p.Name)
		}
		seen[lower] = p.Name
	}
	return nil
}

// Validate reports the first thing that makes the parameter impossible.
func (p *Parameter) Validate() error {
	for _, x := range []float64{p.Start, p.Min, p.Max, p.CEnd, p.REnd} {
		if math.IsNaN(x) || math.Abs(x) > 1e15 {
			return fmt.Errorf("%v is not a finite number", x)
		}
	}
	switch {
	case p.Name == "":
		return errors.New("no name")
	case !(p.Min < p.Max):
		return fmt.Errorf("min (%v) is not below max (%v)", p.Min, p.Max)
	case p.Start < p.Min || p.Start > p.Max:
		return fmt.Errorf("start (%v) is not within min (%v) and max (%v)", p.Start, p.Min, p.Max)
	case !(p.CEnd > 0) || !(p.REnd > 0):
		return fmt.Errorf("c_end (%v) and r_end (%v) must be above zero", p.CEnd, p.REnd)
	case p.CEnd > (p.Max-p.Min)/2:
		return fmt.Errorf("c_end (%v) is more than half the range from min (%v) to max (%v)", p.CEnd, p.Min, p.Max)
	case p.Integer && p.CEnd < 0.5:
		return fmt.Errorf("c_end (%v) of an integer: below 0.5 both sides mostly play the same value", p.CEnd)
	case p.Integer && (p.Min != math.Trunc(p.Min) || p.Max != math.Trunc(p.Max)):
		return fmt.Errorf("min (%v) and max (%v) of an integer must be integers", p.Min, p.Max)
	}
	return nil
}

// CEndsInRange: the default c_end is the range of a parameter divided by this.
const CEndsInRange = 10

// DefaultREnd returns the r_end for a run of that many pairs of games, 4.5 / sqrt(pairs x
// parameters) from 0.002 to 0.1. Pairs move the values by r_end each, and their noise by
// r_end sqrt(pairs) in each parameter: small steps add up to more for the same noise.
// SEARCH.md has the simulations that it was chosen by.
func DefaultREnd(pairs, parameters int) float64 {
	r := 4.5 / math.Sqrt(float64(max(1, pairs))*float64(max(1, parameters)))
	return math.Round(min(max(r, 0.002), 0.1)*1e5) / 1e5
}

// ahead is Ahead with its default.
func (c *Config) ahead() int { return max(c.Ahead, 1) }

// stability is Spall's A: a tenth of the iterations.
func (c *Config) stability() float64 { return float64(c.Iterations) / 10 }

// perturbation is c_k = c / k^gamma, k from 1, with c = CEnd N^gamma.
func (c *Config) perturbation(p *Parameter, k int) float64 {
	return p.CEnd * math.Pow(float64(c.Iterations)/float64(k), gamma)
}

// step is a_k / c_k, by how much a result of one point moves a parameter in iteration
// k, from 1: a_k = a / (A+k)^alpha with a = REnd CEnd^2 (A+N)^alpha.
func (c *Config) step(p *Parameter, k int) float64 {
	a := c.stability()
	gain := p.REnd * p.CEnd * p.CEnd * math.Pow((a+float64(c.Iterations))/(a+float64(k)), alpha)
	return gain / c.perturbation(p, k)
}
