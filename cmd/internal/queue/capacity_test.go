//go:build experiment

package queue

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/queue"
)

const (
	crowdEnv  = "ASSAY_QUEUE_CROWD" // address and folder: this process is the workers
	crowdSize = 1000
)

// TestCrowd is the workers of TestTwoHundredTests, in a process of their own.
func TestCrowd(t *testing.T) {
	url, library, ok := strings.Cut(os.Getenv(crowdEnv), " ")
	if !ok {
		t.Skip("a part of TestTwoHundredTests")
	}
	var all sync.WaitGroup
	for i := range crowdSize {
		w := &worker.Worker{Access: wire.Access{URL: url, Name: fmt.Sprint("w", i)}, Open: roster.Open,
			Program: cli.Version(), Cores: 1, Library: library}
		all.Go(func() { _ = w.Run(t.Context()) })
	}
	all.Wait()
}

// mated is a position in which the game is over: playing it costs nothing.
const mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"

// underWay is how many units each test has under way.
var underWay atomic.Uint64

// endless is a match whose games cost nothing, and which does not end.
func endless(ctx context.Context, _ queue.Job, at Place) error {
	if err := os.MkdirAll(at.Dir, 0o700); err != nil {
		return err
	}
	r, end, err := at.Runner(at.Dir, coordinator.DefaultReplayShare, func(string) {})
	if err != nil {
		return err
	}
	defer end()
	jobs, results, ended := make(chan selfplay.Job), make(chan selfplay.Result), make(chan error, 1)
	go func() { ended <- r.Run(ctx, jobs, results) }()
	for sent, got := uint64(0), uint64(0); ; {
		send := jobs
		if sent-got >= underWay.Load() {
			send = nil
		}
		select {
		case send <- selfplay.Job{Number: sent, Start: mated, Seed: sent}:
			sent++
		case <-results:
			got++
		case err := <-ended:
			return err
		}
	}
}

// TestTwoHundredTests logs what a server needs for 200 tests and a thousand workers, which are
// in another process: to list, in memory, and for a unit, with one active test and with 16.
func TestTwoHundredTests(t *testing.T) {
	store, err := queue.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	fillStore(t, store)
	s := &server{store: store, hooks: &Hooks{Run: endless}, most: 1, log: func(string) {}, started: time.Now(),
		active: map[string]*activeTest{}, pages: &report.Server{Dir: store.RunsDir()}}
	b, err := broker.Start(broker.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := coordinator.Config{Dir: filepath.Join(store.Dir, coordinator.DirName), Connect: b.Connect, Program: cli.Version()}
	if s.hub, err = coordinator.OpenHub(c, nil); err != nil {
		t.Fatal(err)
	}
	defer s.hub.Close()
	web := httptest.NewServer((&api{server: s, nonces: nonces{started: s.started, used: map[string]time.Time{}},
		reading: sessions{secrets: map[string]session{}}}).handler())
	defer web.Close()
	list := func(t *testing.T, what string) {
		t.Helper()
		used, started := processor(), time.Now()
		if code, text := send(t, "GET", web.URL+"/api/tests?limit=200", "", "", nil); code != 200 ||
			strings.Count(text, `"number"`) != 200 {
			t.Fatalf("%d %.200s", code, text)
		}
		t.Logf("list of 200 tests, %s: %v, %v of processor time", what, time.Since(started).Round(time.Millisecond),
			(processor() - used).Round(time.Millisecond))
	}
	list(t, "the first time")
	list(t, "again")
	child := exec.Command(os.Args[0], "-test.run", "^TestCrowd$", "-test.timeout", "10m")
	child.Env = append(os.Environ(), crowdEnv+"="+b.URL()+" "+t.TempDir())
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	for _, c := range []struct{ active, each int }{{1, 4096}, {16, 256}, {1, 13_500}, {16, 13_500}} {
		t.Run(fmt.Sprintf("%d tests of %d units", c.active, c.each), func(t *testing.T) {
			s.most = c.active
			underWay.Store(uint64(c.each))
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.run(ctx) }()
			meter := newMeter(s, child.Process.Pid)
			time.Sleep(10 * time.Second)
			list(t, "after ten seconds")
			time.Sleep(20 * time.Second)
			meter.log(t, "the first half minute")
			awaitCrowd(t, s, c.active)
			meter = newMeter(s, child.Process.Pid)
			time.Sleep(15 * time.Second)
			meter.log(t, "later")
			list(t, "meanwhile")
			stop()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			s.active = map[string]*activeTest{}
		})
	}
}

// meter measures units and processor time from its making on.
type meter struct {
	s                *server
	crowd            int // process of the workers
	started          time.Time
	units            int64
	server, children time.Duration
}

func newMeter(s *server, crowd int) *meter {
	return &meter{s, crowd, time.Now(), units(s), processor(), processorOf(crowd)}
}

func (m *meter) log(t *testing.T, when string) {
	n, took := float64(units(m.s)-m.units), time.Since(m.started).Seconds()
	server, crowd := (processor() - m.server).Seconds(), (processorOf(m.crowd) - m.children).Seconds()
	t.Logf("%s: %.0f units in %.1f s, %.0f a second; %.0f a processor second of server (%.1f s) and workers (%.1f s); "+
		"%.3f ms of the server's each, %.0f MB resident", when, n, took, n/took, n/(server+crowd), server, crowd,
		1000*server/n, resident(t))
}

// fillStore adds 200 tests: 184 that are complete, whose folders are those of a match, and 16
// to be played.
func fillStore(t *testing.T, store *queue.Store) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "match")
	c := match.Config{A: selfplay.Entrant{Spec: engine.Spec{Name: "assay",
		Options: []engine.Option{{Name: "hash", Value: "1"}}}},
		B: selfplay.Entrant{Spec: engine.Spec{Name: "assay", Weights: "shannon-1950",
			Options: []engine.Option{{Name: "hash", Value: "1"}}}}, Games: 100,
		Setup: selfplay.Setup{Out: out, Limits: selfplay.Limits{Nodes: 30, HardNodes: true}, MaxPlies: 60, Program: "test",
			Open: roster.Open}}
	if _, err := match.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		x := queue.Test{Name: fmt.Sprint("t", i), Job: queue.Job{Command: "match",
			Players: []string{"assay", "assay:weights=shannon-1950"}}, Who: "anna", State: queue.Queued, Approved: "anna"}
		if _, err := store.Add(x); err != nil {
			t.Fatal(err)
		}
		if i >= 184 {
			continue
		}
		for _, what := range []string{"start", "complete"} {
			if err := store.Move(queue.Server, what, x.Name, "done"); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.CopyFS(store.RunDir(x.Name), os.DirFS(out)); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitCrowd waits until all workers are there, and that many tests have had an answer.
func awaitCrowd(t *testing.T, s *server, most int) {
	t.Helper()
	for until := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		s.mu.Lock()
		playing, workers := 0, 0
		for _, a := range s.active {
			a.mu.Lock()
			if a.runner != nil && a.runner.Usage().Games > 0 {
				playing++
			}
			a.mu.Unlock()
		}
		s.mu.Unlock()
		data, _ := os.ReadFile(filepath.Join(s.store.Dir, coordinator.DirName, coordinator.WorkersName)) // not there at first
		workers = strings.Count(string(data), `"working"`)
		if playing == most && workers == crowdSize {
			time.Sleep(5 * time.Second)
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d tests play with %d workers", playing, workers)
		}
	}
}

// units returns how many units were played.
func units(s *server) (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.active {
		a.mu.Lock()
		if a.runner != nil {
			n += a.runner.Usage().Games
		}
		a.mu.Unlock()
	}
	return n
}

// processor returns the processor time of this process.
func processor() time.Duration { return processorOf(os.Getpid()) }

// processorOf returns the processor time of a process, in steps of 10 ms.
func processorOf(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, fields, _ := strings.Cut(string(data), ") ")
	list := strings.Fields(fields)
	var user, system time.Duration
	if _, err := fmt.Sscan(list[11]+" "+list[12], &user, &system); err != nil {
		return 0
	}
	return (user + system) * 10 * time.Millisecond
}

// resident returns the resident memory of this process, in megabytes.
func resident(t *testing.T) (kb float64) {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			return kb / 1000
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
