package uci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
)

// newTestPipes returns our ends of pipes, and the program's, until the end of the test.
func newTestPipes(t *testing.T) (ours [3]pipe, theirs [3]*os.File) {
	t.Helper()
	ours, theirs, err := newPipes()
	setup.Check(t, err)
	t.Cleanup(func() {
		closeAll(ours[:]...)
		closeAll(theirs[:]...)
	})
	return ours, theirs
}

func TestPipesCarryText(t *testing.T) {
	ours, theirs := newTestPipes(t)
	buf := make([]byte, 100)
	for i, ends := range []struct {
		from io.Writer
		to   io.Reader
	}{{ours[0], theirs[0]}, {theirs[1], ours[1]}, {theirs[2], ours[2]}} {
		if _, err := ends.from.Write([]byte("isready\n")); err != nil {
			t.Fatal(err)
		}
		if n, err := ends.to.Read(buf); err != nil || string(buf[:n]) != "isready\n" {
			t.Errorf("pipe %d: read %q, %v", i, buf[:n], err)
		}
	}
	theirs[0].Close()
	if _, err := ours[0].Write([]byte("go\n")); !isBrokenPipe(err) {
		t.Errorf("write to a closed input: %v, want a broken pipe", err)
	}
	theirs[1].Close()
	if n, err := ours[1].Read(buf); n != 0 || err != io.EOF {
		t.Errorf("read from a closed output: %d, %v, want io.EOF", n, err)
	}
}

// A deadline ends a read that waits with a later one or with none, and a read after it. Text that
// arrives after that is read under the next deadline.
func TestPipeReadDeadlines(t *testing.T) {
	ours, theirs := newTestPipes(t)
	buf := make([]byte, 100)
	for _, first := range []time.Time{{}, time.Now().Add(time.Hour)} {
		setup.Check(t, ours[1].SetReadDeadline(first))
		read := make(chan error)
		go func() {
			_, err := ours[1].Read(buf)
			read <- err
		}()
		select {
		case err := <-read:
			t.Fatalf("the read ended before its deadline: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
		setup.Check(t, ours[1].SetReadDeadline(time.Unix(1, 0)))
		for range 2 {
			if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("error %v, want that the deadline is exceeded", err)
			}
			go func() {
				_, err := ours[1].Read(buf)
				read <- err
			}()
		}
		<-read
	}
	start := time.Now()
	setup.Check(t, ours[1].SetReadDeadline(start.Add(10*time.Millisecond)))
	if _, err := ours[1].Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) < 10*time.Millisecond {
		t.Errorf("error %v after %v, want the deadline after 10 ms", err, time.Since(start))
	}
	setup.Check(t, ours[1].SetReadDeadline(time.Now().Add(time.Hour)))
	setup.Must(theirs[1].WriteString("readyok\n"))
	if n, err := ours[1].Read(buf); err != nil || string(buf[:n]) != "readyok\n" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	ours[1].Close()
	if err := ours[1].SetReadDeadline(time.Time{}); err == nil {
		t.Error("no error for the deadline of a closed pipe")
	}
}

// A program that does not read fills its input, and must not stop us for longer than the deadline.
func TestPipeWriteDeadline(t *testing.T) {
	ours, theirs := newTestPipes(t)
	text := bytes.Repeat([]byte("position\n"), 1<<17)
	setup.Check(t, ours[0].SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	written, err := ours[0].Write(text)
	if !errors.Is(err, os.ErrDeadlineExceeded) || written == 0 {
		t.Fatalf("wrote %d bytes, %v, want some and then the deadline", written, err)
	}
	read := make(chan int64)
	go func() {
		n, _ := io.Copy(io.Discard, theirs[0])
		read <- n
	}()
	setup.Check(t, ours[0].SetWriteDeadline(time.Time{}))
	if _, err := ours[0].Write(text[written:]); err != nil {
		t.Fatal(err)
	}
	ours[0].Close()
	if n := <-read; n != int64(len(text)) {
		t.Errorf("%d bytes arrived, want %d", n, len(text))
	}
}

// serveVariable makes the test binary a UCI engine: our server with our search.
const serveVariable = "ASSAY_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(serve())
	}
	os.Exit(testengine.Tests{M: m}.Run())
}

func serve() int {
	s := &Server{Name: "served", Author: "test", Player: realEngine()}
	if s.Serve(context.Background(), os.Stdin, os.Stdout) != nil {
		return 1
	}
	return 0
}

var marks atomic.Int64

// patient is longer than any wait in these tests on any machine. Where a timeout is
// meant to expire, a test sets a short one; how long waits are is tested on a fake clock
// in client_timeout_test.go.
const patient = 3 * time.Minute

// badCommand returns the command of the misbehaving engine. Its processes have the mark
// among their arguments.
func badCommand(t *testing.T, mode string) (c Command, mark string) {
	t.Helper()
	path := testengine.Build(t, "badengine")
	mark = fmt.Sprintf("mark-%d-%d-", os.Getpid(), marks.Add(1))
	return Command{Path: path, Args: []string{mode, mark}, StartTimeout: patient, MoveTimeout: patient}, mark
}

// openBad returns a client of the misbehaving engine. At the test's end it closes the
// client and checks that no process is left.
func openBad(t *testing.T, mode string) *Client {
	t.Helper()
	command, mark := badCommand(t, mode)
	c := NewClient(command)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		testengine.NoneLeft(t, mark)
	})
	return c
}

// searchLimits are of a search that the misbehaving engine should answer at once.
var searchLimits = engine.Limits{MoveTime: time.Millisecond}

// A fault is an error of that search alone, and a fresh process plays the next game. The tests of selfplay have all
// harmless ones.
func TestMisbehavingEngines(t *testing.T) {
	for _, tt := range []struct {
		mode   string
		search int    // the first that fails, from 1; 0: none; -1: NewGame fails
		err    error  // that is wrapped
		says   string // a part of the error
	}{
		{"doubled,crlf,nul", 0, nil, ""},
		{"fork-session,crash", 1, errEnded, "exit status 2"},
		{"fork-clean,hang", 1, engine.ErrTimeout, "no bestmove"},

		{"wrong-start", -1, errEnded, "exit status 7 (last on its error output: badengine: cannot find my network)"},
		{"no-uciok", -1, engine.ErrTimeout, "no uciok within 20ms"},
		{"crash", 1, errEnded, "exit status 2"},
		{"crash-later", 3, errEnded, "exit status 2"},
		{"fork-crash", 1, errEnded, "exit status 2"}, // its child holds the output
		{"exit", 1, errEnded, "no bestmove for \"go movetime 1\": it ended with exit status 3"},
		{"exit-ok", 1, errEnded, "exit status 0"},
		{"stdout-closed", 1, errEnded, "it closed its output"},
		{"hang", 1, engine.ErrTimeout, "no bestmove for \"go movetime 1\" within 21ms"},
		{"hang-later", 3, engine.ErrTimeout, "no bestmove for \"go movetime 1\" within 21ms"},
		{"deaf", 1, engine.ErrTimeout, "no bestmove for \"go movetime 1\" within 21ms"},
		{"flood-forever", 1, engine.ErrTimeout, "no bestmove for \"go movetime 1\""},
		{"illegal", 1, board.ErrMove, `"e1e8"`},
		{"garbage", 1, board.ErrMove, "bestmove"},
		{"empty", 1, board.ErrMove, `""`},
		{"null", 1, board.ErrMove, `"0000"`},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			c := openBad(t, tt.mode)
			c.quitTimeout = 20 * time.Millisecond // for those that do not quit
			timeoutAt := 0
			if tt.err == engine.ErrTimeout {
				timeoutAt = tt.search
			}
			for range 2 { // games
				failed, err := playSome(t, c, timeoutAt)
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
		})
	}
}

// playSome starts a game and searches four times. It returns the number of the search
// that failed, -1 if the game did not start. The search of the number timeoutAt has a
// short timeout; -1 is the start.
func playSome(t *testing.T, c *Client, timeoutAt int) (failed int, err error) {
	t.Helper()
	const short = 20 * time.Millisecond
	c.command.StartTimeout, c.command.MoveTimeout = patient, patient
	if timeoutAt < 0 {
		c.command.StartTimeout = short
	}
	if err = c.NewGame(1); err != nil {
		return -1, err
	}
	g := board.NewGame(board.StartPosition())
	for i := 1; i <= 4; i++ {
		if i == timeoutAt {
			c.command.MoveTimeout = short
		}
		r, err := c.Search(t.Context(), g, searchLimits)
		if err != nil {
			return i, err
		}
		if !g.Position().IsLegal(r.Move) || r.Score > engine.MateScore || r.Score < -engine.MateScore ||
			len(r.PV) == 0 || r.PV[0] != r.Move {
			t.Fatalf("search %d: %+v", i, r)
		}
		g.Push(r.Move)
		reply := g.Position().LegalMoves(nil)
		g.Push(reply[len(reply)/2])
	}
	return 0, nil
}

// Closed clients leave no open file, whatever the engine did.
func TestClosedClientsLeaveNoFiles(t *testing.T) {
	files := openFiles(t)
	for range 6 { // one file left by one mode is more than the slack below
		for _, mode := range []string{"good", "exit", "stdout-closed", "garbage", "wrong-start"} {
			c := openBad(t, mode)
			_, _ = playSome(t, c, 0)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if now := openFiles(t); now > files+5 {
		t.Errorf("%d files are open, %d before", now, files)
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
		{Command{Path: "/bin/sh", Args: []string{"-c", "read x; kill -SEGV $$"}},
			"it crashed with signal: segmentation fault"},
		{Command{Path: "/bin/sh", Args: []string{"-c", "echo why >&2; exec cat"}, StartTimeout: 20 * time.Millisecond},
			"no uciok within 20ms"},
	} {
		c := NewClient(tt.command)
		if err := c.Start(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v: error %v, want one with %q", tt.command, err, tt.says)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Start(); !errors.Is(err, errClosed) {
			t.Errorf("start after close: %v", err)
		}
	}
}

// Our own engine behind our own server passes the tests of a player.
func TestClientConforms(t *testing.T) {
	self := setup.Must(os.Executable())
	t.Setenv(serveVariable, "1")
	enginetest.Conform(t, func() engine.Player {
		return NewClient(Command{Path: self, StartTimeout: patient, MoveTimeout: patient})
	}, enginetest.Remote)
}
