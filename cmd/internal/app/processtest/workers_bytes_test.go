package processtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/runtest"
)

const spsaOfTwo = `
player      = "assay:hash=1"
iterations  = 5
pairs       = 2
nodes       = 30
hard_nodes  = true
validation  = 2
max_plies   = 30
opening_nodes = 50
[[parameter]]
name  = "queen"
start = 500
min   = 100
max   = 2000
c_end = 120
r_end = 0.02
[[parameter]]
name  = "knight.mg"
start = 300
min   = 100
max   = 1000
`

// SPSA writes the same bytes when workers play its games. One worker is killed in the middle,
// while it holds units, and another comes.
func TestWorkersTuneTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config, local, shared := filepath.Join(dir, "two.toml"), filepath.Join(dir, "local"), filepath.Join(dir, "shared")
	setup.Check(t, os.WriteFile(config, []byte(spsaOfTwo), 0o666))
	start(t, nil, "spsa", config, "--out", local).ends(exitDone)
	run, url := startCoordinator(t, nil, "spsa", config, "--out", shared, "--lease", "1s")
	anna, bert := startWorker(t, nil, url, "--name", "anna"), startWorker(t, nil, url, "--name", "bert")
	awaitLines(t, filepath.Join(shared, "iterations.jsonl"), 2, "values")
	anna.kill()
	carl := startWorker(t, nil, url, "--name", "carl")
	run.ends(exitDone)
	leave(bert, carl)
	runtest.SameFiles(t, shared, local, "config.json", "result.json", "iterations.jsonl", "weights.json", "games.pgn",
		"games/*", "validation/config.json", "validation/result.json", "validation/games.pgn", "validation/games/*")
}

// planOfOne has one generation of a model with nine terms, which takes no time to fit.
const planOfOne = `{
  "seed": "5", "model": "shannon-1950", "from": "shannon-1950", "opponent": "machack-1967",
  "generations": [{"games": 20, "nodes": 30, "lambda": 0.3, "prior": 2,
  "gate": {"nelo0": 0, "nelo1": 50, "alpha": 0.05, "beta": 0.05, "games": 2, "nodes": 30}}],
  "final": {"games": 2, "nodes": 30}
}`

// assay learn writes the same bytes when workers play its games. The result identifies
// weights by their content, so the time in the weight file does not matter.
func TestWorkersLearnTheSame(t *testing.T) {
	t.Chdir(t.TempDir())
	setup.Check(t, os.WriteFile("plan.json", []byte(planOfOne), 0o666))
	args := []string{"--plan", "plan.json", "--out"}
	start(t, nil, append([]string{"learn"}, append(args, "local")...)...).ends(exitDone)
	run, url := startCoordinator(t, nil, "learn", append(args, "shared", "--replay-share", "0")...)
	anna, bert := startWorker(t, nil, url, "--name", "anna"), startWorker(t, nil, url, "--name", "bert")
	run.ends(exitDone)
	leave(anna, bert)
	runtest.SameFiles(t, "shared", "local", "config.json",
		"result.json", "gen-1/games/*.arrow", "gen-1/games/manifest.json", "gen-1/positions/*", "gen-1/gate/result.json",
		"gen-1/gate/games.pgn", "gen-1/final/result.json", "gen-1/final/games.pgn")
}

// The line that resumes a run has the flags of its workers too.
func TestLearnResumesWithWorkers(t *testing.T) {
	t.Chdir(t.TempDir())
	run, _ := startCoordinator(t, nil, "learn", "--games", "20", "--replay-share", ".1")
	run.interrupt()
	run.expect("resume with: assay learn --games 20 --out runs/learn-g20-n1000-k2-s1 --replay-share 0.1 " +
		"--serve 127.0.0.1:0")
	run.ends(exitInterrupted)
}

func leave(workers ...*process) {
	for _, w := range workers {
		w.t.Helper()
		w.interrupt()
		w.ends(exitDone)
	}
}

// awaitLines waits until n lines of a file contain the words.
func awaitLines(t *testing.T, path string, n int, words string) {
	t.Helper()
	for until := time.Now().Add(soonEnough); ; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(path)
		found := 0
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, words) {
				found++
			}
		}
		if found >= n {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%s does not have %d lines with %s: %v", path, n, words, err)
		}
	}
}
