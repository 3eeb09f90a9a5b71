package processtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// needInterrupts skips a test on systems where processes cannot be interrupted.
func needInterrupts(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted on this system")
	}
}

// answered returns how many units of a worker a run has accepted, and how many the worker
// says it played. Both have ended.
func answered(t *testing.T, out string, w *process, name string) (taken, played int64) {
	t.Helper()
	var r coordinator.Snapshot
	data, err := os.ReadFile(filepath.Join(out, coordinator.DirName, coordinator.WorkersName))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	var games, checks int64
	lines := strings.Split(strings.TrimSpace(w.stderr.String()), "\n")
	if _, err := fmt.Sscanf(lines[len(lines)-1], "work: %d games and %d checks of openings", &games, &checks); err != nil {
		t.Fatalf("%v: %s", err, &w.stderr)
	}
	for _, m := range r.Workers {
		if m.Name == name {
			taken = m.Units
		}
	}
	return taken, games + checks
}

// longRun plays games that are long enough for workers to come and leave.
var longRun = []string{"--games", "40", "--nodes", "1000", "--hard-nodes", "--max-plies", "30", "--players",
	"assay:hash=1", "--opening-score", "-1", "--out"}

var longRunAlone sync.Once

// sameAsLongRun compares a run with longRun without workers, which is played once.
func sameAsLongRun(t *testing.T, shared string) {
	t.Helper()
	alone := filepath.Join(testengine.Folder(), "long-run")
	longRunAlone.Do(func() {
		start(t, nil, append([]string{"selfplay"}, append(longRun[:len(longRun):len(longRun)], alone)...)...).ends(exitDone)
	})
	runtest.SameFiles(t, shared, alone, "games-*.arrow", "manifest.json", "result.json")
}

// Workers that are interrupted finish and send the units under way, and give the others
// back. Other workers get these at once, and not when the leases expire.
func TestWorkersLeave(t *testing.T) {
	needInterrupts(t)
	t.Parallel()
	shared := filepath.Join(t.TempDir(), "shared")
	run, url := startCoordinator(t, nil, "selfplay", append(longRun[:len(longRun):len(longRun)], shared,
		"--replay-share", "0", "--lease", "1h")...)
	workers := map[string]*process{}
	for _, name := range []string{"anna", "bert", "carl", "dora"} {
		w := startWorker(t, nil, url, "--name", name, "--concurrency", "2")
		workers[name] = w
		awaitLines(t, filepath.Join(shared, durable.JournalName), 1, `"worker":"`+name+`"`)
		w.interrupt() // while it gets further units
		w.expect("finishing the games under way; Ctrl-C again leaves at once, and other workers play them")
		w.ends(exitDone)
	}
	workers["emil"] = startWorker(t, nil, url, "--name", "emil")
	run.ends(exitDone) // within the hour
	leave(workers["emil"])
	for name, w := range workers {
		if taken, played := answered(t, shared, w, name); taken != played || played == 0 && name != "emil" {
			t.Errorf("%s played %d units, and %d were accepted", name, played, taken)
		}
	}
	sameAsLongRun(t, shared)
}

// A second Ctrl-C does not wait for the game under way, which takes hours.
func TestWorkerLeavesAtOnce(t *testing.T) {
	needInterrupts(t)
	t.Parallel()
	_, url := startCoordinator(t, nil, "selfplay", "--games", "2", "--nodes", "4000000000", "--opening-score", "-1",
		"--out", filepath.Join(t.TempDir(), "games"))
	// A worker that has not made its first move when it is interrupted leaves in the ordinary
	// way: another one gets more time.
	for wait := 500 * time.Millisecond; ; wait *= 4 {
		library := t.TempDir()
		w := startWorker(t, nil, url, "--library", library)
		w.expect("playing for run")
		for until := time.Now().Add(soonEnough); ; time.Sleep(10 * time.Millisecond) {
			// The worker fetches weights when it has its first unit.
			if entries, err := os.ReadDir(library); err == nil && len(entries) > 0 {
				break
			} else if time.Now().After(until) {
				t.Fatalf("the worker has no unit: %v, %s", err, &w.stderr)
			}
		}
		time.Sleep(wait)
		w.interrupt()
		w.expect("finishing the games under way")
		w.interruptUntilEnd()
		if ordinary := strings.Contains(w.stderr.String(), "checks of openings"); ordinary && wait < time.Minute {
			continue
		} else if ordinary {
			t.Errorf("the worker left in the ordinary way: %s", &w.stderr)
		}
		if code := w.ProcessState.ExitCode(); code != -1 {
			t.Errorf("exit code %d, want -1 for a signal: %s", code, &w.stderr)
		}
		return
	}
}

// An interrupted run is resumed with the same worker, which waited for it.
func TestCoordinatorLeaves(t *testing.T) {
	needInterrupts(t)
	t.Parallel()
	shared := filepath.Join(t.TempDir(), "shared")
	run, url := startCoordinator(t, nil, "selfplay", append(longRun[:len(longRun):len(longRun)], shared,
		"--replay-share", "0")...)
	anna := startWorker(t, nil, url)
	awaitLines(t, filepath.Join(shared, durable.JournalName), 2, `"number"`)
	run.interrupt()
	run.expect("resume with: assay selfplay ")
	run.ends(exitInterrupted)
	if _, err := os.Stat(filepath.Join(shared, "result.json")); err == nil {
		t.Error("an interrupted run has a result")
	}
	run, again := startCoordinator(t, nil, "selfplay", append(longRun[:len(longRun):len(longRun)], shared,
		"--replay-share", "0", "--serve", strings.TrimPrefix(url, "nats://"))...)
	if again != url {
		t.Fatalf("it serves at %s, and before the interruption at %s", again, url)
	}
	run.ends(exitDone)
	anna.interrupt()
	anna.ends(exitDone)
	sameAsLongRun(t, shared)
}
