package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
)

const program = "assay test bench 1"

// patience is how long a test waits for one event. It is far longer than anything takes on a
// busy machine, and far shorter than go test's ten minutes: a test that would hang fails and
// says what it waited for.
const patience = 3 * time.Minute

// patient returns a context that ends when the test has waited long enough.
func patient(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("%s has waited for %v", t.Name(), patience))
}

// logBook collects the log lines of coordinators and workers.
type logBook struct {
	lines chan string
	t     *testing.T
}

func newLogBook(t *testing.T) *logBook { return &logBook{make(chan string, 10000), t} }

func (n *logBook) add(text string) { n.lines <- text }

// expect waits for a line that contains all the words.
func (n *logBook) expect(words ...string) {
	n.t.Helper()
	ctx, cancel := patient(n.t)
	defer cancel()
	for {
		select {
		case text := <-n.lines:
			found := true
			for _, w := range words {
				found = found && strings.Contains(text, w)
			}
			if found {
				return
			}
		case <-ctx.Done():
			n.t.Fatalf("no line contains %q after %v", words, patience)
		}
	}
}

func serve(t *testing.T, c broker.Config) *broker.Broker {
	t.Helper()
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	b, err := broker.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func newCoordinator(t *testing.T, b *broker.Broker, c coordinator.Config) *coordinator.Coordinator {
	t.Helper()
	c.Connect, c.Open, c.Program = b.Connect, roster.Open, program
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Lease == 0 {
		c.Lease = 2 * time.Second
	}
	k := coordinator.New(c)
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// startWorker starts a worker; wait returns the error it ended with.
func startWorker(t *testing.T, b interface{ URL() string }, name string, change func(*worker.Worker)) (stop,
	wait func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &worker.Worker{Access: wire.Access{URL: b.URL(), Name: name}, Open: roster.Open,
		Program: program, Cores: 1, Library: t.TempDir()}
	if change != nil {
		change(w)
	}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	return func() error { cancel(); return <-ended }, func() error {
		ctx, cancel := patient(t)
		defer cancel()
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			t.Fatalf("worker %s does not end", name)
			return nil
		}
	}
}

// fewer returns n, or a third of it with -short: under the race detector a game takes ten
// times as long.
func fewer(n uint64) uint64 {
	if testing.Short() {
		return n / 3
	}
	return n
}

// games configures a small data set.
func games(t *testing.T, n uint64, r selfplay.Runner) datagen.Config {
	c := datagen.Standard(filepath.Join(t.TempDir(), "games"), n, selfplay.Entrant{Spec: toy.Spec("assay:hash=1")},
		selfplay.Limits{Nodes: 30, HardNodes: true})
	c.MaxPlies, c.Check.Nodes, c.Seed, c.Program = 20, 50, 7, "test"
	c.Open, c.Runner = roster.Open, r
	return c
}

func generate(t *testing.T, c datagen.Config) {
	t.Helper()
	ctx, cancel := patient(t)
	defer cancel()
	if _, err := datagen.Run(ctx, c); err != nil {
		t.Fatal(err, context.Cause(ctx))
	}
}

// sameFiles compares the files that must be equal in two runs.
func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(want, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := filepath.Base(path)
		if ext := filepath.Ext(name); ext != ".arrow" && ext != ".pgn" && name != durable.RunResultName &&
			name != durable.ManifestName {
			return nil
		}
		rel, err := filepath.Rel(want, path)
		if err != nil {
			return err
		}
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(got, rel))
		if err != nil {
			return err
		}
		if n++; !bytes.Equal(a, b) {
			t.Errorf("%s differs", rel)
		}
		return nil
	})
	if err != nil || n < 3 {
		t.Fatalf("compared %d files: %v", n, err)
	}
}

// Three workers play the same games as one machine, to the byte. One of them leaves in the
// middle, and another comes.
func TestSameBytesAsLocal(t *testing.T) {
	t.Parallel()
	total := fewer(150)
	local := games(t, total, nil)
	generate(t, local)
	b := serve(t, broker.Config{})
	c := games(t, total, newCoordinator(t, b, coordinator.Config{ReplayShare: 0.1}))
	stop, _ := startWorker(t, b, "anna", nil)
	startWorker(t, b, "bert", nil)
	n := 0
	c.Progress = func(done, _ int64, _ string) {
		if n++; n == 20 {
			go func() { _ = stop() }()
			startWorker(t, b, "carl", nil)
		}
	}
	generate(t, c)
	sameFiles(t, c.Out, local.Out)
}

// A match with one worker, whose games the coordinator replays itself.
func TestMatchWithOneWorker(t *testing.T) {
	t.Parallel()
	config := func(r selfplay.Runner) match.Config {
		l := selfplay.Limits{Nodes: 30, HardNodes: true}
		return match.Config{A: selfplay.Entrant{Spec: toy.Spec("assay:hash=1")},
			B:     selfplay.Entrant{Spec: toy.Spec("assay:hash=1:weights=shannon-1950")},
			Games: fewer(60), Setup: selfplay.Setup{Out: filepath.Join(t.TempDir(), "match"), Limits: l, MaxPlies: 20,
				Check:   selfplay.Check{Nodes: 50},
				Opening: opening.Spec{Plies: 6}, Seed: 3, Program: "test", Open: roster.Open, Runner: r}}
	}
	local := config(nil)
	if _, err := match.Run(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	b := serve(t, broker.Config{})
	c := config(newCoordinator(t, b, coordinator.Config{ReplayShare: 0.2}))
	startWorker(t, b, "anna", nil)
	if _, err := match.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, c.Out, local.Out)
}

// What is in the ledger is not played again when a run is resumed.
func TestLedgerOutlivesTheCoordinator(t *testing.T) {
	t.Parallel()
	n := fewer(100)
	local := games(t, n, nil)
	generate(t, local)
	b := serve(t, broker.Config{})
	dir := t.TempDir()
	startWorker(t, b, "anna", nil)
	var c datagen.Config
	out := filepath.Join(t.TempDir(), "games")
	for attempt := 0; ; attempt++ {
		k := coordinator.New(coordinator.Config{Dir: dir, Connect: b.Connect, Open: roster.Open, Program: program,
			ReplayShare: 0.1, Lease: 2 * time.Second})
		c = games(t, n, k)
		c.Out = out
		ctx, cancel := context.WithCancel(t.Context())
		c.Progress = func(done, _ int64, _ string) {
			if int(done) == int(n)/4*(attempt+1) {
				cancel()
			}
		}
		_, err := datagen.Run(ctx, c)
		cancel()
		if e := k.Close(); e != nil {
			t.Fatal(e)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || attempt > 6 {
			t.Fatal(err)
		}
	}
	sameFiles(t, c.Out, local.Out)
	for _, name := range []string{"ledger-000001.jsonl", coordinator.WorkersName} { // they name workers
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// hasText reports whether an error has the text.
func hasText(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }
