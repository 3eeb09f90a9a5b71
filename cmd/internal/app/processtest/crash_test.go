//go:build unix

package processtest

import (
	"bytes"
	"flag"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/assay-chess/assay/selfplay/runtest"
)

var crashes = flag.Int("crashes", 0, "times that TestFinishedGamesSurvive stops each run, by kill -9 and by Ctrl-C "+
	"each; 0: not at all")

// TestFinishedGamesSurvive stops runs on a terminal at random moments, by kill -9 and by Ctrl-C in
// turn. When a run is resumed, each game is there that its terminal announced as finished; at the
// end the bytes are the same as of a run that was never stopped, with another number of workers.
func TestFinishedGamesSurvive(t *testing.T) {
	if *crashes == 0 {
		t.Skip("takes a minute: .ci/crash runs it")
	}
	for _, c := range []struct {
		name, out string
		files     []string // that promise to be the same
		args      []string
	}{
		{"selfplay", "games", []string{"games-*.arrow", "manifest.json", "result.json"}, []string{"selfplay", "--out",
			"games", "--games", "600",
			"--nodes", "300", "--max-plies", "80", "--seed", "7", "--players", "assay:hash=1"}},
		{"learn", "runs/small", []string{"result.json", "gen-*/*/*.arrow", "gen-*/*/manifest.json", "gen-*/*/result.json",
			"gen-*/*/games.pgn"}, []string{"learn", "--out", "runs/small", "--games", "200", "--gate-games",
			"40", "--final-games",
			"20", "--nodes", "200", "--seed", "3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // each begins with a run of one game at a time
			whole := t.TempDir()
			started := time.Now()
			if out, stopped := life(t, whole, 0, 0, append(c.args, "--concurrency", "1")...); stopped {
				t.Fatal(out)
			}
			took := time.Since(started)
			rng := rand.New(rand.NewPCG(uint64(started.UnixNano()), 1))
			var dir string
			announced, games := map[string]int{}, 0
			for stops := 0; ; {
				if dir == "" {
					dir, announced = t.TempDir(), map[string]int{}
				}
				kind, after := syscall.SIGKILL, time.Duration(0)
				if stops < 2**crashes {
					after = time.Duration(float64(took) * (0.02 + rng.Float64()/4))
				}
				if stops%2 == 1 {
					kind = syscall.SIGINT
				}
				out, stopped := life(t, dir, kind, after, append(c.args, "--concurrency", strconv.Itoa(1+rng.IntN(3)))...)
				games += survived(t, out, announced)
				if stopped {
					stops++
					continue
				}
				runtest.SameFiles(t, filepath.Join(dir, c.out), filepath.Join(whole, c.out), c.files...)
				if dir = ""; stops >= 2**crashes {
					break
				}
			}
			t.Logf("stopped %d times by kill -9 and by Ctrl-C each; %d games that were announced before are there", *crashes,
				games)
		})
	}
}

// life runs the program in the folder, on a terminal, to its end, or stops it by the signal after
// a time if that is above 0. It returns what the terminal got.
func life(t *testing.T, dir string, kind syscall.Signal, after time.Duration, args ...string) (out string,
	stopped bool) {
	t.Helper()
	cmd := exec.Command("assay", args...)
	cmd.Dir = dir
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if after > 0 {
		defer time.AfterFunc(after, func() { _ = cmd.Process.Signal(kind) }).Stop() // it may have ended
	}
	text, _ := io.ReadAll(f) // ends with an error of input and output when the program ends
	err = cmd.Wait()
	if err == nil {
		return string(text), false
	}
	if killed := !cmd.ProcessState.Exited(); after == 0 || !killed && !bytes.Contains(text, []byte("interrupt")) {
		t.Fatalf("assay %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return string(text), true
}

// status is what a terminal shows of games: which, and how many are finished.
var status = regexp.MustCompile(`^(.*(?:selfplay|self-play|gate|match)[^\d]*) (\d+)/\d+`)

// survived compares the first status of each series of games with the last one of earlier lives,
// and returns how many games it found again.
func survived(t *testing.T, out string, announced map[string]int) (found int) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.FieldsFuncSeq(out, func(c rune) bool { return c == '\r' || c == '\n' }) {
		m := status.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		if !seen[m[1]] {
			if seen[m[1]] = true; n < announced[m[1]] {
				t.Errorf("%s: %d games were announced, %d are left", m[1], announced[m[1]], n)
			}
			found += announced[m[1]]
		}
		announced[m[1]] = max(announced[m[1]], n)
	}
	return found
}
