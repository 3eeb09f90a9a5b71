package processtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/selfplay/queue"
)

// queueProcess is a running assay queue serve.
type queueProcess struct {
	*process
	store, workers, url string
}

// startQueue starts a queue on a store, at given addresses or free ones.
func startQueue(t *testing.T, env []string, store, listen, http string, args ...string) *queueProcess {
	t.Helper()
	q := &queueProcess{store: store}
	q.process = start(t, env, append([]string{"queue", "serve", "--store", store, "--listen", listen, "--http", http,
		"--lease", "1s"}, args...)...)
	_, q.workers, _ = strings.Cut(q.expect("assay work "), "assay work ")
	_, address, _ := strings.Cut(q.expect("page and tests at "), "://")
	address, _, _ = strings.Cut(address, "/")
	q.url = "http://" + address
	return q
}

// again starts a queue that ended at the same addresses.
func (q *queueProcess) again() *queueProcess {
	q.t.Helper()
	return startQueue(q.t, nil, q.store, strings.TrimPrefix(q.workers, "nats://"), strings.TrimPrefix(q.url, "http://"))
}

// ask runs a command of the queue, which must succeed, and returns what it prints.
func (q *queueProcess) ask(args ...string) string {
	q.t.Helper()
	code, stdout, stderr := call(q.t, append(args, "--queue", q.url)...)
	if code != exitDone {
		q.t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
	return stdout
}

// add submits a test.
func (q *queueProcess) add(name string, args ...string) {
	q.t.Helper()
	if code, _, stderr := call(q.t, slices.Concat([]string{"queue", "add", "--queue", q.url, "--name", name},
		args)...); code != exitDone {
		q.t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
}

// await waits until a test is in a state.
func (q *queueProcess) await(name string, state queue.State) queue.Test {
	q.t.Helper()
	for until := time.Now().Add(soonEnough); ; time.Sleep(50 * time.Millisecond) {
		var x queue.Test
		if err := json.Unmarshal([]byte(q.ask("queue", "show", name, "--json")), &x); err != nil {
			q.t.Fatal(err)
		}
		if x.State == state {
			return x
		}
		if time.Now().After(until) || x.State == queue.Failed {
			q.t.Fatalf("%s is %s (%s), want %s: %s", name, x.State, x.Reason, state, &q.stderr)
		}
	}
}

// Tests of all kinds that share workers write the bytes of their own commands, though the
// server and a worker are killed in the middle.
func TestQueueWritesTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	book, config := filepath.Join(dir, "two.epd"), filepath.Join(dir, "two.toml")
	lines := "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 " +
		"2\nrnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\nrnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w " +
		"KQkq - 0 2\n"
	for path, text := range map[string]string{book: lines, config: spsaOfTwo} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	short := []string{"--nodes", "30", "--hard-nodes", "--max-plies", "30"}
	tests := map[string][]string{
		"match": append([]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games", "6", "--book",
			book}, short...),
		"spsa":     {"spsa", config},
		"selfplay": append([]string{"selfplay", "--games", "10", "--opening-nodes", "50"}, short...),
		"ladder": append([]string{"ladder", "assay:hash=1", "assay:hash=1:depth=1", "assay:hash=1:depth=2", "--games",
			"6", "--opening-nodes", "50"}, short...),
		"screen": {"screen", "assay:hash=1", "NullDepth=3,12", "QuietBase=5805,0", "--games", "16", "--opening-nodes", "50",
			"--nodes", "300", "--hard-nodes", "--max-plies", "30"},
	}
	q := startQueue(t, nil, filepath.Join(dir, "queue"), "127.0.0.1:0", "127.0.0.1:0")
	for name, args := range tests {
		start(t, nil, append(args, "--out", filepath.Join(dir, name))...).ends(exitDone)
		q.add(name, args...)
	}
	anna, bert := startWorker(t, nil, q.workers, "--name", "anna"), startWorker(t, nil, q.workers, "--name", "bert")
	awaitLines(t, filepath.Join(q.store, "tests", "spsa", "iterations.jsonl"), 1, "values")
	q.kill()
	q = q.again()
	anna.kill()
	carl := startWorker(t, nil, q.workers, "--name", "carl")
	for name := range tests {
		q.await(name, queue.Complete)
		got, want := filepath.Join(q.store, "tests", name), filepath.Join(dir, name)
		files := []string{"config.json", "result.json"}
		switch name {
		case "selfplay":
			files = append(files, "*.arrow", "manifest.json")
		case "spsa":
			files = append(files, "iterations.jsonl", "weights.json", "validation/result.json", "games.pgn", "games/*")
		default:
			files = append(files, "games.pgn", "games/*")
		}
		for _, pattern := range files {
			sameFiles(t, pattern, got, want)
		}
	}
	leave(bert, carl)
	q.interrupt()
	q.ends(exitDone)
}

// Tests are stopped, resumed, ranked and removed; one that passes is followed by the next; a
// worker plays what comes later too.
func TestQueueIsSteered(t *testing.T) {
	t.Parallel()
	q := startQueue(t, nil, filepath.Join(t.TempDir(), "queue"), "127.0.0.1:0", "127.0.0.1:0")
	q.add("first", "match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games", "2000", "--nodes", "30",
		"--max-plies", "30")
	q.await("first", queue.Active)
	q.ask("queue", "stop", "first")
	q.await("first", queue.Stopped)
	startWorker(t, nil, q.workers, "--name", "anna")
	q.add("stronger", "--then", "nonreg", "match", "assay:hash=1:nodes=200", "random", "--preset", "stc", "--nodes",
		"30", "--sprt", "0,400", "--elo-model", "logistic", "--games", "60")
	if x := q.await("stronger", queue.Complete); !strings.HasPrefix(x.Reason, "PASSED") {
		t.Errorf("the result is %q", x.Reason)
	}
	if next := q.await("stronger-nonreg", queue.Complete); next.After != "stronger" ||
		next.Settings["preset"] != "nonreg" {
		t.Errorf("what follows is %+v", next)
	}
	q.ask("queue", "resume", "first")
	q.await("first", queue.Active)
	if out := q.ask("queue", "priority", "first", "3"); !strings.Contains(out, "priority 3") {
		t.Error(out)
	}
	q.ask("queue", "stop", "first")
	q.await("first", queue.Stopped)
	q.ask("queue", "remove", "first")
	if out := q.ask("queue", "list"); strings.Contains(out, "first") || !strings.Contains(out, "PASSED") {
		t.Errorf("the list is\n%s", out)
	}
	if code, _, stderr := call(t, "queue", "show", "first", "--queue", q.url); code != exitFailed ||
		!strings.Contains(stderr, "no such test") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestGuideShareMachines runs the commands of the guide: from nothing to a queued test in
// five.
func TestGuideShareMachines(t *testing.T) {
	t.Chdir(t.TempDir())
	var q *queueProcess
	public, ran := "", 0
	for _, block := range guideBlocks(t, "share-machines") {
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			ran++
			switch {
			case strings.Contains(line, "--new-key"):
				code, stdout, stderr := call(t, quotedFields(line)[1:]...)
				if code != exitDone {
					t.Fatal(stderr)
				}
				public = strings.Fields(stdout)[1]
			case strings.Contains(line, "queue serve"):
				q = startQueue(t, nil, "queue", "127.0.0.1:0", "127.0.0.1:0") // others could reach the guide's address
			case strings.Contains(line, "--credentials"):
				startWorker(t, nil, q.workers, "--credentials", "bob.key")
			case strings.Contains(line, "assay test"):
				continue // in TestQueueTestsCommits
			case strings.Contains(line, "--public"):
				if code, _, stderr := call(t, quotedFields(strings.Replace(line, "U...", public, 1))[1:]...); code != exitDone {
					t.Fatal(stderr)
				}
			case strings.Contains(line, "queue key anna"):
				continue // from then on requests need her key: TestRoles
			default:
				t.Setenv("ASSAY_QUEUE", q.url)
				line = strings.NewReplacer("--preset stc", "--games 2 --nodes 20 --max-plies 4", "--games 100",
					"--games 2 --nodes 20 --max-plies 4").Replace(line)
				if code, stdout, stderr := call(t, quotedFields(line)[1:]...); code != exitDone {
					t.Errorf("%s: exit %d: %s%s", line, code, stdout, stderr)
				}
			}
		}
	}
	q.await("match-1", queue.Complete)
	if ran != 9 {
		t.Errorf("%d commands", ran)
	}
}

// Two commits are built and signed on the developer's machine, and played by a worker that has
// neither the repository nor the engines. A queue whose owner does not trust the key refuses
// them.
func TestQueueTestsCommits(t *testing.T) {
	r := newEngineRepo(t)
	lists := t.TempDir()
	for _, name := range []string{"dev", "eve"} {
		code, stdout, stderr := call(t, "sign", "--new-key", filepath.Join(lists, name+".key"), "--name", name)
		if code != exitDone {
			t.Fatal(stderr)
		}
		if err := os.WriteFile(filepath.Join(lists, name), []byte(stdout), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// a script needs a shell
	q := startQueue(t, nil, filepath.Join(lists, "queue"), "127.0.0.1:0", "127.0.0.1:0", "--trust",
		filepath.Join(lists, "dev"))
	submit := []string{"test", "git:HEAD", "git:base", "--build", buildCommand, "--queue", q.url, "--games", "4",
		"--nodes", "20", "--max-plies", "10", "--opening-score", "-1"}
	code, _, stderr := call(t, append(submit, "--name", "stranger", "--key", filepath.Join(lists, "eve.key"))...)
	if code != exitFailed || !strings.Contains(stderr, "does not trust") {
		t.Errorf("a stranger's engine: exit %d: %s", code, stderr)
	}
	if code, _, stderr := call(t, append(submit, "--name", "patch", "--key",
		filepath.Join(lists, "dev.key"))...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if r.built() != 2 {
		t.Errorf("%d builds, want one of each commit", r.built())
	}
	// a script needs a shell
	startWorker(t, nil, q.workers, "--trust", filepath.Join(lists, "dev"), "--library",
		filepath.Join(lists, "library"))
	x := q.await("patch", queue.Complete)
	head := r.git(t, "rev-parse", "HEAD")
	if p := x.Players[0]; !strings.Contains(p, "engine-"+head[:12]) || !strings.Contains(p, "object/") {
		t.Errorf("the test is %q", x.Words())
	}
	if strings.Contains(q.ask("queue", "list"), "stranger") {
		t.Error("the stranger's test is in the queue")
	}
}
