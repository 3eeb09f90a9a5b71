package cluster_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
)

// A worker that should rest plays nothing: before its first game, and again in the middle of
// a run. Then it plays the rest.
func TestWorkerRests(t *testing.T) {
	t.Parallel()
	b := serve(t, broker.Config{})
	c := games(t, fewer(90), newCoordinator(t, b, coordinator.Config{}))
	var mu sync.Mutex
	var w *worker.Worker
	asked, until := 0, 3 // Resting was called that often, and says yes that long
	rested := make(chan bool)
	var played []worker.Tally // at each yes
	startWorker(t, b, "anna", func(x *worker.Worker) {
		w = x
		x.Resting = func() bool {
			mu.Lock()
			defer mu.Unlock()
			if asked++; asked <= until {
				played = append(played, w.Tally())
			} else if len(played) == 7 && asked == until+1 {
				close(rested)
			}
			return asked <= until
		}
	})
	n := 0
	c.Progress = func(done, _ int64, _ string) {
		if done == 0 {
			return // nothing is played yet
		}
		if n++; n == 1 {
			mu.Lock()
			until = asked + 4
			mu.Unlock()
			<-rested // so that there is something left to play
		}
	}
	generate(t, c)
	mu.Lock()
	defer mu.Unlock()
	if len(played) != 7 {
		t.Fatalf("it should have rested 7 times, and did %d times", len(played))
	}
	if played[2] != (worker.Tally{}) {
		t.Errorf("it played before its hours: %+v", played[2])
	}
	// The first yes of the second rest comes while it plays; what is under way is finished.
	if rest := played[4:]; slices.Max(units(rest)) != slices.Min(units(rest)) || units(rest)[0] == 0 {
		t.Errorf("it played while it rested: %+v", rest)
	}
	if last := w.Tally(); last.Units <= played[6].Units {
		t.Errorf("it played nothing after its rest: %+v", last)
	}
}

func units(list []worker.Tally) (n []int64) {
	for _, t := range list {
		n = append(n, t.Units)
	}
	return n
}
