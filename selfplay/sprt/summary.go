package sprt

import "math"

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
