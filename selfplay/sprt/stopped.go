package sprt

import "math"

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
// same). The LLR is taken for a Brownian motion whose variance is that of the
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
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if s.worse(mid) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
