package sprt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Simulation says what tests to simulate.
type Simulation struct {
	Shape     Shape   // of the results of equal players
	TrueElo   float64 // in the test's unit
	Runs      int     // number of tests, 1 to 10,000,000
	Seed      uint64  // same seed, same tests, whatever Workers is
	Corrected bool    // with correction for overshoot (see Walk)
	MaxGames  int64   // a test is undecided when it has this many; 0 = 100,000,000
	Workers   int     // goroutines; 0 = GOMAXPROCS

	// Progress, if not nil, is called now and then with the number of tests done. It may
	// be called from any goroutine, but not from two at once.
	Progress func(done, total int64, note string)
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

const (
	maxRuns         = 10_000_000
	defaultMaxGames = 100_000_000
)

// Simulate runs tests on random results. It reports ctx's error when that ends it.
func (t Test) Simulate(ctx context.Context, c Simulation) (Simulated, error) {
	if err := t.Validate(); err != nil {
		return Simulated{}, err
	}
	if c.Runs < 1 || c.Runs > maxRuns {
		return Simulated{}, fmt.Errorf("%w: %d runs, not within [1, %d]", ErrTest, c.Runs, maxRuns)
	}
	if c.MaxGames < 0 {
		return Simulated{}, fmt.Errorf("%w: at most %d games", ErrTest, c.MaxGames)
	}
	if c.MaxGames == 0 {
		c.MaxGames = defaultMaxGames
	}
	truth, err := c.Shape.at(t.Model, c.TrueElo)
	if err != nil {
		return Simulated{}, err
	}
	ends := make([]ending, c.Runs)
	if err := t.simulateAll(ctx, c, &truth, ends); err != nil {
		return Simulated{}, err
	}
	return sum(ends, truth.perSample), nil
}

// ending is how one simulated test ended.
type ending struct {
	samples int64
	status  Status
}

// simulateAll fills ends. Each test has its own random numbers, so it does not
// matter which goroutine runs it.
func (t Test) simulateAll(ctx context.Context, c Simulation, truth *dist, ends []ending) error {
	workers := c.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	most := max(c.MaxGames/int64(truth.perSample), 1)
	var next, done atomic.Int64
	var wait sync.WaitGroup
	var telling sync.Mutex
	for range min(workers, len(ends)) {
		wait.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(ends)) {
					return
				}
				s := newSampler(truth, c.Seed, uint64(i))
				ends[i] = t.simulateOne(ctx, s, c.Corrected, most)
				if n := done.Add(1); c.Progress != nil && n%64 == 0 && telling.TryLock() {
					c.Progress(n, int64(len(ends)), "")
					telling.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return ctx.Err()
}

func sum(ends []ending, perSample float64) Simulated {
	s := Simulated{Runs: len(ends)}
	games := make([]float64, len(ends))
	total := 0.0
	for i, e := range ends {
		switch e.status {
		case AcceptH1:
			s.Passed++
		case AcceptH0:
			s.Failed++
		default:
			s.Undecided++
		}
		games[i] = float64(float64(e.samples) * perSample)
		total += games[i]
	}
	slices.Sort(games)
	s.MeanGames = total / float64(len(ends))
	s.MedianGames = quantile(games, 0.5)
	s.P95Games = quantile(games, 0.95)
	return s
}

// quantile interpolates between the order statistics of sorted.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// simulateOne runs one test. See follower for how it saves work.
func (t Test) simulateOne(ctx context.Context, s *sampler, corrected bool, most int64) ending {
	f := follower{walk: t.walk(corrected), d: s.empty}
	for n := int64(1); n <= most && f.walk.status == Continue; n++ {
		f.add(s.next())
		if n%4096 == 0 && ctx.Err() != nil {
			break
		}
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
