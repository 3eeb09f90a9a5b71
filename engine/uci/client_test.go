package uci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/enginetest"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/models"
)

// serveVariable makes the test binary a UCI engine: our own server around our own
// search.
const serveVariable = "ASSAY_TEST_SERVE"

// scratch holds what is built for the tests.
var scratch string

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(serve())
	}
	var err error
	if scratch, err = os.MkdirTemp("", "assay-uci"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func serve() int {
	f, err := models.Embedded("assay-start")
	if err != nil {
		return 1
	}
	m, w, err := f.Weights()
	if err != nil {
		return 1
	}
	ev, err := m.NewEvaluator(w)
	if err != nil {
		return 1
	}
	s := &Server{Name: "served", Author: "nobody", Player: search.New(ev, 1)}
	if s.Serve(context.Background(), os.Stdin, os.Stdout) != nil {
		return 1
	}
	return 0
}

var buildBad = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "badengine")
	out, err := exec.Command("go", "build", "-o", path, "./testdata/badengine").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

var marks atomic.Int64

// badCommand returns the command of the misbehaving engine, impatient as tests are.
// Its processes can be found by the mark.
func badCommand(t *testing.T, mode string) (c Command, mark string) {
	t.Helper()
	path, err := buildBad()
	if err != nil {
		t.Fatal(err)
	}
	mark = fmt.Sprintf("mark-%d-%d-", os.Getpid(), marks.Add(1))
	return Command{Path: path, Args: []string{mode, mark}, StartTimeout: 2 * time.Second, MoveTimeout: 400 * time.Millisecond}, mark
}

// openBad returns a client of the misbehaving engine. At the test's end it is closed,
// and nothing may be left of it.
func openBad(t *testing.T, mode string) *Client {
	t.Helper()
	command, mark := badCommand(t, mode)
	c := NewClient(command)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		noneLeft(t, mark)
	})
	return c
}

// noneLeft fails if a process with the mark among its arguments is running.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Log("no /proc: not looked whether processes are left behind")
		return
	}
	var left []string
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		left = nil
		for _, name := range lines {
			text, err := os.ReadFile(name)
			if err == nil && strings.Contains(string(text), mark) && os.Getpid() != pidOf(name) {
				left = append(left, strings.ReplaceAll(string(text), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
		lines, _ = filepath.Glob("/proc/[0-9]*/cmdline")
	}
	t.Errorf("left behind: %q", left)
}

func pidOf(name string) (pid int) {
	fmt.Sscanf(name, "/proc/%d/", &pid)
	return pid
}

// searchLimits are of a search that the misbehaving engine should answer at once.
var searchLimits = engine.Limits{MoveTime: 100 * time.Millisecond}

// What is tolerated costs nothing; what is not is an error of that search, in good
// time, and the next game is played by a fresh process.
func TestWhatEachModeCosts(t *testing.T) {
	const soon, timeout, slack = 300 * time.Millisecond, 500 * time.Millisecond, 1500 * time.Millisecond
	for _, tt := range []struct {
		mode   string
		search int           // that fails, from 1; 0: none; -1: it does not even start
		err    error         // that is wrapped
		says   string        // somewhere in the error
		takes  time.Duration // each search and its end, slack apart
	}{
		{"good", 0, nil, "", soon},
		{"uppercase", 0, nil, "", soon},
		{"late", 0, nil, "", soon},
		{"doubled", 0, nil, "", soon},
		{"doubled-late", 0, nil, "", soon},
		{"doubled,crlf,nul", 0, nil, "", soon},
		{"crlf", 0, nil, "", soon},
		{"nul", 0, nil, "", soon},
		{"long-line", 0, nil, "", soon},
		{"long-bestmove", 0, nil, "", soon},
		{"flood", 0, nil, "", soon},
		{"absurd", 0, nil, "", soon},
		{"stderr", 0, nil, "", soon},
		{"odd-options", 0, nil, "", soon},
		{"ignores-quit", 0, nil, "", soon},
		{"fork", 0, nil, "", soon},
		{"latin1", 0, nil, "", soon},
		{"chatter", 0, nil, "", soon},

		{"wrong-start", -1, ErrEnded, "exit status 7 (last on its error output: badengine: cannot find my network)", soon},
		{"no-uciok", -1, ErrTimeout, "no uciok within 400ms", timeout},
		{"no-readyok", -1, ErrTimeout, "no readyok within 400ms", timeout},
		{"crash", 1, ErrEnded, "exit status 2", soon},
		{"crash-later", 3, ErrEnded, "exit status 2", soon},
		{"fork-crash", 1, ErrTimeout, "no bestmove for \"go movetime 100\" within 500ms", timeout}, // its child holds the output
		{"exit", 1, ErrEnded, "no bestmove for \"go movetime 100\": it ended with exit status 3", soon},
		{"exit-ok", 1, ErrEnded, "exit status 0", soon},
		{"stdout-closed", 1, ErrEnded, "it closed its output", soon},
		{"hang", 1, ErrTimeout, "no bestmove for \"go movetime 100\" within 500ms", timeout},
		{"hang-later", 3, ErrTimeout, "no bestmove for \"go movetime 100\" within 500ms", timeout},
		{"deaf", 1, ErrTimeout, "no bestmove for \"go movetime 100\" within 500ms", timeout},
		{"too-late", 1, ErrTimeout, "no bestmove for \"go movetime 100\" within 500ms", timeout},
		{"flood-forever", 1, ErrTimeout, "no bestmove for \"go movetime 100\" after ", timeout},
		{"no-newline", 1, ErrTimeout, "no bestmove for \"go movetime 100\" after 30 nodes within 500ms", timeout},
		{"illegal", 1, board.ErrMove, `"e1e8"`, soon},
		{"garbage", 1, board.ErrMove, "bestmove", soon},
		{"empty", 1, board.ErrMove, `""`, soon},
		{"null", 1, board.ErrMove, `"0000"`, soon},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			c := openBad(t, tt.mode)
			if tt.err == ErrTimeout && tt.search < 0 {
				c.command.StartTimeout = 400 * time.Millisecond
			}
			for range 2 { // games
				failed, err := playSome(t, c, tt.takes+slack)
				if failed != tt.search {
					t.Fatalf("search %d failed, want %d (0 is none): %v", failed, tt.search, err)
				}
				if tt.search != 0 && (!errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.says)) {
					t.Errorf("error %v, want %v with %q", err, tt.err, tt.says)
				}
				if tt.search < 0 && !errors.Is(err, ErrStart) {
					t.Errorf("error %v does not wrap ErrStart", err)
				}
			}
			begun := time.Now()
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if took := time.Since(begun); took > quitTimeout+slack {
				t.Errorf("Close took %v", took)
			}
		})
	}
}

// playSome begins a game and searches four times. It returns the number of the search
// that failed, -1 where the game could not be begun.
func playSome(t *testing.T, c *Client, each time.Duration) (failed int, err error) {
	t.Helper()
	clock := func(what string, begun time.Time) {
		if took := time.Since(begun); took > each {
			t.Errorf("%s took %v, want at most %v", what, took, each)
		}
	}
	begun := time.Now()
	err = c.NewGame(1)
	clock("NewGame", begun)
	if err != nil {
		return -1, err
	}
	g := board.NewGame(board.StartPosition())
	for i := 1; i <= 4; i++ {
		begun := time.Now()
		r, err := c.Search(t.Context(), g, searchLimits)
		clock(fmt.Sprintf("search %d", i), begun)
		if err != nil {
			return i, err
		}
		if !g.Position().IsLegal(r.Move) || r.Score > engine.MateScore || r.Score < -engine.MateScore || len(r.PV) == 0 || r.PV[0] != r.Move {
			t.Fatalf("search %d: %+v", i, r)
		}
		g.Push(r.Move)
		reply := g.Position().LegalMoves(nil)
		g.Push(reply[len(reply)/2])
	}
	return 0, nil
}

// All modes together leave no thread, file or goroutine behind.
func TestNothingIsLeftOpen(t *testing.T) {
	files := openFiles(t)
	for range 10 {
		for _, mode := range []string{"good", "exit", "stdout-closed", "garbage", "wrong-start"} {
			c := openBad(t, mode)
			_, _ = playSome(t, c, time.Minute)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if now := openFiles(t); now > files+5 {
		t.Errorf("%d files are open, %d were before", now, files)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("needs /proc: %v", err)
	}
	return len(list)
}

func TestStartErrors(t *testing.T) {
	for _, tt := range []struct {
		command Command
		says    string
	}{
		{Command{Path: "/no/such/engine"}, "no such file"},
		{Command{Path: "no-such-engine-anywhere"}, "not found in $PATH"},
		{Command{Path: "/"}, "uci:"},
		{Command{Path: "/bin/sh", Args: []string{"-c", "read x; kill -SEGV $$"}}, "it crashed with signal: segmentation fault"},
		{Command{Path: "/bin/sh", Args: []string{"-c", "echo why >&2; exec cat"}, StartTimeout: 100 * time.Millisecond}, "no uciok within 100ms (last on its error output: why)"},
	} {
		c := NewClient(tt.command)
		if err := c.Start(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v: error %v, want one with %q", tt.command, err, tt.says)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Start(); !errors.Is(err, ErrClosed) {
			t.Errorf("start after close: %v", err)
		}
	}
}

// An engine that is healthy but without limits is stopped with the context, one that
// hangs is killed a second later.
func TestContextStopsAForeignSearch(t *testing.T) {
	for _, tt := range []struct {
		mode string
		err  error
	}{{"good", nil}, {"hang", ErrTimeout}} {
		c := openBad(t, tt.mode)
		if err := c.NewGame(1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		begun := time.Now()
		_, err := c.Search(ctx, board.NewGame(board.StartPosition()), engine.Limits{Infinite: true})
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: error %v, want %v", tt.mode, err, tt.err)
		}
		if took := time.Since(begun); took < 50*time.Millisecond || took > 3*time.Second {
			t.Errorf("%s: took %v", tt.mode, took)
		}
		cancel()
	}
}

// Our own engine over our own protocol is as good a player as without it.
func TestClientConforms(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(serveVariable, "1")
	enginetest.Conform(t, func() engine.Player {
		return NewClient(Command{Path: self, StartTimeout: 20 * time.Second, MoveTimeout: 20 * time.Second})
	})
}

// BenchmarkPly measures a move of an engine that answers at once: two processes'
// worth of pipes, and both sides' parsing.
func BenchmarkPly(b *testing.B) {
	path, err := buildBad()
	if err != nil {
		b.Fatal(err)
	}
	c := NewClient(Command{Path: path, Args: []string{"good"}})
	defer c.Close()
	g := board.NewGame(board.StartPosition())
	for b.Loop() {
		if len(g.Moves())%100 == 0 {
			g = board.NewGame(board.StartPosition())
			if err := c.NewGame(1); err != nil {
				b.Fatal(err)
			}
		}
		r, err := c.Search(b.Context(), g, searchLimits)
		if err != nil {
			b.Fatal(err)
		}
		g.Push(r.Move)
	}
}
