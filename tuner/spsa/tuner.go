package spsa

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
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
		return Trial{}, fmt.Errorf("spsa: %w: iteration %d needs more results than the first %d", errOrder, k, t.Completed())
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

// errConfig is wrapped by every error about a configuration that cannot be run.
var errConfig = errors.New("impossible configuration")

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
		return fmt.Errorf("%w: no parameters", errConfig)
	case len(c.Parameters) > maxParameters:
		return fmt.Errorf("%w: %d parameters, at most %d", errConfig, len(c.Parameters), maxParameters)
	case c.Iterations < 1 || c.Iterations > MaxIterations:
		return fmt.Errorf("%w: %d iterations: want 1 to %d", errConfig, c.Iterations, MaxIterations)
	case c.Ahead < 0 || c.Ahead > maxAhead:
		return fmt.Errorf("%w: %d iterations ahead: want 1 to %d", errConfig, c.Ahead, maxAhead)
	}
	seen := map[string]string{} // names in lower case: UCI ignores the case of an option's name
	for i := range c.Parameters {
		p := &c.Parameters[i]
		if err := p.Validate(); err != nil {
			return fmt.Errorf("%w: parameter %q: %w", errConfig, p.Name, err)
		}
		lower := strings.ToLower(p.Name)
		switch first, again := seen[lower]; {
		case again && first == p.Name:
			return fmt.Errorf("%w: parameter %q is given twice", errConfig, p.Name)
		case again:
			return fmt.Errorf("%w: parameters %q and %q are one option, since UCI ignores case: remove one of them",
				errConfig, first, p.Name)
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

// regression is a fit of all results.
//
// Where strength is a parabola in each parameter, the mean result of an iteration is
// the sum over the parameters of d (b - h m), with d = plus - minus, m their middle, h
// the curvature and b/h the optimum, exactly: no small steps are assumed. So b and h are
// linear regression's, under weak normal priors. What the results say of an optimum is
// its posterior: uniform between the bounds before the results, with a curvature that
// cannot be below zero. It is right although the values follow the results, since each
// trial depends on earlier results only.
type regression struct {
	b, h []float64 // in units of c_end, from the start
	cov  *mat.SymDense
}

// weakCurvature is the Elo that a parameter may well lose between the middle of its range
// and a bound: the standard deviation of the curvature's prior. An optimum's posterior
// mixes it with smaller ones, since most parameters matter little: with the weak prior
// alone, intervals held the optimum of simulated parameters that lose 3 Elo 77 times in 100.
var weakCurvature = [...]float64{100, 30, 10, 3, 1}

// curvature returns the h, in units of c_end, of a parameter that loses so much Elo between
// the middle of its range and a bound.
func (p *Parameter) curvature(elo float64) float64 {
	half := (p.Max - p.Min) / 2 / p.CEnd
	return 2 * elo / eloPerPoint / (half * half)
}

// regress fits the results, nil if there are too few.
func (t *Tuner) regress() *regression {
	n := len(t.config.Parameters)
	if len(t.trials) < minBatches {
		return nil
	}
	x := make([]float64, 2*n)
	normal, moment, squares := mat.NewSymDense(2*n, nil), mat.NewVecDense(2*n, nil), 0.0
	for k := range t.trials {
		t.regressors(&t.trials[k], x)
		row := mat.NewVecDense(2*n, x)
		normal.SymRankOne(normal, 1, row)
		moment.AddScaledVec(moment, t.trials[k].mean(), row)
		squares += float64(t.trials[k].mean() * t.trials[k].mean())
	}
	if squares == 0 { // every pair was even
		return nil
	}
	// What the parameters explain of a result is small beside its noise.
	variance := squares / float64(len(t.trials))
	for i := range t.config.Parameters {
		p := &t.config.Parameters[i]
		h := p.curvature(weakCurvature[0])
		b := h * (p.Max - p.Min) / p.CEnd
		normal.SetSym(i, i, normal.At(i, i)+variance/(b*b))
		normal.SetSym(n+i, n+i, normal.At(n+i, n+i)+variance/(h*h))
	}
	var chol mat.Cholesky
	var fit mat.VecDense
	cov := mat.NewSymDense(2*n, nil)
	// The priors keep the matrix regular: its condition can only be poor.
	if !chol.Factorize(normal) {
		return nil
	}
	_ = chol.SolveVecTo(&fit, moment)
	_ = chol.InverseTo(cov)
	cov.ScaleSym(variance, cov)
	return &regression{b: fit.RawVector().Data[:n], h: fit.RawVector().Data[n:], cov: cov}
}

// regressors fills in what the coefficients of an iteration are multiplied by.
func (t *Tuner) regressors(trial *outcome, x []float64) {
	n := len(t.config.Parameters)
	for i := range t.config.Parameters {
		p := &t.config.Parameters[i]
		d := (trial.plus[i] - trial.minus[i]) / p.CEnd
		x[i] = d
		x[n+i] = -d * ((trial.plus[i]+trial.minus[i])/2 - p.Start) / p.CEnd
	}
}

// mean is the result of an iteration, points a game.
func (t *outcome) mean() float64 { return t.result / float64(t.games) }

// describe fills in the estimates of the regression for parameter i.
func (r *regression) describe(i int, p *Parameter, e *Estimate) {
	n := len(r.b)
	vb, vh, vbh := r.cov.At(i, i), r.cov.At(n+i, n+i), r.cov.At(i, n+i)
	b, h := r.b[i], r.h[i]
	at := (e.Value - p.Start) / p.CEnd
	slope := eloPerPoint * (b - float64(h*at))
	slopeSE := eloPerPoint * math.Sqrt(max(0, vb-float64(2*at*vbh)+float64(at*at*vh)))
	e.Slope, e.SlopeSE = &slope, &slopeSE

	det := float64(vb*vh) - float64(vbh*vbh)
	if !(det > 0) {
		return
	}
	pb, ph, pbh := vh/det, vb/det, -vbh/det // the precision
	effect := math.Exp(-(float64(pb*b*b) + float64(2*pbh*b*h) + float64(ph*h*h)) / 2)
	e.EffectP = &effect
	p.locate(b, h, pb, ph, pbh, e)
}

// locate fills in the posterior of the optimum, from estimates of b and h and their
// precision. For each possible optimum m, b is h m and the curvature is left: it is normal
// with precision a and mean c/a, cut off at zero. The optimum is the m at which the least
// is expected to be lost: the mean, by curvature.
func (p *Parameter) locate(b, h, pb, ph, pbh float64, e *Estimate) {
	const points, widths = 200, len(weakCurvature)
	var log, curvature [points][widths]float64 // of the weight; the mean
	var where, weight [points]float64
	most, weakest := math.Inf(-1), p.curvature(weakCurvature[0])
	for j := range points {
		where[j] = p.Min + float64((float64(j)+0.5)/points*(p.Max-p.Min))
		m := (where[j] - p.Start) / p.CEnd
		c := float64(pb*m*b) + float64(pbh*(b+float64(m*h))) + float64(ph*h)
		for k, elo := range weakCurvature {
			width := p.curvature(elo)
			a := math.Sqrt(float64(pb*m*m) + float64(2*pbh*m) + ph - 1/(weakest*weakest) + 1/(width*width))
			log[j][k], curvature[j][k] = cutNormal(c / a)
			log[j][k] -= math.Log(a * width)
			curvature[j][k] /= a
			most = max(most, log[j][k])
		}
	}
	var sum, mean, square, curved, top float64
	for j, value := range where {
		for k := range widths {
			w := math.Exp(log[j][k] - most)
			weight[j] += w
			curved, top = curved+float64(w*curvature[j][k]), top+float64(w*curvature[j][k]*value)
		}
		sum, mean, square = sum+weight[j], mean+float64(weight[j]*value), square+float64(weight[j]*value*value)
	}
	quantile := func(q float64) *float64 {
		below := 0.0
		for j := range points {
			if below += weight[j]; below >= q*sum {
				return &where[j]
			}
		}
		return &where[points-1]
	}
	top, mean = top/curved, mean/sum
	se := math.Sqrt(max(0, square/sum-float64(mean*mean)))
	e.Optimum, e.OptimumSE = &top, &se
	e.OptimumLo, e.OptimumHi = quantile(0.025), quantile(0.975)
}

// cutNormal returns, of a normal variable with mean z and variance 1, the logarithm of
// exp(z^2/2) times the chance that it is above zero, and its mean if it is.
func cutNormal(z float64) (log, mean float64) {
	if z < -8 { // asymptotically
		return -math.Log(-z * math.Sqrt(2*math.Pi)), -1 / z
	}
	above := math.Erfc(-z/math.Sqrt2) / 2
	return float64(z*z/2) + math.Log(above), z + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)/above
}

// Estimate is the answer for one parameter. All errors are standard errors, and
// approximate.
type Estimate struct {
	Name  string  `json:"name"`
	Start float64 `json:"start"`
	Final float64 `json:"final"` // after the last iteration

	// Value is the answer: the average over the last third of the iterations. BatchSE
	// is its error by the means of Batches batches of that third. It shows how much the
	// values vary, not whether they have converged; 0 with fewer than minBatches
	// iterations.
	Value   float64 `json:"value"`
	BatchSE float64 `json:"batch_se"`
	Batches int     `json:"batches"`

	// Optimum is where a regression on all results puts the top of a parabola, with its
	// error and 95 % interval (see regression). A wide interval means that the results do
	// not say; in simulated runs it holds the optimum about as often as it should, which
	// that by batch means does not. Null if there are too few results.
	Optimum   *float64 `json:"regression_optimum"`
	OptimumSE *float64 `json:"regression_se"`
	OptimumLo *float64 `json:"regression_lo"`
	OptimumHi *float64 `json:"regression_hi"`

	// EffectP is how often a parameter without any effect shows at least so much by chance.
	// From 0.05 on no effect was seen.
	EffectP *float64 `json:"effect_p"`

	// Slope is the slope at Value by the same regression: the Elo that a player gains if
	// the parameter rises by its c_end. Null if there are too few iterations.
	Slope   *float64 `json:"slope_elo"`
	SlopeSE *float64 `json:"slope_elo_se"`
}

// minBatches is how many batches the error by batch means takes.
const minBatches = 20

// eloPerPoint is the Elo of a mean result of one point a game, at the slope of the
// logistic curve for equals: a result is twice the score less one.
const eloPerPoint = 800 / math.Ln10

// Estimates returns the answer so far, a parameter each.
func (t *Tuner) Estimates() []Estimate {
	list := make([]Estimate, len(t.config.Parameters))
	fit := t.regress()
	for i := range list {
		p := &t.config.Parameters[i]
		e := Estimate{Name: p.Name, Start: p.Start, Final: t.theta[t.Completed()][i]}
		e.Value, e.BatchSE, e.Batches = t.average(i)
		if fit != nil {
			fit.describe(i, p, &e)
		}
		list[i] = e
	}
	return list
}

// average returns the mean of a parameter over the last third, and its error.
func (t *Tuner) average(i int) (mean, se float64, batches int) {
	n := t.Completed()
	if n == 0 {
		return t.theta[0][i], 0, 0
	}
	tail := t.theta[1+2*n/3:]
	for _, theta := range tail {
		mean += theta[i]
	}
	mean /= float64(len(tail))
	if len(tail) < minBatches {
		return mean, 0, 0
	}
	squares := 0.0
	for b := range minBatches {
		batch := tail[b*len(tail)/minBatches : (b+1)*len(tail)/minBatches]
		sum := 0.0
		for _, theta := range batch {
			sum += theta[i] - mean
		}
		x := sum / float64(len(batch))
		squares += float64(x * x)
	}
	return mean, math.Sqrt(squares / (minBatches * (minBatches - 1))), minBatches
}
