package sprt

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Simulation says what tests to simulate: the formulas of this package are compared with them. The same seed gives
// the same tests.
type Simulation struct {
	Shape     Shape   // of the results of equal players
	TrueElo   float64 // in the test's unit
	Runs      int
	Seed      uint64
	Corrected bool  // with correction for overshoot (see Walk)
	MaxGames  int64 // a test is undecided when it has this many; 0: no limit
}

// Simulated sums up simulated tests.
type Simulated struct {
	Runs      int
	Passed    int // accepted H1
	Failed    int // accepted H0
	Undecided int // ran into MaxGames

	MeanGames, MedianGames, P95Games float64 // of a test
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
	most := int64(math.MaxInt64)
	if c.MaxGames > 0 {
		most = max(c.MaxGames/int64(truth.perSample), 1)
	}
	s := Simulated{Runs: c.Runs}
	games := make([]float64, c.Runs)
	for i := range games {
		e := t.simulateOne(newSampler(&truth, c.Seed, uint64(i)), c.Corrected, most)
		switch e.status {
		case AcceptH1:
			s.Passed++
		case AcceptH0:
			s.Failed++
		default:
			s.Undecided++
		}
		games[i] = float64(e.samples) * truth.perSample
		s.MeanGames += games[i]
	}
	s.MeanGames /= float64(c.Runs)
	slices.Sort(games)
	s.MedianGames, s.P95Games = quantile(games, 0.5), quantile(games, 0.95)
	return s, nil
}

// quantile interpolates between the order statistics of sorted.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// ending is how one simulated test ended.
type ending struct {
	samples int64
	status  Status
}

// simulateOne runs one test. See follower for how it saves work.
func (t Test) simulateOne(s *sampler, corrected bool, most int64) ending {
	f := follower{walk: t.walk(corrected), d: s.empty}
	for n := int64(1); n <= most && f.walk.status == Continue; n++ {
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
