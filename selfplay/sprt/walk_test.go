package sprt

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

var usual = Test{Elo0: 0, Elo1: 5, Model: Normalized, Alpha: 0.05, Beta: 0.05}

// TestWalkStopsOnce lets a walk cross both bounds: the first one counts.
func TestWalkStopsOnce(t *testing.T) {
	x := Test{Elo0: 0, Elo1: 100, Model: Logistic, Alpha: 0.05, Beta: 0.05}
	w := setup.Must(NewWalk(x, false))
	var c Pentanomial
	stoppedAt := int64(0)
	for i := range 460 {
		if i < 120 {
			c[3+i%2]++
		} else {
			c[0]++
		}
		status := setup.Must(w.Observe(c))
		if status != Continue && stoppedAt == 0 {
			stoppedAt = c.Samples()
			if llr, _ := x.LLR(c); llr != w.LLR() || x.Status(llr) != status {
				t.Errorf("stopped at LLR %v, test says %v", w.LLR(), llr)
			}
		}
	}
	if w.Status() != AcceptH1 || w.Samples() != stoppedAt || stoppedAt == 0 || stoppedAt >= 120 {
		t.Errorf("got %v after %d samples, first stop after %d", w.Status(), w.Samples(), stoppedAt)
	}
}

// TestWalkOfSingleSamples: counts that have not one sample more are refused.
func TestWalkOfSingleSamples(t *testing.T) {
	w := setup.Must(NewWalk(usual, true))
	setup.Must(w.Observe(Pentanomial{0, 1, 0, 0, 0}))
	for _, c := range []Pentanomial{{}, {0, 1, 0, 0, 0}, {0, 1, 2, 0, 0}, {0, 3, -1, 0, 0}} {
		if _, err := w.Observe(c); !errors.Is(err, ErrCounts) || w.Samples() != 1 {
			t.Errorf("%v: %v, %d samples", c, err, w.Samples())
		}
	}
}

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

// TestAfterStopIsUnbiased stops tests and counts how often the estimate lies above
// the truth, and the interval around it. The plain estimate is far off.
func TestAfterStopIsUnbiased(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation study")
	}
	x := Test{Elo0: 0, Elo1: 30, Model: Normalized, Alpha: 0.05, Beta: 0.05}
	const trueElo = 30
	runs := 150 * moreRuns
	truth := setup.Must(mustShape(t, 0.6, true).at(Normalized, trueElo))
	mean, _ := truth.moments()
	elo := Elo(mean)
	above, plainAbove, holds := 0, 0, 0
	for i := range runs {
		f := follower{walk: x.walk(false), d: truth}
		s := newSampler(&truth, 16, uint64(i))
		for f.walk.status == Continue {
			f.add(s.next())
		}
		c := Pentanomial(f.counts)
		e := setup.Must(x.AfterStop(c))
		above += inside(elo, e.Elo, math.Inf(1))
		plainAbove += inside(elo, Summarize(c).Elo, math.Inf(1))
		holds += inside(e.Lo, elo, e.Hi)
	}
	// Four standard deviations of the counts, and a little for a walk that is not quite
	// a Brownian motion.
	share := func(n int) float64 { return float64(n) / float64(runs) }
	chance := 4 / math.Sqrt(float64(runs))
	if r := share(above); math.Abs(r-0.5) > 0.5*chance+0.007 {
		t.Errorf("the estimate is above the truth in %.3f of tests", r)
	}
	if r := share(holds); math.Abs(r-0.95) > math.Sqrt(0.95*0.05)*chance+0.004 {
		t.Errorf("the interval holds the truth in %.3f of tests", r)
	}
	if r := share(plainAbove); r < 0.57 {
		t.Errorf("the plain estimate is above the truth in only %.3f, but it is biased", r)
	}
	t.Logf("above the truth: %d, plain %d; interval holds it: %d, of %d", above, plainAbove, holds, runs)
}

// TestAfterStopWithoutStop: where a test never came near a bound, the estimate is
// the plain one.
func TestAfterStopWithoutStop(t *testing.T) {
	x := Test{Elo0: -20, Elo1: 20, Model: Logistic, Alpha: 1e-9, Beta: 1e-9}
	c := Pentanomial{4, 20, 40, 26, 5}
	e := setup.Must(x.AfterStop(c))
	s := Summarize(c)
	if math.Abs(e.Elo-s.Elo) > 0.01 || math.Abs(e.Lo-s.EloLo) > 0.5 ||
		math.Abs(e.Hi-s.EloHi) > 0.5 || math.Abs(e.LOS-s.LOS) > 1e-6 {
		t.Errorf("got %+v, plain %+v", e, s)
	}
}

// TestFinite asks everything of counts and tests that people come up with.
func TestFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	for range 200 * moreRuns {
		elo0 := math.Round(r.NormFloat64() * math.Exp(6*r.Float64()))
		x := Test{Elo0: elo0, Elo1: elo0 + math.Ceil(100*r.Float64()*r.Float64()), Model: Model(r.IntN(2)),
			Alpha: math.Exp(-1 - 9*r.Float64()), Beta: math.Exp(-1 - 9*r.Float64())}
		checkFinite(t, x, randomCounts(r))
	}
}

// FuzzFinite feeds everything with counts and tests of any kind: what passes
// Validate has finite answers, in their ranges.
func FuzzFinite(f *testing.F) {
	f.Add(int64(0), int64(0), int64(0), int64(0), int64(0), 0.0, 5.0, uint8(0), 0.05, 0.05)
	f.Add(int64(0), int64(0), int64(0), int64(0), int64(5550), -1000.0, 1000.0, uint8(1), 1e-9, 0.9)
	f.Add(int64(1)<<50, int64(0), int64(1), int64(0), int64(0), 999.0, 1000.0, uint8(0), 0.5, 0.4)
	f.Add(int64(3), int64(1), int64(1)<<50, int64(0), int64(0), -1000.0, -999.0, uint8(2), 0.01, 0.99)
	f.Fuzz(func(t *testing.T, a, b, c, d, e int64, elo0, elo1 float64, model uint8, alpha, beta float64) {
		x := Test{Elo0: elo0, Elo1: elo1, Model: Model(model), Alpha: alpha, Beta: beta}
		for _, counts := range []Counts{Trinomial{a, b, c}, Pentanomial{a, b, c, d, e}} {
			if counts.Validate() == nil {
				checkFinite(t, x, counts)
			} else if _, err := x.LLR(counts); err == nil {
				t.Errorf("%v: LLR of impossible counts", counts)
			}
		}
	})
}

func checkFinite(t *testing.T, x Test, c Counts) {
	t.Helper()
	finite := func(name string, value, lo, hi float64) {
		t.Helper()
		if !(value >= lo && value <= hi) || math.IsInf(value, 0) {
			t.Errorf("%+v, %v: %s is %v, not within [%v, %v]", x, c, name, value, lo, hi)
		}
	}
	s, inf := Summarize(c), math.Inf(1)
	for name, v := range map[string]float64{"Elo": s.Elo, "EloLo": s.EloLo, "EloHi": s.EloHi,
		"LikelyLo": s.LikelyLo, "LikelyHi": s.LikelyHi} {
		finite(name, v, -1200, 1200)
	}
	for name, v := range map[string]float64{"Score": s.Score, "LOS": s.LOS, "DrawRatio": s.DrawRatio} {
		finite(name, v, 0, 1)
	}
	for name, v := range map[string]float64{"NElo": s.NElo, "NEloLo": s.NEloLo, "NEloHi": s.NEloHi,
		"PairRatio": s.PairRatio} {
		finite(name, v, -inf, inf)
	}
	if s.EloLo > s.Elo || s.EloHi < s.Elo || s.LikelyLo > s.Elo+1e-9 || s.LikelyHi < s.Elo-1e-9 {
		t.Errorf("%v: intervals do not hold the estimate: %+v", c, s)
	}
	llr, err := x.LLR(c)
	if err != nil {
		return
	}
	finite("LLR", llr, -inf, inf)
	e, err := x.AfterStop(c)
	if err != nil {
		t.Errorf("%+v, %v: %v", x, c, err)
	}
	finite("LOS after the stop", e.LOS, 0, 1)
	finite("Elo after the stop", e.Elo, -1000, 1000)
	finite("its lower end", e.Lo, -1000, e.Elo)
	finite("its upper end", e.Hi, e.Elo, 1000)
	lower, upper := x.correctedBounds(c)
	l, u := x.Bounds()
	finite("corrected lower bound", lower, l, math.Max(l, 0))
	finite("corrected upper bound", upper, math.Min(u, 0), u)
	for _, corrected := range []bool{false, true} {
		p, err := x.Predict(ShapeOf(c), x.Elo0, corrected)
		if err != nil {
			t.Errorf("%+v, %v: %v", x, c, err)
		}
		finite("predicted pass", p.Pass, 0, 1)
		finite("predicted games", p.Games, 0, inf)
	}
}
