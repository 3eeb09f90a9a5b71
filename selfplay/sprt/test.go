// Package sprt has the statistics of engine matches: the Elo that a result shows, and when
// a sequential test may stop.
//
// It turns counts of results into log-likelihood ratios (LLR) under two models
// of Elo, into Elo with intervals, likelihood of superiority and draw and pair
// ratios; it says when a sequential probability ratio test ends, corrects that
// test for the overshoot over its bounds, and estimates Elo without bias after
// it ended; it predicts how long a test lasts and how often it passes.
//
// It is pure arithmetic: it plays no game, reads no file and prints nothing. No
// function returns NaN or an infinity for counts that pass Validate, not even
// for no games at all or for a score of 0 % or 100 %. The exceptions are the values
// for people, of type [num.Float], which can be unknown or infinite, in JSON too.
//
// [Summary.StrengthAfter] decides which Elo is shown, and [Strength.Text] how: every command,
// page and file uses them, so that one result has one Elo.
//
// Start reading at [Test], which names the hypotheses, and at [Counts], the results.
// [Walk] follows a match pair by pair, [Summarize] describes results, [Summary.StrengthAfter]
// estimates Elo after a stop, and [Test.Predict] says how long a test lasts.
//
// # Sources
//
// A. Wald, Sequential Analysis, 1947. D. Siegmund, Sequential Analysis, 1985
// (overshoot, estimation after a stop). M. Van den Bergh's notes for fishtest:
// "A practical introduction to the GSPRT", "Comments on normalized Elo" (the
// generalized test under a constrained mean, and under a constrained t-value).
// The reference values of the tests were computed with the
// programs named beside them.
package sprt

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// ErrTest is wrapped by every error about a test that cannot be run.
var ErrTest = errors.New("impossible test")

// maxElo bounds hypotheses and true Elo, of either sign.
const maxElo = 1000

// Model is the unit of Elo that a test's hypotheses are in.
type Model uint8

const (
	// Normalized Elo is the mean score above 1/2 in standard deviations of a
	// game, times 800/ln 10. A test in it takes about the same number of games
	// whatever the share of draws.
	Normalized Model = iota
	// Logistic Elo is the Elo of the expected score.
	Logistic
)

var modelNames = [...]string{"normalized", "logistic"}

// String is the name that ParseModel takes.
func (m Model) String() string {
	if int(m) < len(modelNames) {
		return modelNames[m]
	}
	return fmt.Sprintf("Model(%d)", uint8(m))
}

// ParseModel reads normalized or logistic.
func ParseModel(name string) (Model, error) {
	for i, n := range modelNames {
		if name == n {
			return Model(i), nil
		}
	}
	return 0, fmt.Errorf("%w: model %q is neither %s", ErrTest, name, strings.Join(modelNames[:], " nor "))
}

// MarshalText writes the model's name, in JSON for one.
func (m Model) MarshalText() ([]byte, error) {
	if int(m) >= len(modelNames) {
		return nil, fmt.Errorf("%w: %v", ErrTest, m)
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads the model's name.
func (m *Model) UnmarshalText(text []byte) (err error) {
	*m, err = ParseModel(string(text))
	return err
}

// Status is what a sequential test says.
type Status uint8

const (
	// Continue says that no bound has been reached.
	Continue Status = iota
	// AcceptH0 says that the player is not stronger by more than Elo0: it failed.
	AcceptH0
	// AcceptH1 says that the player is stronger by Elo1: it passed.
	AcceptH1
)

// String is "continue", "accept H0" or "accept H1".
func (s Status) String() string {
	return [...]string{"continue", "accept H0", "accept H1"}[min(s, AcceptH1)]
}

// Test is a sequential probability ratio test between the hypotheses that a
// player is Elo0 and that it is Elo1 stronger than its opponent.
type Test struct {
	Elo0  float64 `json:"elo0"`  // in the unit of Model, at most 1000 of either sign
	Elo1  float64 `json:"elo1"`  // above Elo0
	Model Model   `json:"model"` // the zero value is Normalized
	Alpha float64 `json:"alpha"` // probability to accept H1 where H0 holds
	Beta  float64 `json:"beta"`  // probability to accept H0 where H1 holds
}

// Validate reports the first thing that makes the test impossible.
func (t Test) Validate() error {
	for _, x := range []struct {
		name  string
		value float64
	}{{"elo0", t.Elo0}, {"elo1", t.Elo1}} {
		if !(math.Abs(x.value) <= maxElo) {
			return fmt.Errorf("%w: %s is %v, not within +-%d", ErrTest, x.name, x.value, maxElo)
		}
	}
	if !(t.Elo1-t.Elo0 >= 1e-3) {
		return fmt.Errorf("%w: elo1 (%v) is not above elo0 (%v) by 0.001 or more", ErrTest, t.Elo1, t.Elo0)
	}
	if !(t.Alpha >= 1e-12 && t.Alpha < 1) || !(t.Beta >= 1e-12 && t.Beta < 1) {
		return fmt.Errorf("%w: alpha (%v) and beta (%v) must lie between 0 and 1", ErrTest, t.Alpha, t.Beta)
	}
	if t.Alpha+t.Beta >= 1 {
		return fmt.Errorf("%w: alpha + beta is %v, not below 1", ErrTest, t.Alpha+t.Beta)
	}
	if int(t.Model) >= len(modelNames) {
		return fmt.Errorf("%w: %v", ErrTest, t.Model)
	}
	return nil
}

// Bounds returns Wald's bounds of the LLR: ln(b/(1-a)), where H0 is accepted, and
// ln((1-b)/a), where H1 is.
func (t Test) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// LLR is the log-likelihood ratio of H1 against H0. It reports a test or counts
// that do not pass Validate.
func (t Test) LLR(c Counts) (float64, error) {
	if err := t.accepts(c); err != nil {
		return 0, err
	}
	return t.llrOf(c), nil
}

// accepts validates the test, the counts and that they go together.
func (t Test) accepts(c Counts) error {
	if err := t.Validate(); err != nil {
		return err
	}
	return c.Validate()
}

// Status says what an LLR means, without correction for overshoot (see Walk).
func (t Test) Status(llr float64) Status {
	lower, upper := t.Bounds()
	return StatusAt(llr, lower, upper)
}

// StatusAt says what an LLR means between these bounds.
func StatusAt(llr, lower, upper float64) Status {
	switch {
	case llr >= upper:
		return AcceptH1
	case llr <= lower:
		return AcceptH0
	}
	return Continue
}

// Summary describes counts. Elo is logistic, intervals hold 95 %. Every field is
// finite for every counts that pass Validate: counts of zero are replaced by
// 0.001, and Elo follows from a score within [0.001, 0.999].
type Summary struct {
	Samples, Games int64

	Score float64 // mean, 0 to 1, of the counts as they are; 1/2 where nothing was played

	// Elo of the score, and of the ends of the score's normal interval. The
	// normal interval is the one every program prints; it shrinks to nothing
	// where all samples are alike, which LikelyLo and LikelyHi do not.
	Elo, EloLo, EloHi float64

	// LikelyLo and LikelyHi hold every Elo whose likelihood ratio against the
	// best one the data do not reject at 5 %: wide where data are few. They hold
	// what the exact bounds hold, too (see exactBounds).
	LikelyLo, LikelyHi float64

	NElo, NEloLo, NEloHi float64 // normalized Elo, interval by the delta method

	LOS float64 // likelihood of superiority, 0 to 1

	// DrawRatio is the share of draws among games, or of even pairs (two draws, or
	// a win and a loss) among pairs. 0 where nothing was played.
	DrawRatio float64

	// PairRatio is pairs won (WD, WW) by pairs lost (LD, LL), a sum of zero
	// replaced by 0.001. Paired says whether there are pairs; it is 0 if not.
	PairRatio float64
	Paired    bool

	oneSided         bool // one side won no sample
	noneLost         bool
	exactLo, exactHi float64 // the interval that is shown holds these
}

// Summarize describes counts that pass Validate.
func Summarize(c Counts) Summary {
	d := c.distribution()
	s := Summary{Samples: c.Samples(), Games: c.Games()}
	mean, variance := d.moments()
	sd := math.Sqrt(variance / d.n)
	s.Elo, s.EloLo, s.EloHi = Elo(mean), Elo(mean-float64(normal95*sd)), Elo(mean+float64(normal95*sd))
	s.LOS = normal((mean - half) / sd)
	s.exactLo, s.exactHi = exactBounds(c)
	s.LikelyLo = min(s.exactLo, Elo(d.likelyBound(mean, 0, chiSquare95)))
	s.LikelyHi = max(s.exactHi, Elo(d.likelyBound(mean, 1, chiSquare95)))
	s.NElo, s.NEloLo, s.NEloHi = d.normalizedEloInterval(mean, math.Sqrt(variance))
	switch c := c.(type) {
	case Trinomial:
		s.oneSided = c[0] == 0 || c[2] == 0
		s.noneLost = c[0] == 0
		s.Score = meanScore(c[:])
		s.DrawRatio = ratio(c[1], c.Samples())
	case Pentanomial:
		s.oneSided = c[0]+c[1] == 0 || c[3]+c[4] == 0
		s.noneLost = c[0]+c[1] == 0
		s.Score = meanScore(c[:])
		s.DrawRatio = ratio(c[2], c.Samples())
		s.PairRatio = atLeast(c[3]+c[4]) / atLeast(c[0]+c[1])
		s.Paired = true
	}
	return s
}

// meanScore is the mean of scores evenly spaced from 0 to 1.
func meanScore(counts []int64) float64 {
	sum, n := 0.0, 0.0
	for i, c := range counts {
		sum += float64(float64(i) * float64(c))
		n += float64(c)
	}
	if n == 0 {
		return half
	}
	return sum / n / float64(len(counts)-1)
}

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func atLeast(count int64) float64 { return math.Max(float64(count), noCount) }

var (
	// chiSquare95 is the 95 % point of chi-square with one degree of freedom.
	chiSquare95 = normal95 * normal95
	// exact95 is twice the logarithm of a likelihood ratio of 40.
	exact95 = 2 * math.Log(40)
)

// exactBounds returns bounds of Elo that every 95 % interval must hold. Where one side won
// nothing, the spread of the results says too little, and a likelihood ratio beyond which
// chi-square would have 5 % is exceeded in up to 15 %.
//
// The lower bound is where the likelihood ratio is 1/40, of the counts with lost samples taken
// for even ones; so a loss never raises it. If all n samples were won, it is the exact binomial
// bound (C. Clopper and E. Pearson 1934), at the score s with s^n = 1/40: n wins in a row have
// at most that probability, whatever the share of draws. This also holds after a sequential
// test, since no other result stops as early. Otherwise it is wide: at most 1 % of the
// results without a loss exceed it, over 10 to 14 pairs of players of all strengths. The upper
// bound mirrors the lower one.
func exactBounds(c Counts) (lo, hi float64) {
	bound := func(side int) float64 {
		d := c.distribution()
		zero := noCount / d.n
		for i, even := 0, d.k/2; i < even; i++ {
			lost := i + side*(d.k-1-2*i) // side 1: samples won
			if d.p[lost] > zero {
				d.p[even] += d.p[lost]
			}
			d.p[lost] = zero
		}
		sum := 0.0
		for i := range d.k {
			if d.p[i] <= zero {
				d.p[i] *= 1e-9 // noCount would cost one Elo
			}
			sum += d.p[i]
		}
		for i := range d.k {
			d.p[i] /= sum
		}
		d.n *= sum
		mean, _ := d.moments()
		return Elo(d.likelyBound(mean, float64(side), exact95))
	}
	return bound(0), bound(1)
}

// likelyBound returns the score between mean and end (0 or 1) at which twice the
// log-likelihood ratio against the mean reaches the limit, or end's neighbour where it
// stays below.
func (d *dist) likelyBound(mean, end, limit float64) float64 {
	rejected := func(s float64) bool {
		t, sum := d.withMean(s), 0.0
		for i := range d.k {
			sum += float64(d.p[i] * math.Log(t.q[i]))
		}
		return 2*d.n*sum > limit
	}
	far := minScore + float64(end*(1-2*minScore))
	if (far-mean)*(end-half) <= 0 || !rejected(far) {
		return far
	}
	near := mean
	for range 60 {
		if s := (near + far) / 2; rejected(s) {
			far = s
		} else {
			near = s
		}
	}
	return near
}

// normalizedEloInterval is normalized Elo with its interval: the variance of the
// t-value z/sd is (1 - t k3 + t^2 (k4-1)/4)/n, k3 and k4 the standardized third
// and fourth moments of the score.
func (d *dist) normalizedEloInterval(mean, sd float64) (elo, lo, hi float64) {
	t := (mean - half) / sd
	variance := 0.0
	for i := range d.k {
		z := (d.score[i] - mean) / sd
		influence := z - t*(float64(z*z)-1)/2
		variance += float64(d.p[i] * influence * influence)
	}
	e := normal95 * math.Sqrt(variance/d.n)
	return d.normalizedElo(t), d.normalizedElo(t - e), d.normalizedElo(t + e)
}

// Prediction is the behavior of a test, by formula.
type Prediction struct {
	Pass  float64 // probability to accept H1
	Games float64 // expected number of games until the stop
}

// Predict says what the test does for a player of trueElo (in the test's unit) whose
// results have this shape. It approximates the LLR by a Brownian motion of equal drift and
// equal odds of ever crossing a level. A test without correction for overshoot stops as far beyond
// Wald's bounds as a random walk does (Siegmund 1985, ch. X: 0.583 standard
// deviations and a term for skewness); a corrected one on the bounds.
//
// Where bounds are so wide that a few hundred games decide, the walk is no longer
// close to its limit.
func (t Test) Predict(s Shape, trueElo float64, corrected bool) (Prediction, error) {
	if err := t.Validate(); err != nil {
		return Prediction{}, err
	}
	d, err := s.at(t.Model, trueElo)
	if err != nil {
		return Prediction{}, err
	}
	m := t.motion(&d)
	if !corrected {
		below, above := t.overshoot(&d)
		m.lower -= below
		m.upper += above
	}
	return Prediction{Pass: m.passes(), Games: m.length() * d.perSample}, nil
}

// motion is the limit of the LLR's walk when samples come from d.
func (t Test) motion(d *dist) motion {
	jump := t.jump(d)
	m := motion{}
	m.lower, m.upper = t.Bounds()
	m.drift, m.variance = d.spread(&jump)
	if root := d.conjugate(&jump, m.drift, m.variance); root != 0 {
		m.variance = -2 * m.drift / root
	}
	return m
}

// conjugate is the root h other than 0 of E exp(h jump) = 1, or 0 where the drift
// is too small to tell it from 0. Wald's probabilities depend on the walk by h
// alone, and it is -2 drift/variance only for normal jumps.
func (d *dist) conjugate(jump *[5]float64, drift, variance float64) float64 {
	if math.Abs(drift) < 1e-6*math.Sqrt(variance) {
		return 0
	}
	h := -4 * drift / variance // the far side, from where Newton's steps do not turn back
	for range 100 {
		f, slope := 0.0, 0.0
		for i := range d.k {
			f += float64(d.p[i] * math.Expm1(h*jump[i]))
			slope += float64(d.p[i] * jump[i] * math.Exp(h*jump[i]))
		}
		step := f / slope
		if h -= step; math.Abs(step) <= 1e-12*math.Abs(h) && h*drift < 0 {
			return h
		}
	}
	return 0 // the drift is so strong that exp overflows: the pass is certain or hopeless
}

// correctedBounds returns Wald's bounds drawn in by the overshoot to expect where
// results come like these counts. It is what a corrected Walk does, for counts
// without the order in which they came: by formula instead of measured records.
func (t Test) correctedBounds(c Counts) (lower, upper float64) {
	d := c.distribution()
	below, above := t.overshoot(&d)
	lower, upper = t.Bounds()
	// Counts of one kind only have no spread to speak of, and rare ones jump: never
	// draw a bound in beyond the start.
	return math.Min(lower+below, 0), math.Max(upper-above, 0)
}

// overshoot is the expected excess of the walk over a distant lower and upper
// bound, in the limit of small drift.
func (t Test) overshoot(d *dist) (below, above float64) {
	// -zeta(1/2)/sqrt(2 pi), of the normal random walk.
	const normalOvershoot = 0.5825971579390106
	jump := t.jump(d)
	mean, variance := d.spread(&jump)
	third := 0.0
	for i := range d.k {
		x := jump[i] - mean
		third += float64(d.p[i] * x * x * x)
	}
	base, skew := float64(normalOvershoot*math.Sqrt(variance)), third/(6*variance)
	return math.Max(base-skew, 0), math.Max(base+skew, 0)
}

// spread is the mean and the variance of what has the value jump at each score.
func (d *dist) spread(jump *[5]float64) (mean, variance float64) {
	for i := range d.k {
		mean += float64(d.p[i] * jump[i])
	}
	for i := range d.k {
		x := jump[i] - mean
		variance += float64(d.p[i] * x * x)
	}
	return mean, variance
}
