//go:build unix

package processtest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/rivo/uniseg"
)

var colours = regexp.MustCompile(`\x1b\[\d*m`)

// terminal shows what a program writes, as far as our programs need it.
type terminal struct {
	columns  int
	lines    [][]string // of letters
	column   int
	wrapped  []string // lines that were longer than the terminal is wide
	statuses []string // lines that were written over others
}

func (t *terminal) write(text string) {
	text = colours.ReplaceAllString(text, "")
	if len(t.lines) == 0 {
		t.lines = [][]string{nil}
	}
	for g := uniseg.NewGraphemes(text); g.Next(); {
		last := len(t.lines) - 1
		switch letter := g.Str(); letter {
		case "\r\n", "\n":
			t.lines, t.column = append(t.lines, nil), 0
		case "\r":
			t.statuses = append(t.statuses, strings.TrimRight(strings.Join(t.lines[last], ""), " "))
			t.column = 0
		default:
			if t.column+g.Width() > t.columns {
				t.wrapped = append(t.wrapped, strings.Join(t.lines[last], "")+letter)
				t.lines, t.column = append(t.lines, nil), 0
				last++
			}
			for len(t.lines[last]) < t.column+g.Width() {
				t.lines[last] = append(t.lines[last], " ")
			}
			t.lines[last][t.column] = letter
			t.column += g.Width()
		}
	}
}

// text returns all lines, those above the window too.
func (t *terminal) text() string {
	var b strings.Builder
	for _, line := range t.lines {
		b.WriteString(strings.TrimRight(strings.Join(line, ""), " ") + "\n")
	}
	return b.String()
}

// onTerminal runs a command on a terminal of that width.
func onTerminal(t *testing.T, dir string, columns int, args ...string) *terminal {
	t.Helper()
	c := startAtTerminal(t, dir, columns, args)
	watchdog := time.AfterFunc(soonEnough, func() { _ = c.Process.Kill() })
	defer watchdog.Stop()
	if err := <-c.ended; err != nil {
		t.Fatalf("assay %s: %v\n%s", strings.Join(args, " "), err, c.shown().text())
	}
	if strings.Contains(colours.ReplaceAllString(c.written.String(), ""), "\x1b") {
		t.Errorf("assay %s: control sequences, which this terminal does not know", args[0])
	}
	return c.shown()
}

// TestOneLineOnATerminal runs what takes long on terminals: one line shows the progress, it is
// updated and then gone, and no line is longer than the terminal is wide. Games are played one
// at a time: few games then take long enough for some updates, on a machine of many cores too. With ASSAY_TERMINAL
// there are two terminals, and on the narrow one the model of many terms is learned.
func TestOneLineOnATerminal(t *testing.T) {
	dir := t.TempDir()
	setup.Check(t, os.WriteFile(filepath.Join(dir, "men.toml"), []byte("player = 'assay:hash=1'\niterations = 50\n"+
		"nodes = 20\nopening_nodes = 50\nmax_plies = 60\n[[parameter]]\nname = 'pawn'\nstart = 100\nmin = 10\n"+
		"max = 900\n[[parameter]]\nname = 'knight.mg'\nstart = 300\nmin = 100\nmax = 1000\n"), 0o666))
	terminals, large := []int{80}, os.Getenv("ASSAY_TERMINAL") != ""
	if large {
		terminals = []int{80, 160}
	}
	for i, columns := range terminals {
		n, model := fmt.Sprint(columns), "shannon-1950" // of nine terms, which are learned at once
		if large && i == 0 {
			model = "assay"
		}
		for _, test := range []struct {
			status string // of the line, at any number of games
			last   string // a line of the result
			args   []string
		}{
			{`match \d+/80 \d+% \[[=> ]+\] LLR -?[0-9.]+/-?2\.94 Elo`, `^written `,
				[]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games", "80", "--concurrency", "1",
					"--sprt", "0,2", "--nodes", "20", "--opening-nodes", "50", "--max-plies", "60", "--out", "m" + n}},
			{`generation 1: [a-z-]+ \d+/\d+ \d+%`, // of any stage: 40 games take a fifth of a second
				`^report: +runs.l\d+.report.html$`,
				[]string{"learn", "--model", model, "--generations", "1", "--games", "40", "--nodes", "30", "--gate-games", "20",
					"--final-games", "20", "--out", "runs/l" + n}},
			{`\btune (step|\d+ parameters|estimating|errors)`, `^wrote `,
				[]string{"tune", filepath.Join("runs", "l80", "gen-1", "positions"), "--folds", "0", "--out", "t" + n + ".json"}},
			{`spsa \d+/50 \d+% \[[=> ]+\] pawn [0-9.]+ knight`, `^written `,
				[]string{"spsa", "men.toml", "--concurrency", "1", "--out", "s" + n}},
		} {
			shown := onTerminal(t, dir, columns, test.args...)
			what := fmt.Sprintf("assay %s at %d columns", test.args[0], columns)
			for _, line := range shown.wrapped {
				if !strings.HasPrefix(line, "assay ") { // a command, which is copied whole
					t.Errorf("%s: wrapped %q", what, line)
				}
			}
			status := regexp.MustCompile(test.status)
			updates, shownAs := 0, 0 // a fast machine shows little
			for _, s := range shown.statuses {
				if uniseg.StringWidth(s) >= columns {
					t.Errorf("%s: the status fills the line: %q", what, s)
				}
				if s != "" {
					updates++
				}
				if status.MatchString(s) {
					shownAs++
				}
			}
			if updates < 2 || shownAs < 1 {
				t.Errorf("%s: %d updates, %d with %s; there are %q", what, updates, shownAs, status, shown.statuses)
			}
			if status.MatchString(shown.text()) {
				t.Errorf("%s: a status stays:\n%s", what, shown.text())
			}
			if !regexp.MustCompile("(?m)" + test.last).MatchString(shown.text()) {
				t.Errorf("%s: no line %s in\n%s", what, test.last, shown.text())
			}
			if testing.Verbose() {
				t.Logf("%s: %d updates\n%s", what, updates, shown.text())
			}
		}
	}
}

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
	c := startAtTerminal(t, dir, 120, args)
	if after > 0 {
		defer time.AfterFunc(after, func() { _ = c.Process.Signal(kind) }).Stop() // it may have ended
	}
	err := <-c.ended
	if out = c.written.String(); err == nil {
		return out, false
	}
	if killed := !c.ProcessState.Exited(); after == 0 || !killed && !strings.Contains(out, "interrupt") {
		t.Fatalf("assay %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out, true
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

// The shell starts the command with standard output closed. What was asked for cannot be
// printed, and that is no success. Output that is discarded on purpose is.
func TestJSONWithClosedOutput(t *testing.T) {
	for command, want := range map[string]string{
		"exec assay perft startpos 1 --json >&-":        "standard output is closed",
		"exec assay data stat nothing --json >&-":       "standard output is closed", // has a hook of its own
		"exec assay perft startpos 1 --json >/dev/null": "",
		"exec assay perft startpos 1 --json | cat":      "",
		"exec assay perft startpos 1 >&-":               "",
	} {
		cmd := exec.Command("sh", "-c", command)
		out, err := cmd.CombinedOutput()
		if want == "" && err != nil || want != "" && (cmd.ProcessState.ExitCode() != exitFailed ||
			!strings.Contains(string(out), want)) {
			t.Errorf("%s: %v, %q", command, err, out)
		}
	}
}
