package processtest

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/runtest"
)

var kills = flag.Int("kills", 4, "times that TestKilledRunsGiveTheSameBytes kills each run")

// TestKilledRunsGiveTheSameBytes kills real processes after a random number of games or a
// new shard, with no chance to clean up, and resumes them with the same command.
func TestKilledRunsGiveTheSameBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string // that promise to be the same
		games int
		done  func(dir string) int // grows while the run goes on
		args  []string
	}{
		{"selfplay", []string{"games-*.arrow", "manifest.json", "result.json"}, 300, shards,
			[]string{"selfplay", "--games", "300", "--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies",
				"24", "--players", "assay:hash=1"}},
		{"match", []string{"games.pgn", "games/*.arrow", "games/manifest.json", "result.json"}, 100, journalLines,
			[]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games", "100", "--nodes", "20",
				"--hard-nodes", "--opening-nodes", "50", "--max-plies", "60"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
			setup.Check(t, assay(t, nil, append(c.args, "--out", whole, "--concurrency", "2")...))
			rng := rand.New(rand.NewPCG(8, 9))
			died := 0
			for range *kills {
				more := c.done(killed)
				if c.name == "match" {
					more += rng.IntN(2 * c.games / (*kills + 1))
				}
				if assay(t, func() bool { return c.done(killed) > more }, append(c.args, "--out", killed, "--concurrency",
					"4")...) == nil {
					break // it ended first
				}
				died++
			}
			if died == 0 {
				t.Error("the run was never killed: this shows nothing")
			}
			t.Logf("killed %d times", died)
			if c.name == "match" && journalLines(killed) > 20 { // its games so far can be read
				if err := assay(t, nil, "data", "import", killed, "--out", filepath.Join(dir, "so far")); err != nil {
					t.Error(err)
				}
			}
			setup.Check(t, assay(t, nil, append(c.args, "--out", killed)...))
			runtest.SameFiles(t, killed, whole, c.files...)
			seen := map[uint64]bool{}
			if err := runtest.Read(filepath.Join(killed, gamelog.JournalName), func(g *selfplay.Result) error {
				if seen[g.Number] || g.Number >= uint64(c.games) {
					t.Errorf("game %d of %d is in the journal again", g.Number, c.games)
				}
				seen[g.Number] = true
				return nil
			}); c.name == "match" && (err != nil || len(seen) != c.games) {
				t.Errorf("%d games in the journal, want %d: %v", len(seen), c.games, err)
			}
		})
	}
}

// shards counts the shards of games in a folder, and those that are being written.
func shards(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "games-*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".games-*"))
	return len(names) + len(hidden)
}

// journalLines counts the lines of the journal in a folder; none if there is no file yet.
func journalLines(dir string) int {
	data, _ := os.ReadFile(filepath.Join(dir, gamelog.JournalName))
	return bytes.Count(data, []byte("\n"))
}

// assay runs the program to its end, or kills it as soon as the condition holds, if there
// is one, and returns what Wait does. An exit code other than 0 fails the test.
func assay(t *testing.T, kill func() bool, args ...string) error {
	t.Helper()
	cmd := exec.Command("assay", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	setup.Check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	for waiting := true; waiting; {
		var poll <-chan time.Time
		if kill != nil {
			poll = time.After(4 * time.Millisecond)
		}
		select {
		case err = <-ended:
			waiting = false
		case <-poll:
			if kill() {
				_ = cmd.Process.Kill() // it may have ended by itself
				kill = nil
			}
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		t.Fatalf("assay %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return err
}
