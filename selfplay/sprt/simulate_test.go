package sprt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func mustShape(t testing.TB, drawRatio float64, paired bool) Shape {
	t.Helper()
	return setup.Must(IndependentGames(drawRatio, paired))
}

func mustSimulate(t testing.TB, x Test, c Simulation) Simulated {
	t.Helper()
	return setup.Must(x.simulate(c))
}

// moreRuns is how many times as many runs a study takes under the build tag soak: it is the whole study then.
var moreRuns = 1

// TestErrorRates simulates tests at both hypotheses: with correction for overshoot
// they err as often as asked, without it less often.
func TestErrorRates(t *testing.T) {
	errorRates(t, 30, 150*moreRuns)
	errorRates(t, 50, 400*moreRuns)
}

// errorRates simulates that many tests of [0, elo1] at each hypothesis.
func errorRates(t *testing.T, elo1 float64, runs int) {
	t.Helper()
	shape := mustShape(t, 0.6, true)
	x := Test{Elo0: 0, Elo1: elo1, Model: Normalized, Alpha: 0.05, Beta: 0.05}
	errs := map[bool]int{}
	for _, corrected := range []bool{true, false} {
		s := Simulation{Shape: shape, Runs: runs, Seed: 11, Corrected: corrected}
		first := mustSimulate(t, x, s).Passed
		s.TrueElo = elo1
		second := mustSimulate(t, x, s).Failed
		errs[corrected] = first + second
		if !corrected {
			continue
		}
		for _, n := range []int{first, second} {
			rate, sd := float64(n)/float64(runs), math.Sqrt(0.05*0.95/float64(runs))
			if rate < 0.047-4*sd || rate > 0.053+4*sd {
				t.Errorf("[0, %v]: error rate %v", elo1, rate)
			}
		}
	}
	// The same random numbers, so the difference is not chance; it is small where
	// steps are.
	if elo1 == 50 && errs[true] <= errs[false] {
		t.Errorf("[0, %v]: %d errors with correction, %d without", elo1, errs[true], errs[false])
	}
	t.Logf("[0, %v]: %d errors with correction, %d without, of %d", elo1, errs[true], errs[false], 2*runs)
}

// TestPrediction compares the formulas with simulation at the midpoint.
func TestPrediction(t *testing.T) {
	runs := 250 * moreRuns
	for _, x := range []Test{
		{Elo0: 0, Elo1: 30, Model: Normalized, Alpha: 0.05, Beta: 0.05},
		{Elo0: 0, Elo1: 20, Model: Logistic, Alpha: 0.05, Beta: 0.10},
		{Elo0: -5, Elo1: 25, Model: Logistic, Alpha: 0.05, Beta: 0.05},
	} {
		for _, corrected := range []bool{false, true} {
			shape := mustShape(t, 0.6, x.Elo0 == 0) // single games too
			mid := (x.Elo0 + x.Elo1) / 2
			p := setup.Must(x.Predict(shape, mid, corrected))
			s := mustSimulate(t, x, Simulation{Shape: shape, TrueElo: mid, Runs: runs, Seed: 12, Corrected: corrected})
			rate, lo, hi := s.PassRate()
			slack := 4/math.Sqrt(float64(runs)) + 0.03
			if p.Pass < lo-0.02 || p.Pass > hi+0.02 || math.Abs(s.MeanGames/p.Games-1) > slack {
				t.Errorf("%+v, corrected %v: predicted %+v, simulated %v and %+v", x, corrected, p, rate, s)
			}
			t.Logf("%v [%v, %v] corrected %v: pass %.4f (predicted %.4f), games %.1f (predicted %.1f)",
				x.Model, x.Elo0, x.Elo1, corrected, rate, p.Pass, s.MeanGames, p.Games)
		}
	}
}

// TestFollowerIsExact compares the simulation's shortcut with walks that compute
// every LLR.
func TestFollowerIsExact(t *testing.T) {
	same, runs := 0, 0
	for _, x := range []Test{
		{Elo0: 0, Elo1: 20, Model: Normalized, Alpha: 0.05, Beta: 0.05},
		{Elo0: -10, Elo1: 10, Model: Logistic, Alpha: 0.05, Beta: 0.05},
		{Elo0: 0, Elo1: 30, Model: Logistic, Alpha: 0.05, Beta: 0.05},
	} {
		truth := setup.Must(mustShape(t, 0.6, x.Elo1 < 30).at(x.Model, (x.Elo0+x.Elo1)/2))
		for i := range uint64(60) {
			corrected := i%2 == 0
			fast := x.simulateOne(newSampler(&truth, 14, i), corrected)
			slow := everyLLR(t, x, newSampler(&truth, 14, i), corrected)
			if runs++; fast == slow {
				same++
			} else if !corrected {
				t.Errorf("%+v, run %d: %+v, computing every LLR %+v", x, i, fast, slow)
			}
		}
	}
	// With correction the bounds are sums over all records, to which the shortcut
	// adds its hundredths of a jump.
	if same < runs*95/100 {
		t.Errorf("only %d of %d tests ended alike", same, runs)
	}
	t.Logf("%d of %d tests ended alike", same, runs)
}

func everyLLR(t *testing.T, x Test, s *sampler, corrected bool) ending {
	w := setup.Must(NewWalk(x, corrected))
	var p Pentanomial
	for w.Status() == Continue {
		p[s.next()]++
		var c Counts = p
		if s.empty.k == 3 {
			c = Trinomial(p[:3])
		}
		if _, err := w.Observe(c); err != nil {
			t.Fatal(err)
		}
	}
	return ending{samples: w.Samples(), status: w.Status()}
}

// TestShapes checks what bending a shape promises: the true Elo is the one asked for.
func TestShapes(t *testing.T) {
	for _, elo := range []float64{-300, -5, 0, 2, 80} {
		for _, shape := range []Shape{mustShape(t, 0.7, true), ShapeOf(Pentanomial{30, 200, 500, 300, 10})} {
			d, err := shape.at(Logistic, elo)
			setup.Check(t, err)
			if mean, _ := d.moments(); math.Abs(Elo(mean)-elo) > 1e-6 {
				t.Errorf("logistic %v: got %v", elo, Elo(mean))
			}
			if d, err = shape.at(Normalized, elo); err != nil {
				t.Fatal(err)
			}
			mean, variance := d.moments()
			if got := d.normalizedElo((mean - half) / math.Sqrt(variance)); math.Abs(got-elo) > 1e-6 {
				t.Errorf("normalized %v: got %v", elo, got)
			}
		}
	}
}

// Simulation says what tests to simulate: the formulas of this package are compared with them. The same seed gives
// the same tests.
type Simulation struct {
	Shape     Shape   // of the results of equal players
	TrueElo   float64 // in the test's unit
	Runs      int
	Seed      uint64
	Corrected bool // with correction for overshoot (see Walk)
}

// Simulated sums up simulated tests.
type Simulated struct {
	Runs      int
	Passed    int     // accepted H1
	Failed    int     // accepted H0
	MeanGames float64 // of a test
}

// PassRate is the share of tests that passed, with the 95 % interval of Wilson.
func (s Simulated) PassRate() (rate, lo, hi float64) {
	n, z := float64(s.Runs), normal95*normal95
	rate = float64(s.Passed) / n
	mid := (rate + z/(2*n)) / (1 + z/n)
	e := float64(normal95 / (1 + z/n) * math.Sqrt(rate*(1-rate)/n+z/(4*n*n)))
	return rate, math.Max(mid-e, 0), math.Min(mid+e, 1)
}

// simulate runs tests on random results.
func (t Test) simulate(c Simulation) (Simulated, error) {
	truth, err := c.Shape.at(t.Model, c.TrueElo)
	if err != nil {
		return Simulated{}, err
	}
	s := Simulated{Runs: c.Runs}
	for i := range c.Runs {
		e := t.simulateOne(newSampler(&truth, c.Seed, uint64(i)), c.Corrected)
		if e.status == AcceptH1 {
			s.Passed++
		} else {
			s.Failed++
		}
		s.MeanGames += float64(e.samples) * truth.perSample
	}
	s.MeanGames /= float64(c.Runs)
	return s, nil
}

// ending is how one simulated test ended.
type ending struct {
	samples int64
	status  Status
}

// simulateOne runs one test. See follower for how it saves work.
func (t Test) simulateOne(s *sampler, corrected bool) ending {
	f := follower{walk: t.walk(corrected), d: s.empty}
	for f.walk.status == Continue {
		f.add(s.next())
	}
	return ending{samples: f.walk.samples, status: f.walk.status}
}

// follower is a walk that knows its LLR's derivatives. Between exact values, which
// it computes more rarely the more samples there are, it adds them up: the
// difference is of second order, a few hundredths of a jump. Whatever would
// stop the test is computed exactly.
type follower struct {
	walk   Walk
	d      dist
	counts [5]int64
	jump   [5]float64
	margin float64 // a distance to the bounds that needs exact values
	exact  int64   // number of samples at which the next exact value is due
}

func (f *follower) add(i int) {
	w := &f.walk
	w.samples++
	f.counts[i]++
	if w.samples < f.exact && f.counts[i] > 1 {
		w.record(w.llr + f.jump[i])
		lower, upper := w.Bounds()
		if w.llr > lower+f.margin && w.llr < upper-f.margin {
			return
		}
	}
	f.d.n = 0
	f.d.fill(f.counts[:f.d.k])
	f.jump = w.test.jump(&f.d)
	w.record(f.d.llr(&f.jump))
	f.margin = (slices.Max(f.jump[:f.d.k]) - slices.Min(f.jump[:f.d.k])) / 2
	f.exact = w.samples + 1
	if w.samples > 64 {
		f.exact += w.samples / 16
	}
}

// sampler draws scores, as indices, from a distribution.
type sampler struct {
	empty dist
	rng   *rand.PCG
	order [5]int    // indices, likeliest first
	limit [5]uint64 // cumulated probabilities in that order, of 2^64
}

func newSampler(d *dist, seed, number uint64) *sampler {
	s := &sampler{empty: *d, rng: rand.NewPCG(seed, number)}
	s.order = [5]int{0, 1, 2, 3, 4}
	slices.SortStableFunc(s.order[:d.k], func(a, b int) int {
		switch {
		case d.p[a] > d.p[b]:
			return -1
		case d.p[a] < d.p[b]:
			return 1
		}
		return 0
	})
	sum := 0.0
	for i := range d.k {
		sum += d.p[s.order[i]]
		s.limit[i] = uint64(math.Min(sum, 1-0x1p-53) * 0x1p64)
	}
	s.limit[d.k-1] = math.MaxUint64
	return s
}

func (s *sampler) next() int {
	r := s.rng.Uint64()
	i := 0
	for r > s.limit[i] {
		i++
	}
	return s.order[i]
}
