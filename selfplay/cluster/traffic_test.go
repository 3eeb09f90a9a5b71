package cluster_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// A game costs little traffic and little of the coordinator's disk. CAPACITY.md has the
// figures of -long: 24 games at 5,000 nodes a move, with the defaults of assay selfplay.
func TestBytesAGame(t *testing.T) {
	t.Parallel()
	b := serve(t, broker.Config{})
	dir := t.TempDir()
	k := newCoordinator(t, b, coordinator.Config{Dir: dir, ReplayShare: coordinator.DefaultReplayShare,
		Lease: coordinator.DefaultLease})
	c := games(t, 20, k)
	if *long {
		c = datagen.Standard(filepath.Join(t.TempDir(), "games"), 24, selfplay.Entrant{Spec: toy.Spec("assay")},
			selfplay.Limits{Nodes: 5000})
		c.Seed, c.Program, c.Open, c.Runner = 7, "test", roster.Open, k
	}
	tapped := tap(t, b.URL())
	var w *worker.Worker
	stop, _ := startWorker(t, b, "anna", func(anna *worker.Worker) {
		anna.Access.URL, w = tapped.url, anna
	})
	if _, err := datagen.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	tally := w.Tally()
	up, down := tapped.recorded()
	if *long {
		idle := 30 * time.Second
		time.Sleep(20 * time.Second) // until it is idle
		up, down := tapped.recorded()
		time.Sleep(idle)
		restUp, restDown := tapped.recorded()
		t.Logf("an idle worker of one core sends %.0f bytes/s and receives %.0f",
			float64(len(restUp)-len(up))/idle.Seconds(), float64(len(restDown)-len(down))/idle.Seconds())
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	// The weights are fetched once and are not part of a game.
	weights, err := filepath.Glob(filepath.Join(w.Library, "*.json"))
	if err != nil || len(weights) != 1 {
		t.Fatalf("%q, %v", weights, err)
	}
	info, err := os.Stat(weights[0])
	if err != nil {
		t.Fatal(err)
	}
	transferred := base64.StdEncoding.EncodedLen(int(info.Size())) // as JSON has bytes
	lines, size := ledgerSize(t, dir)
	n := float64(tally.Games)
	sent, got := float64(len(up))/n, (float64(len(down))-float64(transferred))/n
	t.Logf("%d games, %.2f units a game: %.0f bytes a game from the worker, %.0f to it; weights of %d bytes, once; "+
		"ledger %.0f bytes a line, %.0f a game",
		tally.Games, float64(tally.Units)/n, sent, got, transferred, float64(size)/float64(lines), float64(size)/n)
	if sent < 200 || sent > 16_000 || got < 200 || got > 12_000 {
		t.Errorf("%.0f bytes a game from the worker, %.0f to it", sent, got)
	}
}

// ledgerSize counts the lines and bytes of a coordinator's ledger.
func ledgerSize(t *testing.T, dir string) (lines, size int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "ledger-*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines, size = lines+bytes.Count(data, []byte("\n")), size+len(data)
	}
	return lines, size
}
