package tuner

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Speed is how fast the passes of a fit run, each the best of several.
type Speed struct {
	Workers int
	// Copy is the speed of a plain copy of memory that no cache holds, bytes
	// read and written counted, in GB/s, by as many goroutines.
	Copy float64
	// Gradient is the speed of the pass for value and gradient: nonzeros a
	// second, seconds, and bytes of the store that it takes in, in GB/s.
	Nonzeros, GradientSeconds, Stream float64
	// NonzerosCPU is the same pass by processor time, which a busy machine
	// does not change: nonzeros a second of one core; 0 where it is not known.
	NonzerosCPU float64
	// Pairs of nonzeros of a row that the Hessian build takes a second (each
	// of n(n+1)/2 of a row's n once), and its seconds.
	Pairs, HessianSeconds float64
	PairsCPU              float64
}

// benchTime is how long each pass is repeated.
var benchTime = time.Second // at least; a test has less

// Bench measures the passes over a store with some numbers of goroutines.
func Bench(ctx context.Context, s *rows.Store, terms []rows.Term, workers []int) ([]Speed, error) {
	if s.Rows() == 0 {
		return nil, rows.ErrEmpty
	}
	omega, _ := s.Split(s.Clusters(), 0, 0)
	p := &objective.Problem{Store: s, K: 0.004, Target: objective.Targets(s, 1, 0), Omega: omega}
	w, g := objective.StartOf(terms), objective.NewTapered(s.Terms())
	nonzeros, pairs := float64(s.Entries()), 0.0
	bytes := 8 * float64(s.Rows()) // target and weight
	for _, c := range s.Chunks {
		bytes += 2 * float64(c.Size)
		for _, r := range c.Runs {
			n := float64(r.Length)
			pairs += float64(r.Rows) * n * (n + 1) / 2
		}
	}
	var out []Speed
	for _, n := range workers {
		p.Workers = n
		v := Speed{Workers: n}
		var err error
		var gradientCPU, hessianCPU float64
		if v.GradientSeconds, gradientCPU, err = best(func() error {
			_, err := p.Gradient(ctx, w, g)
			return err
		}); err != nil {
			return nil, err
		}
		if v.HessianSeconds, hessianCPU, err = best(func() error {
			_, err := p.Gram(ctx, w, objective.Curvature)
			return err
		}); err != nil {
			return nil, err
		}
		v.Copy = copySpeed(n)
		v.Nonzeros, v.Stream = nonzeros/v.GradientSeconds, bytes/v.GradientSeconds/1e9
		v.Pairs = pairs / v.HessianSeconds
		v.NonzerosCPU, v.PairsCPU = objective.Ratio(nonzeros, gradientCPU), objective.Ratio(pairs, hessianCPU)
		out = append(out, v)
	}
	return out, nil
}

// best repeats f for a while and returns the seconds of the fastest, and the
// least processor time of a few in a row, which alone is too short to measure.
func best(f func() error) (seconds, cpu float64, err error) {
	seconds, cpu = math.Inf(1), math.Inf(1)
	started := time.Now()
	for row := 1; row == 1 || time.Since(started) < benchTime; {
		before := cpuSeconds()
		for range row {
			t := time.Now()
			if err := f(); err != nil {
				return 0, 0, err
			}
			seconds = min(seconds, time.Since(t).Seconds())
		}
		taken := (cpuSeconds() - before) / float64(row)
		cpu = min(cpu, taken)
		if row++; taken < 0.05 {
			row = 8
		}
	}
	return seconds, cpu, nil
}

// copySpeed returns the speed of a copy, in GB/s. The memory is larger than
// most last-level caches give to one program.
func copySpeed(n int) float64 {
	const size = 128 << 20
	from, to := make([]byte, size), make([]byte, size)
	for i := 0; i < size; i += 4096 {
		from[i], to[i] = 1, 1
	}
	seconds, _, _ := best(func() error {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { copy(to[i*size/n:(i+1)*size/n], from[i*size/n:(i+1)*size/n]) })
		}
		wg.Wait()
		return nil
	})
	return 2 * size / seconds / 1e9
}
