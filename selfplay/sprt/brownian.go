package sprt

import "math"

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
