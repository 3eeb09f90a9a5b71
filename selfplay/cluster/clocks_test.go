package cluster_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
)

// speedometer measures a machine's speed.
type speedometer = func(ctx context.Context, cores int) (nodesPerSecond float64, err error)

// speed returns a speedometer that always measures the same.
func speed(nodes float64) speedometer {
	return func(context.Context, int) (float64, error) { return nodes, nil }
}

// watched records the limits of its searches.
type watched struct {
	engine.Player
	note func(engine.Limits)
}

func (w watched) Search(ctx context.Context, g *board.Game, l engine.Limits) (engine.Result, error) {
	w.note(l)
	return w.Player.Search(ctx, g, l)
}

// clocked is a job with a clock of a minute and a second for each move.
func clocked(n uint64) *selfplay.Job {
	l := selfplay.Limits{Nodes: 30, Clock: selfplay.Clock{Base: time.Minute, Increment: time.Second}}
	return &selfplay.Job{Number: n, Players: toy.Specs("assay:hash=1", "assay:hash=1"),
		Limits: [2]selfplay.Limits{l, l}, Plies: 4, Seed: n}
}

func playJobs(t *testing.T, k *coordinator.Coordinator, all ...*selfplay.Job) (done []selfplay.Result) {
	t.Helper()
	ctx, cancel := patient(t)
	defer cancel()
	jobs, results := make(chan selfplay.Task, len(all)), make(chan selfplay.Result, len(all))
	for _, job := range all {
		jobs <- job
	}
	close(jobs)
	if err := k.Run(ctx, jobs, results); err != nil {
		t.Fatal(err, context.Cause(ctx))
	}
	close(results)
	for r := range results {
		done = append(done, r)
	}
	return done
}

// A worker of half the reference's speed gives its players twice the time, and reports the
// times that the reference would have taken.
func TestClocksAreScaled(t *testing.T) {
	t.Parallel()
	b := serve(t, coordinator.ServerConfig{})
	k := newCoordinator(t, b, coordinator.Config{Measure: speed(1e6)})
	var mu sync.Mutex
	var seen []engine.Limits
	const slowness = 5 * time.Millisecond
	startWorker(t, b.URL(), "slow", func(w *worker.Worker) {
		w.Measure = speed(5e5)
		w.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := roster.Open(spec)
			return watched{p, func(l engine.Limits) {
				mu.Lock()
				defer mu.Unlock()
				if l.Clock[0] > 0 {
					seen = append(seen, l)
					time.Sleep(slowness)
				}
			}}, err
		}
	})
	r := playJobs(t, k, clocked(0))[0]
	mu.Lock()
	// On a busy machine the lease may expire, and the game is played again.
	if len(seen) < 4 || seen[0].Clock[0] != 2*time.Minute || seen[0].Increment[1] != 2*time.Second {
		t.Errorf("the players' limits are %+v", seen)
	}
	mu.Unlock()
	if len(r.Times) != 4 || r.Time[0] < slowness { // two moves, scaled by half
		t.Errorf("the game took %v, %v", r.Times, r.Time)
	}
	for _, ms := range r.Times {
		if want := uint32(slowness.Milliseconds() / 2); ms < want {
			t.Errorf("a move took %d ms, want half of what its search took", ms)
		}
	}
}

// The speed for which clocks are meant is settled once, and kept when the run is resumed.
func TestReferenceSpeedIsKept(t *testing.T) {
	t.Parallel()
	b, dir := serve(t, coordinator.ServerConfig{}), t.TempDir()
	startWorker(t, b.URL(), "anna", func(w *worker.Worker) { w.Measure = speed(1e6) })
	failing := func(context.Context, int) (float64, error) { return 0, errors.New("it is not measured again") }
	for _, tt := range []struct {
		reference float64
		says      string
	}{{2e6, ""}, {0, ""}, {3e6, "2000000 nodes/s, not 3000000"}} {
		k := coordinator.New(configured(t, coordinator.Config{Dir: dir, Connect: b.Connect, ReferenceSpeed: tt.reference,
			Measure: failing}))
		jobs, results := make(chan selfplay.Task, 1), make(chan selfplay.Result, 1)
		jobs <- clocked(0)
		close(jobs)
		if err := k.Run(t.Context(), jobs, results); (err == nil) != (tt.says == "") || err != nil && !hasText(err, tt.says) {
			t.Errorf("with the reference %v: %v", tt.reference, err)
		}
		setup.Check(t, k.Close())
	}
}

// A worker that is too slow for its games to be alike leaves, and both sides report why.
func TestWorkerThatIsTooSlow(t *testing.T) {
	t.Parallel()
	for name, measure := range map[string]speedometer{"slow": speed(2e5), "fast": speed(5e6), "blind": nil} {
		b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
		k := newCoordinator(t, b, coordinator.Config{Measure: speed(1e6), Log: notes.add})
		_, ended := startWorker(t, b.URL(), name, func(w *worker.Worker) { w.Measure = measure })
		finished := make(chan struct{})
		go func() { defer close(finished); playJobs(t, k, clocked(0)) }()
		if err := ended(); !hasText(err, "cluster: refused") {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "does not play", map[bool]string{true: "cannot measure", false: "nodes/s"}[measure == nil])
		startWorker(t, b.URL(), "anna", func(w *worker.Worker) { w.Measure = speed(1e6) })
		<-finished
	}
}

// toyFile writes a build of an engine that answers at once to a folder of its own. Builds differ in their last bytes,
// which do not change what they do.
func toyFile(t *testing.T, name, build string) (path string) {
	t.Helper()
	program := setup.Must(os.ReadFile(testengine.Build(t, "nullengine")))
	path = filepath.Join(t.TempDir(), name)
	setup.Check(t, os.WriteFile(path, append(program, build...), 0o700))
	return path
}

// foreignMatch is a match of an external engine with ours.
func foreignMatch(t *testing.T, spec string, r selfplay.Runner) match.Config {
	l := selfplay.Limits{Nodes: 30}
	return match.Config{A: selfplay.Player{Spec: toy.Spec(spec), ID: "toy"},
		B:     selfplay.Player{Spec: toy.Spec("assay:hash=1")},
		Games: 6, Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: l, MaxPlies: 30, Check: selfplay.Check{MaxScore: -1},
				Opening: opening.Spec{Plies: 6}, Seed: 3, Program: "test"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "match"), Open: roster.Open, Runner: r},
		}}
}

func allow(cache string, engines ...string) *worker.Engines {
	return setup.Must(worker.AllowEngines(engines, cache))
}

// Workers come to a match with an external engine: one whose owner allowed no engine, two whose owners allowed other
// files, and one whose owner allowed this build, or all that a run sends. The first ones say what their owners have to
// do, and leave; the last one plays the games that one machine would have played.
func TestForeignEngines(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]*worker.Engines{
		"named": allow("", toyFile(t, "toy", "")), "sent": allow(t.TempDir()),
	} {
		t.Run(name, func(t *testing.T) { foreignEngines(t, last) })
	}
}

func foreignEngines(t *testing.T, last *worker.Engines) {
	path := toyFile(t, "toy", "")
	local := foreignMatch(t, "uci:"+quote.Word(path), nil)
	setup.Must(match.Run(t.Context(), local))
	b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
	c := foreignMatch(t, "uci:"+quote.Word(path), newCoordinator(t, b, coordinator.Config{Log: notes.add}))
	ended := make(chan error, 1)
	go func() { _, err := match.Run(t.Context(), c); ended <- err }()
	for name, refusal := range map[string]struct {
		allowed *worker.Engines
		says    string
	}{
		"bare":  {nil, "assay help work"},
		"other": {allow("", toyFile(t, "toy", "another build")), "need the same file"},
		"named": {allow("", toyFile(t, "toy2", "")), "assay help work"},
	} {
		_, left := startWorker(t, b.URL(), name, func(w *worker.Worker) { w.Engines = refusal.allowed })
		err := left()
		if !hasText(err, "cluster: refused") || !hasText(err, "its owner does not allow the engine") ||
			!strings.Contains(err.Error(), refusal.says) {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "does not play", "does not allow the engine", refusal.says)
	}
	startWorker(t, b.URL(), "anna", func(w *worker.Worker) { w.Engines = last })
	setup.Check(t, <-ended)
	sameFiles(t, c.Out, local.Out)
}
