package sprt

import "math"

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
func (t Test) correctedBounds(c Counts) (lower, upper float64, err error) {
	if err := t.accepts(c); err != nil {
		return 0, 0, err
	}
	d := c.distribution()
	below, above := t.overshoot(&d)
	lower, upper = t.Bounds()
	// Counts of one kind only have no spread to speak of, and rare ones jump: never
	// draw a bound in beyond the start.
	return math.Min(lower+below, 0), math.Max(upper-above, 0), nil
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
