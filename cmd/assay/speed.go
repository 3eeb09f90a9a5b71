package main

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/assay-chess/assay/engine/search"
)

// measureSpeed returns the nodes a second of one core in the bench, run on so many cores
// at once, as they are when games are played; 0: on all. Each core runs it three times, of
// which the middle counts: one run of a second is easily disturbed. It takes some seconds.
func measureSpeed(ctx context.Context, cores int) (float64, error) {
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	speeds, errs := make([]float64, cores), make([]error, cores)
	var all sync.WaitGroup
	for i := range speeds {
		all.Go(func() { speeds[i], errs[i] = coreSpeed(ctx) })
	}
	all.Wait()
	sum := 0.
	for _, speed := range speeds {
		sum += speed
	}
	return sum / float64(cores), errors.Join(errs...)
}

// coreSpeed returns the nodes a second of the middle of three benches.
func coreSpeed(ctx context.Context) (float64, error) {
	var speeds [3]float64
	for i := range speeds {
		r, err := benchDefault(ctx)
		if err != nil {
			return 0, err
		}
		speeds[i] = r.NPS()
	}
	slices.Sort(speeds[:])
	return speeds[1], nil
}

// benchDefault is the bench of the weights that play by default.
func benchDefault(ctx context.Context) (search.BenchResult, error) {
	x, err := openWeights("", "")
	if err != nil {
		return search.BenchResult{}, err
	}
	ev, err := x.model.NewEvaluator(x.coefs)
	if err != nil {
		return search.BenchResult{}, err
	}
	return search.Bench(ctx, ev)
}
