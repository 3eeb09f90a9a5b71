package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// hung is a player whose searches never end, except those with one limit of nodes.
type hung struct {
	engine.Player
	but uint64
	end <-chan struct{}
}

func (h hung) Search(ctx context.Context, g *board.Game, l engine.Limits) (engine.Result, error) {
	if l.Nodes != h.but {
		<-h.end
	}
	return h.Player.Search(ctx, g, l)
}

// A worker that hangs says hello and lists its units forever. The coordinator plays its
// units when the other workers have nothing to do.
func TestHungWorker(t *testing.T) {
	t.Parallel()
	local := games(t, 10, nil)
	generate(t, local)
	end := make(chan struct{})
	b := serve(t, broker.Config{})
	k := coordinator.New(coordinator.Config{Dir: t.TempDir(), Connect: b.Connect, Open: roster.Open, Program: program,
		ReplayShare: 0.2, Lease: 300 * time.Millisecond})
	c := games(t, 10, k)
	startWorker(t, b, "hung", func(w *worker.Worker) {
		w.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := roster.Open(spec)
			return hung{p, 1000, end}, err // its fingerprint is right
		}
	})
	t.Cleanup(func() {
		if err := k.Close(); err != nil { // or the worker would wait for replies
			t.Error(err)
		}
		close(end)
	})
	startWorker(t, b, "anna", nil)
	generate(t, c)
	sameFiles(t, c.Out, local.Out)
}

// broken makes a worker fail to open players.
func broken(w *worker.Worker) {
	w.Open = func(engine.Spec) (engine.Player, error) { return nil, errors.New("out of order") }
}

// A worker that cannot play anything is refused after a few units, and others play them.
func TestBrokenWorker(t *testing.T) {
	t.Parallel()
	local := games(t, 30, nil)
	generate(t, local)
	b, notes := serve(t, broker.Config{}), newLogBook(t)
	dir := t.TempDir()
	c := games(t, 30, newCoordinator(t, b, coordinator.Config{Dir: dir, ReplayShare: 0.1, Log: notes.add}))
	_, ended := startWorker(t, b, "broken", broken)
	finish := inBackground(t, func() error { generate(t, c); return nil })
	notes.expect("broken", "is refused", "could not play 3 units in a row", "out of order")
	if err := ended(); !hasText(err, "cluster: refused") || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("it ended with %v", err)
	}
	startWorker(t, b, "anna", nil)
	finish()
	sameFiles(t, c.Out, local.Out)
	var r coordinator.Snapshot
	readJSON(t, filepath.Join(dir, coordinator.WorkersName), &r)
	for _, m := range r.Workers {
		if m.Name == "broken" && (m.State == coordinator.Working || m.Failures < 3 ||
			!strings.Contains(m.Failure, "out of order") || m.Units != 0) {
			t.Errorf("the snapshot says %+v", m)
		}
	}
}

// The coordinator plays a unit that workers cannot play. If it cannot either, the unit is at
// fault and the run ends.
func TestUnplayableUnit(t *testing.T) {
	t.Parallel()
	for _, good := range []bool{true, false} {
		t.Run(fmt.Sprint("coordinator can play ", good), func(t *testing.T) {
			t.Parallel()
			b := serve(t, broker.Config{})
			k := newCoordinator(t, b, coordinator.Config{})
			if !good {
				k.Open = func(engine.Spec) (engine.Player, error) { return nil, errors.New("no such player") }
			}
			for _, name := range []string{"ann", "ben", "cid"} {
				startWorker(t, b, name, broken)
			}
			ctx, cancel := patient(t)
			defer cancel()
			jobs, results, ended := make(chan selfplay.Job), make(chan selfplay.Result, 1), make(chan error, 1)
			go func() { ended <- k.Run(ctx, jobs, results) }()
			jobs <- selfplay.Job{Number: 7, Players: toy.Specs("random", "random"),
				Limits: [2]selfplay.Limits{{Nodes: 1}, {Nodes: 1}}, Plies: 10, Seed: 3}
			close(jobs)
			err := <-ended
			if good && (err != nil || (<-results).Number != 7) {
				t.Error(err)
			}
			if !good && (err == nil || !strings.Contains(err.Error(), "game 7") || !strings.Contains(err.Error(),
				"failed on the coordinator too") || !strings.Contains(err.Error(), "no such player")) {
				t.Error(err)
			}
		})
	}
}
