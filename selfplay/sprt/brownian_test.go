package sprt

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randomMotion(r *rand.Rand) motion {
	m := motion{lower: -0.5 - 5*r.Float64(), upper: 0.5 + 5*r.Float64(), variance: math.Exp(r.NormFloat64() * 2)}
	m.drift = r.NormFloat64() * m.variance
	return m
}

// TestExpansionsAgree computes the same probabilities in two ways that have
// nothing in common but the question.
func TestExpansionsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 5000 {
		m := randomMotion(r)
		width := m.upper - m.lower
		// Crossing times at which both converge.
		time := width * width / m.variance * math.Exp(-2.5+3*r.Float64())
		y := m.lower + width*r.Float64()
		a, b := m.outcomeByImages(time, y), m.outcomeBySeries(time, y)
		if math.Abs(a-b) > 1e-9 {
			t.Fatalf("%+v at %v, %v: images %v, series %v", m, time, y, a, b)
		}
	}
}

// TestStrongDrift holds the approximation for strong drifts against the images.
func TestStrongDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	worst := 0.0
	for range 5000 {
		m := motion{lower: -2.944, upper: 2.944, variance: 1, drift: 2.6 + 4*r.Float64()}
		if r.IntN(2) == 0 {
			m.drift = -m.drift
		}
		time := math.Exp(r.NormFloat64())
		y := m.lower + (m.upper-m.lower)*r.Float64()
		worst = math.Max(worst, math.Abs(m.outcomeByDrift(time, y)-m.outcomeByImages(time, y)))
	}
	if worst > 2e-3 {
		t.Errorf("the approximation is off by %v", worst)
	}
	t.Logf("at most %.1e off", worst)
}

// TestOutcomeEnds checks the outcomes whose probabilities are known otherwise.
func TestOutcomeEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 2000 {
		m := randomMotion(r)
		far := 1e4 * (m.upper - m.lower) * (m.upper - m.lower) / m.variance
		for name, pair := range map[string][2]float64{
			"stopped below, in the end":    {m.outcome(far, m.lower), 1 - m.passes()},
			"not above, in the end":        {m.outcome(far, m.upper), 1 - m.passes()},
			"not above, at once":           {m.outcome(far*1e-12, m.upper), 1},
			"stopped below, at once":       {m.outcome(far*1e-12, m.lower), 0},
			"pass of the mirrored motion":  {m.mirrored().passes(), 1 - m.passes()},
			"length of the mirrored":       {m.mirrored().length() * m.variance, m.length() * m.variance},
			"outcome of the mirrored, mid": {m.mirrored().outcome(far*1e-4, 0), 1 - m.outcome(far*1e-4, 0)},
		} {
			if math.Abs(pair[0]-pair[1]) > 3e-3 {
				t.Fatalf("%+v: %s: %v, want %v", m, name, pair[0], pair[1])
			}
		}
	}
}

func (m motion) mirrored() motion {
	return motion{lower: -m.upper, upper: -m.lower, drift: -m.drift, variance: m.variance}
}

// TestLimitsOfSmallDrift checks that formulas join where their cases meet.
func TestLimitsOfSmallDrift(t *testing.T) {
	for _, drift := range []float64{0, 1e-14, 1e-9, 1e-7, 1e-5, -1e-14, -1e-9, -1e-7, -1e-5} {
		m := motion{lower: -2, upper: 3, drift: drift, variance: 1}
		if math.Abs(m.passes()-0.4) > 1e-4 || math.Abs(m.length()-6) > 1e-3 {
			t.Errorf("drift %v: passes %v, length %v, want 0.4 and 6", drift, m.passes(), m.length())
		}
	}
}

func TestLogNormal(t *testing.T) {
	// log Phi(-10), log Phi(-40): 50-digit values.
	for z, want := range map[float64]float64{-10: -53.23128515051247, -40: -804.6084420137538, 0: -math.Ln2} {
		if got := logNormal(z); math.Abs(got-want) > 1e-9 {
			t.Errorf("log Phi(%v) = %v, want %v", z, got, want)
		}
	}
	if a, b := logNormal(-30), logNormal(-30+1e-9); math.Abs(a-b) > 1e-6 {
		t.Errorf("the branches do not meet at -30: %v, %v", a, b)
	}
}
