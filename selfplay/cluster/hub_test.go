package cluster_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/match"
)

func newHub(t *testing.T, b *broker.Broker, c coordinator.Config) *coordinator.Hub {
	t.Helper()
	c.Dir, c.Connect, c.Program = t.TempDir(), b.Connect, program
	if c.Lease == 0 {
		c.Lease = 2 * time.Second
	}
	h, err := coordinator.OpenHub(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func ofHub(t *testing.T, h *coordinator.Hub, weight float64, log func(string)) *coordinator.Coordinator {
	t.Helper()
	k := h.Coordinator(coordinator.Config{Dir: t.TempDir(), Open: roster.Open, ReplayShare: 0.1, Log: log}, weight, 0)
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// Three runs that share two workers write the bytes of local runs, though two of them are the
// same run twice: their units have equal jobs.
func TestRunsShareWorkers(t *testing.T) {
	t.Parallel()
	total := fewer(60)
	local := games(t, total, nil)
	generate(t, local)
	alone := faultMatch(filepath.Join(t.TempDir(), "match"), total, nil)
	if _, err := match.Run(t.Context(), alone); err != nil {
		t.Fatal(err)
	}
	b := serve(t, broker.Config{})
	h := newHub(t, b, coordinator.Config{})
	startWorker(t, b, "anna", nil)
	startWorker(t, b, "bert", nil)
	var all sync.WaitGroup
	var used [3]coordinator.Usage
	for i := range 2 {
		k := ofHub(t, h, float64(1+i), nil)
		c := games(t, total, k)
		all.Go(func() {
			generate(t, c)
			used[i] = k.Usage()
			sameFiles(t, c.Out, local.Out)
		})
	}
	k := ofHub(t, h, 1, nil)
	shared := faultMatch(filepath.Join(t.TempDir(), "match"), total, k)
	all.Go(func() {
		ctx, cancel := patient(t)
		defer cancel()
		if _, err := match.Run(ctx, shared); err != nil {
			t.Error(err)
			return
		}
		used[2] = k.Usage()
		sameFiles(t, shared.Out, alone.Out)
	})
	all.Wait()
	for i, u := range used {
		if u.Games < int64(total) || u.Seconds <= 0 || u.Held != 0 || u.Waiting != 0 {
			t.Errorf("run %d used %+v", i, u)
		}
	}
}

// A worker that cannot play one run, because another build plays there, declines it, and
// plays for another.
func TestWorkersDeclineOneRun(t *testing.T) {
	t.Parallel()
	other := func(spec engine.Spec) (engine.Player, error) {
		spec.Weights = "shannon-1950"
		return roster.Open(spec)
	}
	b := serve(t, broker.Config{})
	h := newHub(t, b, coordinator.Config{})
	lines := newLogBook(t)
	k := h.Coordinator(coordinator.Config{Dir: t.TempDir(), Open: other, Log: lines.add}, 1, 0)
	t.Cleanup(func() { _ = k.Close() })
	startWorker(t, b, "anna", nil)
	declined := games(t, 4, k)
	declined.Open = other
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _, _ = datagen.Run(ctx, declined) })
	lines.expect("worker anna does not play for this run", "differently")
	generate(t, games(t, 4, ofHub(t, h, 1, nil)))
	if why := k.Usage().Declined["anna"]; why == "" {
		t.Error("the run does not say that a worker declined it")
	}
	stop()
	all.Wait()
}
