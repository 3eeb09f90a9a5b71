package spsa

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

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
