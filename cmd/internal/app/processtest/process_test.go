package processtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/app"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// soonEnough is how long a test waits for a process before it gives up. It is far longer
// than anything takes on a busy machine: it only ends tests that would hang.
const soonEnough = 3 * time.Minute

// process is a running assay and its standard error.
type process struct {
	*exec.Cmd
	t      *testing.T
	stderr processOutput
	heard  int           // bytes of its output that expect has passed
	ended  chan struct{} // closed when the process has ended, with err
	err    error
}

// output collects what a process has written so far.
type processOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *processOutput) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *processOutput) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// start starts a command with additions to the environment. It is killed when the test ends.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("assay", args...), t: t}
	p.Env = append(os.Environ(), env...)
	p.Cmd.Stderr = &p.stderr
	setup.Check(t, p.Start())
	p.ended = make(chan struct{})
	go func() { defer close(p.ended); p.err = p.Wait() }()
	t.Cleanup(func() { _ = p.Process.Kill(); <-p.ended })
	return p
}

// expect waits for a line with the words, after the lines that it found before, and returns
// the line.
func (p *process) expect(words string) string {
	p.t.Helper()
	for until := time.Now().Add(soonEnough); ; {
		over := false // looked at before the output, so that all of it is there
		select {
		case <-p.ended:
			over = true
		case <-time.After(10 * time.Millisecond):
		}
		text := p.stderr.String()[p.heard:]
		whole := text[:strings.LastIndexByte(text, '\n')+1]
		for line := range strings.Lines(whole) {
			p.heard += len(line)
			if strings.Contains(line, words) {
				return strings.TrimSpace(line)
			}
		}
		if over || time.Now().After(until) {
			p.t.Fatalf("%q printed %s, and no line with %q", p.Args, &p.stderr, words)
		}
	}
}

// interrupt is Ctrl-C.
func (p *process) interrupt() {
	p.t.Helper()
	setup.Check(p.t, p.Process.Signal(os.Interrupt))
}

// interruptUntilEnd presses Ctrl-C until the process has ended. The program may still be
// about to give the signal back to the system, so the first one may be lost.
func (p *process) interruptUntilEnd() {
	p.t.Helper()
	for until := time.Now().Add(soonEnough); ; {
		_ = p.Process.Signal(os.Interrupt) // it may have ended
		select {
		case <-p.ended:
			return
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(until) {
			p.t.Fatalf("%q does not end: %s", p.Args, &p.stderr)
		}
	}
}

func (p *process) kill() {
	p.t.Helper()
	setup.Check(p.t, p.Process.Kill())
	<-p.ended
}

// ends waits for the process to end with the exit code: -1 for a signal.
func (p *process) ends(code int) {
	p.t.Helper()
	timer := time.AfterFunc(soonEnough, func() { _ = p.Process.Kill() })
	<-p.ended
	if !timer.Stop() {
		p.t.Fatalf("%q does not end: %s", p.Args, &p.stderr)
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) || p.ProcessState.ExitCode() != code {
		p.t.Fatalf("%q: %v, want exit code %d: %s", p.Args, p.err, code, &p.stderr)
	}
}

// startCoordinator starts a command that serves workers, on a free port unless args name
// another, and returns it and the address it prints.
func startCoordinator(t *testing.T, env []string, command string, args ...string) (run *process, url string) {
	t.Helper()
	run = start(t, env, append([]string{command, "--serve", "127.0.0.1:0"}, args...)...)
	_, url, _ = strings.Cut(run.expect("assay work "), "assay work ")
	return run, url
}

func startWorker(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	return start(t, env, append([]string{"work", "--concurrency", "1", "--nice", "0", "--library", t.TempDir()},
		args...)...)
}

// serveProcess starts assay serve on a free port and returns its address.
func serveProcess(t *testing.T, runs string) (url string) {
	t.Helper()
	line := start(t, nil, "serve", runs, "--listen", "127.0.0.1:0").expect("http://")
	_, rest, _ := strings.Cut(line, "http://")
	address, _, _ := strings.Cut(rest, "/")
	return "http://" + address
}

// Whatever a flipped bit or a cut does to a data set, every command that reads it
// says so, names the file, and exits with 1.
func TestDamagedDataEndsEveryCommand(t *testing.T) {
	dir := t.TempDir()
	games := filepath.Join(dir, "games")
	works(t, "selfplay", "--out", games, "--games", "6", "--nodes", "50", "--seed", "3")
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"games-00000.arrow", "manifest.json"} {
		path := filepath.Join(games, name)
		whole := setup.Must(os.ReadFile(path))
		for i := range 16 {
			changed := bytes.Clone(whole)
			if i%2 == 0 {
				changed[rng.IntN(len(whole))] ^= 1 << rng.IntN(8)
			} else {
				changed = changed[:rng.IntN(len(whole))]
			}
			setup.Check(t, os.WriteFile(path, changed, 0o666))
			for _, args := range [][]string{
				{"data", "stat", games}, {"data", "verify", games}, {"data", "head", games},
				{"data", "positions", games, "--out", filepath.Join(dir, "x")},
				{"data", "merge", games, "--out", filepath.Join(dir, "m")},
				{"data", "split", games, "--out", filepath.Join(dir, "s")},
				{"data", "shuffle", games, "--out", filepath.Join(dir, "r")},
				{"data", "export", games, "--out", filepath.Join(dir, "games.pgn")},
			} {
				code, out, errs := call(t, args...)
				if text := out + errs; code != 1 || !strings.Contains(text, path) || strings.Contains(text, "panic") {
					t.Fatalf("damage %d to %s: %q ends with %d:\n%s", i, name, args[1], code, text)
				}
			}
		}
		setup.Check(t, os.WriteFile(path, whole, 0o666))
	}
	if _, err := os.Stat(filepath.Join(dir, "games.pgn")); err == nil {
		t.Error("damaged games were exported")
	}
	code, out, errs := call(t, "data", "verify", games, "--json")
	var v struct {
		OK   bool
		Rows int
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 0 || !v.OK || v.Rows != 6 {
		t.Errorf("mended: %d %s %s", code, out, errs)
	}
}

// writeList writes a list of 30,000 different positions in game order.
func writeList(t *testing.T, path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	var text []byte
	for range 300 {
		p := board.StartPosition()
		result := float64(rng.IntN(3)) / 2
		for range 100 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[rng.IntN(len(moves))])
			text = fmt.Appendf(text, "%s;%d;%.1f\n", p.FEN(), rng.IntN(800)-400, result)
		}
	}
	setup.Check(t, os.WriteFile(path, text, 0o666))
}

// TestKilledDataCommandsGiveTheSameBytes kills the commands that write data sets as soon as
// they have written anything, and runs them again.
func TestKilledDataCommandsGiveTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	list, data := filepath.Join(dir, "list.epd"), filepath.Join(dir, "data")
	writeList(t, list)
	setup.Check(t, assay(t, nil, "data", "import", list, "--infer-games", "--out", data))
	killed := 0
	for _, c := range []struct {
		name, pattern string
		args          []string
	}{
		{"import", "*", []string{"data", "import", list, "--infer-games"}},
		{"merge", "*", []string{"data", "merge", data}},
		{"split", "*/*", []string{"data", "split", data, "--seed", "3"}},
		{"positions", "*", []string{"data", "positions", data, "--resolve", "keep", "--sample", "20000"}},
		{"shuffle", "*", []string{"data", "shuffle", data, "--seed", "3"}},
	} {
		whole, broken := filepath.Join(dir, c.name), filepath.Join(dir, c.name+"-killed")
		setup.Check(t, assay(t, nil, append(c.args, "--out", whole)...))
		wrote := func() bool {
			names, err := filepath.Glob(filepath.Join(broken, "*"))
			hidden, _ := filepath.Glob(filepath.Join(broken, ".*"))
			return err == nil && len(names)+len(hidden) > 0
		}
		if assay(t, wrote, append(c.args, "--out", broken)...) != nil {
			killed++
		}
		setup.Check(t, assay(t, nil, append(c.args, "--out", broken)...))
		runtest.SameFiles(t, broken, whole, c.pattern)
		if left, _ := filepath.Glob(filepath.Join(broken, ".*")); len(left) != 0 {
			t.Errorf("%s leaves %v", c.name, left)
		}
	}
	if killed < 2 {
		t.Errorf("only %d processes were killed before they ended: this shows little", killed)
	}
}

// What an error advises works when it is done literally, in the same folder where it names no
// other.
func TestCuresWork(t *testing.T) {
	engine := testengine.Build(t, "badengine")
	t.Chdir(t.TempDir())
	setup.Check(t, os.Link(engine, "bad"))
	for name, text := range map[string]string{
		"bad.epd":  "this is no position\n",
		"good.epd": "4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"1-0\";\n",
		"one.epd":  "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n",
		"three.epd": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq " +
			"-\nrnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\nrnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq " +
			"-\n",
	} {
		setup.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	fast := []string{"--nodes", "20", "--max-plies", "8", "--opening-nodes", "20"}
	book := []string{"--nodes", "20", "--max-plies", "8", "--sprt", "0,400"}
	for _, step := range []struct {
		args string
		more []string
		says string // of an error; empty: success
	}{
		// Too many forfeits: the error sends the user to another folder, or to --recover.
		{"selfplay --players 'assay:hash=1,uci:./bad crash-later' --games 2 --out failed", fast,
			"the games are kept in failed. Correct what fails and play in another folder, or resume this run with --recover " +
				"(forfeits are losses) or a larger --max-forfeits"},
		{"selfplay --players 'assay:hash=1,uci:./bad crash-later' --games 2 --out failed --recover", fast, ""},
		{"selfplay --players assay:hash=1 --games 2 --out played", fast, ""},
		{"data import bad.epd --out imported", nil, "bad.epd"},
		{"data import good.epd --out imported", nil, ""},
		{"data relabel imported --player 'uci:./bad crash' --nodes 20 --out scored", nil, "it ended with exit status"},
		{"data relabel imported --nodes 30 --out scored", nil, ""},
		// Rows are there: the error sends the user to another folder, or back to the flags.
		{"selfplay --players assay:hash=1 --games 2 --out played --seed 2", fast,
			"use the flags it was started with, or another --out"},
		{"selfplay --players assay:hash=1 --games 2 --out played", fast, ""},
		{"selfplay --players assay:hash=1 --games 4 --out played", fast, ""},
		{"selfplay --players assay:hash=1 --games 2 --out played", fast, "games can be added, but not taken away"},
		{"selfplay --players assay:hash=1 --games 4 --out another", fast, ""},
		{"match assay:hash=1 assay:hash=2 --book one.epd --out m", book,
			"use a larger --book, or none for random openings, with another --out"},
		{"match assay:hash=1 assay:hash=2 --book three.epd --games 6 --out m", book, "another --out"},
		{"match assay:hash=1 assay:hash=2 --book three.epd --games 6 --out m2", book, ""},
		// A folder with other files.
		{"match assay:hash=1 assay:hash=2 --games 2 --out .", fast, "choose a new or empty folder with --out"},
		{"match assay:hash=1 assay:hash=2 --games 2 --out new", fast, ""},
	} {
		args := append(setup.Must(quote.Split(step.args)), step.more...)
		code, _, stderr := call(t, args...)
		if (code == exitDone) != (step.says == "") || !strings.Contains(stderr, step.says) {
			t.Errorf("assay %s: exit %d, %s; want %q", step.args, code, stderr, step.says)
		}
	}
}

// TestMain puts the test binary itself into the path as assay, so that nothing is built to
// start a process.
func TestMain(m *testing.M) {
	if signal.Ignored(os.Interrupt) { // as in the background of a script: programs that tests start would ignore it too
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	testscript.Main(testengine.Tests{M: m}, map[string]func(){"assay": app.Main})
}

const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	// A command that leaves the memory to engines must not make the collector of garbage hurry in later tests.
	defer debug.SetMemoryLimit(math.MaxInt64)
	var out, errs bytes.Buffer
	code = app.Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// works runs a command line that has to succeed.
func works(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := call(t, args...)
	if code != exitDone {
		t.Fatalf("assay %q: exit %d: %s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}
