package search

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/assay-chess/assay/engine"
)

// Speed returns the nodes per second of one core in Bench, while the given number of cores
// run it at once, as they do when games are played; 0 means all cores. Each core runs it
// three times and its median counts, because a single run is easily disturbed. Speed takes
// some seconds. Each core gets its own evaluator.
func Speed(ctx context.Context, cores int, newEvaluator func() (engine.Evaluator, error)) (float64, error) {
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	speeds, errs := make([]float64, cores), make([]error, cores)
	var all sync.WaitGroup
	for i := range speeds {
		all.Go(func() { speeds[i], errs[i] = coreSpeed(ctx, newEvaluator) })
	}
	all.Wait()
	sum := 0.
	for _, speed := range speeds {
		sum += speed
	}
	return sum / float64(cores), errors.Join(errs...)
}

func coreSpeed(ctx context.Context, newEvaluator func() (engine.Evaluator, error)) (float64, error) {
	ev, err := newEvaluator()
	if err != nil {
		return 0, err
	}
	var speeds [3]float64
	for i := range speeds {
		r, err := Bench(ctx, ev, nil)
		if err != nil {
			return 0, err
		}
		speeds[i] = r.NPS()
	}
	slices.Sort(speeds[:])
	return speeds[1], nil
}
