package cluster_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/nats-io/nats.go/jetstream"
)

const program = "assay test bench 1"

// mated is a position in which the game is over: playing it costs nothing.
const mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"

// patience is how long a test waits for one event. It is far longer than anything takes on a busy machine, and far
// shorter than go test's ten minutes: a test that would hang fails and says what it waited for.
const patience = 3 * time.Minute

// patient returns a context that ends when the test has waited long enough.
func patient(t testing.TB) (context.Context, context.CancelFunc) {
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

func serve(t testing.TB, c coordinator.ServerConfig) *coordinator.Server {
	t.Helper()
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	c.Dir = t.TempDir()
	b := setup.Must(coordinator.Serve(c))
	t.Cleanup(b.Close)
	return b
}

// configured completes the configuration of a coordinator.
func configured(t testing.TB, c coordinator.Config) coordinator.Config {
	c.Open, c.Program = roster.Open, program
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Lease == 0 {
		c.Lease = 2 * time.Second
	}
	if c.CheckEvery == 0 {
		c.CheckEvery = time.Second
	}
	return c
}

func newCoordinator(t testing.TB, b *coordinator.Server, c coordinator.Config) *coordinator.Coordinator {
	t.Helper()
	c.Connect = b.Connect
	k := coordinator.New(configured(t, c))
	t.Cleanup(k.Close)
	return k
}

// startWorker starts a worker; wait returns the error it ended with.
func startWorker(t testing.TB, url, name string, change func(*worker.Worker)) (stop, wait func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &worker.Worker{Access: wire.Access{URL: url, Name: name}, Open: roster.Open,
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

// fewer returns n, or a third of it with -short: under the race detector a game takes ten times as long.
func fewer(n uint64) uint64 {
	if testing.Short() {
		return n / 3
	}
	return n
}

// games configures a small data set.
func games(out string, n uint64, r selfplay.Runner) datagen.Config {
	return datagen.Config{Games: n, Players: []selfplay.Player{{Spec: toy.Spec("assay:hash=1")}},
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 20, HardNodes: true}, Rule: selfplay.StandardAdjudication(),
				MaxPlies: 20, Check: selfplay.Check{Nodes: 50}, Seed: 7, Program: "test"},
			Place: selfplay.Place{Out: out, Open: roster.Open, Runner: r}}}
}

// matchOf configures a small match.
func matchOf(out string, n uint64, r selfplay.Runner) match.Config {
	l := selfplay.Limits{Nodes: 20, HardNodes: true}
	return match.Config{A: selfplay.Player{Spec: toy.Spec("assay:hash=1")},
		B: selfplay.Player{Spec: toy.Spec("assay:hash=1:weights=shannon-1950")}, Games: n,
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: l, MaxPlies: 20, Check: selfplay.Check{Nodes: 50}, Opening: opening.Spec{Plies: 8},
				Seed: 3, Program: "test"},
			Place: selfplay.Place{Out: out, Open: roster.Open, Runner: r},
		}}
}

func generate(t *testing.T, c datagen.Config) {
	t.Helper()
	ctx, cancel := patient(t)
	defer cancel()
	if _, err := datagen.Run(ctx, c); err != nil {
		t.Fatal(err, context.Cause(ctx))
	}
}

// local returns the folder of n games that this machine played alone.
func local(t *testing.T, n uint64) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "local")
	generate(t, games(out, n, nil))
	return out
}

// sameFiles compares the files that must be equal in two data sets or matches.
func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	patterns := []string{"*.arrow", durable.ManifestName, durable.RunResultName}
	if _, err := os.Stat(filepath.Join(want, gamelog.PGNName)); err == nil {
		patterns = []string{gamelog.PGNName, "games/*.arrow", "games/" + durable.ManifestName, durable.RunResultName}
	}
	runtest.SameFiles(t, got, want, patterns...)
}

// api returns the API of a server for its coordinator.
func api(t *testing.T, b *coordinator.Server) jetstream.JetStream {
	t.Helper()
	nc := setup.Must(b.Connect())
	t.Cleanup(nc.Close)
	return setup.Must(jetstream.New(nc))
}

// streams returns the streams of a server, by name.
func streams(t *testing.T, js jetstream.JetStream) map[string]jetstream.StreamInfo {
	t.Helper()
	found := map[string]jetstream.StreamInfo{}
	all := js.ListStreams(t.Context())
	for info := range all.Info() {
		info.TimeStamp = time.Time{}
		found[info.Config.Name] = *info
	}
	if all.Err() != nil {
		t.Fatal(all.Err())
	}
	return found
}

// Workers play the same games as one machine, to the byte. One of them leaves in the
// middle, and another comes. Nothing of the run stays at the server, and a second run follows there.
func TestSameBytesAsLocal(t *testing.T) {
	t.Parallel()
	total := fewer(150)
	want := local(t, total)
	b := serve(t, coordinator.ServerConfig{})
	stop, _ := startWorker(t, b.URL(), "anna", nil)
	startWorker(t, b.URL(), "bert", nil)
	c := games(filepath.Join(t.TempDir(), "games"), total, newCoordinator(t, b, coordinator.Config{ReplayShare: 0.1}))
	n := 0
	c.Progress = func(_, _ int64, _ string) {
		if n++; n == 20 {
			go func() { _ = stop() }()
			startWorker(t, b.URL(), "carl", nil)
		}
	}
	generate(t, c)
	sameFiles(t, c.Out, want)
	c.Runner.(*coordinator.Coordinator).Close()
	if left := streams(t, api(t, b)); len(left) > 0 {
		t.Errorf("these streams stay after the run: %v", left)
	}
	again := games(filepath.Join(t.TempDir(), "again"), total, newCoordinator(t, b, coordinator.Config{}))
	generate(t, again)
	sameFiles(t, again.Out, want)
}

// A worker whose games take several leases keeps its units: it says that it still plays them.
func TestSlowWorker(t *testing.T) {
	t.Parallel()
	want := local(t, 10)
	b, dir := serve(t, coordinator.ServerConfig{}), t.TempDir()
	c := games(filepath.Join(t.TempDir(), "games"), 10, newCoordinator(t, b, coordinator.Config{Dir: dir,
		Lease: time.Second}))
	var slow *worker.Worker
	startWorker(t, b.URL(), "slow", func(w *worker.Worker) {
		slow, w.Cores = w, 4
		w.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := roster.Open(spec)
			return watched{p, func(engine.Limits) { time.Sleep(100 * time.Millisecond) }}, err
		}
	})
	n := 0
	c.Progress = func(int64, int64, string) {
		if n++; n == 2 { // the first game is the slow one's, and it has begun others
			startWorker(t, b.URL(), "fast", nil)
		}
	}
	generate(t, c)
	sameFiles(t, c.Out, want)
	var all coordinator.Snapshot
	setup.Check(t, durable.ReadJSON(filepath.Join(dir, coordinator.WorkersName), &all))
	played := slow.Units.Load()
	for _, w := range all.Workers {
		if w.Name == "slow" && (w.Units < 2 || played > w.Units+2) { // without that, half of its games
			t.Errorf("slow played %d units, and %d counted", played, w.Units)
		}
	}
}

// hasText reports whether an error has the text.
func hasText(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

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
		k.Close()
	}
}

// A worker that is too slow for its games to be alike leaves, and both sides report why.
func TestWorkerThatIsTooSlow(t *testing.T) {
	t.Parallel()
	for name, measure := range map[string]speedometer{"slow": speed(2e5), "fast": speed(5e6)} {
		b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
		k := newCoordinator(t, b, coordinator.Config{Measure: speed(1e6), Log: notes.add})
		_, ended := startWorker(t, b.URL(), name, func(w *worker.Worker) { w.Measure = measure })
		finished := make(chan struct{})
		go func() { defer close(finished); playJobs(t, k, clocked(0)) }()
		if err := ended(); !hasText(err, "cluster: refused") {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "does not play", "nodes/s")
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
	c := matchOf(filepath.Join(t.TempDir(), "match"), 6, r)
	c.A, c.B = selfplay.Player{Spec: toy.Spec(spec), ID: "toy"}, c.A
	c.Limits, c.Check, c.MaxPlies = selfplay.Limits{Nodes: 30}, selfplay.Check{MaxScore: -1}, 30
	return c
}

func allow(cache string, engines ...string) *worker.Engines {
	return setup.Must(worker.AllowEngines(engines, cache))
}

// Workers come to a match with an external engine: one whose owner allowed no engine, two whose owners allowed other
// files, and one whose owner allowed this build, or all that a run sends. The first ones say what their owners have to
// do, and leave; the last one plays the games that one machine would have played.
func TestForeignEngines(t *testing.T) {
	t.Parallel()
	cache, path := t.TempDir(), toyFile(t, "toy", "")
	other := filepath.Join(cache, setup.Must(durable.SumFile(path)), "toy.new") // another worker writes it
	setup.Check(t, os.MkdirAll(filepath.Dir(other), 0o700))
	setup.Check(t, os.WriteFile(other, nil, 0o500))
	for name, last := range map[string]*worker.Engines{"named": allow("", path), "sent": allow(cache)} {
		t.Run(name, func(t *testing.T) { foreignEngines(t, last) })
	}
	setup.Check(t, os.Remove(other))
}

func foreignEngines(t *testing.T, last *worker.Engines) {
	path := toyFile(t, "toy", "")
	local := foreignMatch(t, "uci:"+quote.Word(path), nil)
	setup.Must(match.Run(t.Context(), local))
	b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
	c := foreignMatch(t, "uci:"+quote.Word(path), newCoordinator(t, b, coordinator.Config{Log: notes.add}))
	ended := make(chan error, 1)
	go func() { _, err := match.Run(t.Context(), c); ended <- err }()
	full := t.TempDir() // no engine can be stored where a file has the name of its folder
	setup.Check(t, os.WriteFile(filepath.Join(full, setup.Must(durable.SumFile(path))), nil, 0o600))
	for name, refusal := range map[string]struct {
		allowed *worker.Engines
		says    string
	}{
		"bare":  {allow(""), "assay help work"},
		"other": {allow("", toyFile(t, "toy", "another build")), "need the same file"},
		"named": {allow("", toyFile(t, "toy2", "")), "assay help work"},
		"full":  {allow(full), "cannot store a fetched engine: "},
	} {
		_, left := startWorker(t, b.URL(), name, func(w *worker.Worker) { w.Engines = refusal.allowed })
		err := left()
		if !hasText(err, "cluster: refused") || !hasText(err, refusal.says) ||
			hasText(err, "its owner does not allow the engine") != (name != "full") {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "does not play", refusal.says)
	}
	_, left := startWorker(t, b.URL(), "old", func(w *worker.Worker) { // where the engine does not run
		w.Engines, w.Open = last, func(spec engine.Spec) (engine.Player, error) {
			if spec.External() {
				return toy.Open(toy.Spec("toy:error=0"))
			}
			return roster.Open(spec)
		}
	})
	if err := left(); !hasText(err, "cluster: refused") || !errors.Is(err, selfplay.ErrPreflight) {
		t.Errorf("old ended with %v", err)
	}
	notes.expect("old", "does not play", "told to fail")
	startWorker(t, b.URL(), "anna", func(w *worker.Worker) { w.Engines = last })
	setup.Check(t, <-ended)
	sameFiles(t, c.Out, local.Out)
}

// TestOptionOfAJob: a run with an option that may name a file ends before a worker sees it: each would leave.
func TestOptionOfAJob(t *testing.T) {
	t.Parallel()
	k := newCoordinator(t, serve(t, coordinator.ServerConfig{}), coordinator.Config{})
	jobs := make(chan selfplay.Task, 1)
	jobs <- &selfplay.Job{Players: toy.Specs("uci:engine", "assay:hash=1"),
		Options: [2][]engine.Option{{{Name: "BookFile", Value: "x"}}}}
	if err := k.Run(t.Context(), jobs, nil); !hasText(err, "the option BookFile may name a file") {
		t.Error(err)
	}
}
