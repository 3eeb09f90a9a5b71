package sprt

import (
	"fmt"
	"math"
)

// Walk follows the LLR of one test while its samples arrive, and stops for good
// at the first crossing of a bound.
//
// A walk jumps over its bound, by half the ratio of the second to the first moment
// of the jumps to new records (Siegmund 1985, ch. VIII). Wald's bounds ignore that: a test
// makes fewer errors than Alpha and Beta allow, and takes longer.
// A corrected walk measures the records it sets and narrows its bounds by that
// much, as fishtest does.
type Walk struct {
	test         Test
	lower, upper float64 // Wald's bounds
	corrected    bool
	llr          float64
	samples      int64
	status       Status
	below, above ladder
}

// ladder sums up the jumps to new records on one side, as sizes above zero.
type ladder struct{ record, sum, squares float64 }

func (l *ladder) step(level float64) {
	if jump := level - l.record; jump > 0 {
		l.sum += jump
		l.squares += float64(jump * jump)
		l.record = level
	}
}

// overshoot is the expected excess over a distant bound.
func (l *ladder) overshoot() float64 {
	if l.sum == 0 {
		return 0
	}
	return l.squares / l.sum / 2
}

// NewWalk starts at no samples. A corrected walk has its bounds narrowed by the
// measured overshoot.
func NewWalk(t Test, corrected bool) (*Walk, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	w := t.walk(corrected)
	return &w, nil
}

func (t Test) walk(corrected bool) Walk {
	w := Walk{test: t, corrected: corrected}
	w.lower, w.upper = t.Bounds()
	return w
}

// Observe takes the counts of everything seen so far, one sample more than at
// the last call, and returns the status. After a stop it changes nothing.
func (w *Walk) Observe(c Counts) (Status, error) {
	if err := c.Validate(); err != nil || w.status != Continue {
		return w.status, err
	}
	if c.Samples() != w.samples+1 {
		return w.status, fmt.Errorf("%w: %d samples after %d", ErrCounts, c.Samples(), w.samples)
	}
	w.samples++
	w.record(w.test.llrOf(c))
	return w.status, nil
}

// record notes the LLR, the records it sets and the status it has.
func (w *Walk) record(llr float64) {
	w.llr = llr
	w.below.step(-llr)
	w.above.step(llr)
	lower, upper := w.Bounds()
	w.status = StatusAt(llr, lower, upper)
}

// LLR is the log-likelihood ratio after the last sample observed (at the
// crossing, once stopped).
func (w *Walk) LLR() float64 { return w.llr }

// Samples is the number of samples observed (until the crossing, once stopped).
func (w *Walk) Samples() int64 { return w.samples }

// Status is the status after the last sample observed.
func (w *Walk) Status() Status { return w.status }

// Bounds is where the walk would stop now: Wald's bounds, narrowed by overshoot if
// corrected.
func (w *Walk) Bounds() (lower, upper float64) {
	if w.corrected {
		return w.lower + w.below.overshoot(), w.upper - w.above.overshoot()
	}
	return w.lower, w.upper
}

// motion is a Brownian motion that starts at 0 and stops at lower < 0 or at
// upper > 0: what the LLR of a long test looks like. drift and variance are per
// unit of time, which is a sample.
type motion struct {
	lower, upper    float64
	drift, variance float64
}

// passes is the probability to stop at the upper bound.
func (m motion) passes() float64 {
	g, width := m.drift/m.variance, m.upper-m.lower
	switch {
	case math.Abs(g)*width < 1e-12:
		return -m.lower / width
	case g > 0:
		return math.Expm1(2*g*m.lower) / math.Expm1(-2*g*width)
	default:
		return 1 - math.Expm1(2*g*m.upper)/math.Expm1(2*g*width)
	}
}

// length is the expected time of the stop (Wald's identity).
func (m motion) length() float64 {
	if math.Abs(m.drift/m.variance)*(m.upper-m.lower) < 1e-6 {
		return -m.lower * m.upper / m.variance
	}
	p := m.passes()
	return (float64(p*m.upper) + float64((1-p)*m.lower)) / m.drift
}

// outcome is the probability that the motion ends worse than at level y at time
// t: that it stopped at the lower bound by then, or is on its way and at most at
// y. With y at the upper bound it is the probability not to have stopped there by
// then; with y at the lower one, to have stopped at it. Outcomes so ordered (soon
// rejected < late rejected < undecided < late accepted < soon accepted) give the
// median-unbiased estimate and its interval (Siegmund 1985, ch. III.4).
func (m motion) outcome(t, y float64) float64 {
	y = math.Min(math.Max(y, m.lower), m.upper)
	width := m.upper - m.lower
	p := 0.0
	switch {
	case t <= 0 || m.variance <= 0:
		p = 0
	case math.Abs(m.drift/m.variance)*width > strongDrift:
		p = m.outcomeByDrift(t, y)
	case m.variance*t < width*width:
		p = m.outcomeByImages(t, y)
	default:
		p = m.outcomeBySeries(t, y)
	}
	return math.Min(math.Max(p, 0), 1)
}

// strongDrift is the drift/variance times the distance of the bounds above which
// the reflections at one bound do not see the other.
const strongDrift = 15

// outcomeByDrift takes the first image at each bound (Siegmund 1985, eq. 3.13 and
// ff.), and two terms of Mills' ratio where exp overflows against the tail of the
// normal distribution. The images are exact here too, and this moves an estimate
// by a few thousandths of its interval; but published estimates are computed so.
func (m motion) outcomeByDrift(t, y float64) float64 {
	g, sd := m.drift/m.variance, math.Sqrt(m.variance*t)
	z := (y - float64(m.drift*t)) / sd
	image := func(bound, z float64) float64 {
		w := 2 * g * bound
		if w >= 10 && z < 0 {
			return float64(math.Exp(w-z*z/2) / math.Sqrt(2*math.Pi) * (1/(z*z*z) - 1/z))
		}
		return weighted(w, z)
	}
	return normal(z) + image(m.lower, 2*m.lower/sd-z) - image(m.upper, z-2*m.upper/sd)
}

// outcomeBySeries expands in the eigenfunctions of the interval; the terms
// vanish fast where the motion had time to cross it.
func (m motion) outcomeBySeries(t, y float64) float64 {
	g, width := m.drift/m.variance, m.upper-m.lower
	start, end := -m.lower, y-m.lower
	p := 1 - m.passes()
	for n := 1.0; n <= 40; n++ {
		w := n * math.Pi / width
		decay := m.variance * (float64(g*g) + float64(w*w)) / 2
		sin, cos := math.Sincos(w * end)
		// The hits of the lower bound still to come, and the mass up to y: the
		// integral of exp(g(x-start)) sin(w x), both without their exponentials.
		hits := -math.Exp(float64(-g*start)-float64(decay*t)) * m.variance * w / (width * decay)
		low := float64(math.Exp(float64(-g*start)-float64(decay*t)) * w)
		high := float64(math.Exp(float64(g*(end-start))-float64(decay*t)) * (float64(g*sin) - float64(w*cos)))
		mass := 2 / width * (low + high) / (float64(g*g) + float64(w*w))
		p += float64(math.Sin(w*start) * (hits + mass))
		if float64(decay*t)-float64(math.Abs(g)*width) > 45 {
			break
		}
	}
	return p
}

// outcomeByImages reflects the start at both bounds; the images vanish fast where
// the motion had no time to cross the interval.
func (m motion) outcomeByImages(t, y float64) float64 {
	g, width, v := m.drift/m.variance, m.upper-m.lower, m.variance*t
	start, end, sd := -m.lower, y-m.lower, math.Sqrt(v)
	p := 0.0
	for k := -12.0; k <= 12; k++ {
		shift := 2 * k * width
		p += interval(g*shift, -start-shift-float64(g*v), end-start-shift-float64(g*v), sd)
		p -= interval(g*(shift-float64(2*start)), start-shift-float64(g*v), end+start-shift-float64(g*v), sd)
		c := start + shift
		side := math.Copysign(1, c)
		c = math.Abs(c)
		p += float64(side * (weighted(-g*(start+c), (float64(g*v)-c)/sd) + weighted(g*(c-start), (-c-float64(g*v))/sd)))
	}
	return p
}

// interval is e^w times the normal probability between lo/sd and hi/sd, without
// overflow where e^w is huge and the probability tiny.
func interval(w, lo, hi, sd float64) float64 {
	if lo > 0 {
		lo, hi = -hi, -lo
	}
	return weighted(w, hi/sd) - weighted(w, lo/sd)
}

// weighted is e^w times the normal distribution function at z.
func weighted(w, z float64) float64 { return math.Exp(w + logNormal(z)) }

// normal is the standard normal distribution function.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// logNormal is the logarithm of normal, also where that underflows.
func logNormal(z float64) float64 {
	if z > -30 {
		return math.Log(normal(z))
	}
	r := 1 / (z * z)
	return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi)) + math.Log1p(-r*(1-float64(3*r*(1-float64(5*r)))))
}

// normal95 is the two-sided 95 % point of the standard normal distribution.
var normal95 = math.Sqrt2 * math.Erfinv(0.95)

// Estimate is an Elo estimated after a sequential test, in logistic Elo within
// +-1000.
type Estimate struct {
	Elo    float64 // median-unbiased: as often above the truth as below
	Lo, Hi float64 // 95 % interval
	LOS    float64 // probability of a worse outcome than this for equal players
}

// AfterStop estimates Elo from the counts at which a test stopped, or stands.
//
// The plain estimate of a stopped test is biased away from the middle: tests stop
// on lucky and on unlucky streaks. Here outcomes are ordered from soonest
// rejected to soonest accepted; the estimate is the Elo at which a worse outcome
// than the observed one has probability 1/2, the ends of the interval are those
// at which it has 0.975 and 0.025 (Siegmund 1985, ch. III.4; fishtest does the
// same). The LLR is taken for a Brownian motion with the variance of the
// counts, and counts beyond a bound for the moment at which it reached it.
func (t Test) AfterStop(c Counts) (Estimate, error) {
	if err := t.accepts(c); err != nil {
		return Estimate{}, err
	}
	d := c.distribution()
	s := newStopped(t, &d)
	return Estimate{
		Elo: s.eloWith(half),
		Lo:  s.eloWith(0.975),
		Hi:  s.eloWith(0.025),
		LOS: s.worse(0),
	}, nil
}

// stopped is where a test stands: at level llr after n samples, none of them beyond
// a bound.
type stopped struct {
	variance     float64 // of the score of a sample
	s0, s1       float64 // expected scores of the hypotheses
	lower, upper float64
	llr, samples float64
}

// newStopped takes the LLR as it is for scores near 1/2: linear in the mean score,
// scaled by a variance that the hypotheses share.
func newStopped(t Test, d *dist) *stopped {
	s := &stopped{samples: d.n}
	s.s0, s.s1 = t.scores(d)
	s.lower, s.upper = t.Bounds()
	mean, variance := d.moments()
	s.variance = variance
	s.llr = d.n * s.drift(mean)
	switch {
	case s.llr > s.upper:
		s.samples *= s.upper / s.llr
		s.llr = s.upper
	case s.llr < s.lower:
		s.samples *= s.lower / s.llr
		s.llr = s.lower
	}
	return s
}

// drift is the LLR that a sample adds where the expected score is this.
func (s *stopped) drift(score float64) float64 {
	return (score - (s.s0+s.s1)/2) * (s.s1 - s.s0) / s.variance
}

// scores returns the expected scores of the hypotheses, in the normalized model given the spread of the counts.
func (t Test) scores(d *dist) (s0, s1 float64) {
	if t.Model == Normalized {
		_, variance := d.moments()
		sd := math.Sqrt(variance)
		return half + float64(d.tValue(t.Elo0)*sd), half + float64(d.tValue(t.Elo1)*sd)
	}
	return Score(t.Elo0), Score(t.Elo1)
}

// worse is the probability of a worse outcome for a player of this Elo.
func (s *stopped) worse(elo float64) float64 {
	m := motion{lower: s.lower, upper: s.upper, drift: s.drift(Score(elo))}
	m.variance = (s.s1 - s.s0) * (s.s1 - s.s0) / s.variance
	return m.outcome(s.samples, s.llr)
}

// eloWith is the Elo at which a worse outcome has probability p. That falls with
// Elo.
func (s *stopped) eloWith(p float64) float64 {
	lo, hi := -float64(maxElo), float64(maxElo)
	if s.worse(lo) < p {
		return lo
	}
	if s.worse(hi) > p {
		return hi
	}
	for hi-lo > 1e-10 {
		if mid := (lo + hi) / 2; s.worse(mid) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
