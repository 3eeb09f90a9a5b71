package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// engineProcess is assay uci at the other end of real pipes.
type engineProcess struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	stderr bytes.Buffer
}

func startEngine(t *testing.T, args ...string) *engineProcess {
	t.Helper()
	e := &engineProcess{t: t, cmd: exec.Command("assay", append([]string{"uci"}, args...)...), lines: make(chan string, 100_000)}
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.cmd.Stderr = &e.stderr
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	go func() {
		defer close(e.lines)
		for r := bufio.NewReader(out); ; {
			l, err := r.ReadString('\n')
			if l != "" {
				e.lines <- strings.TrimSuffix(l, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return e
}

func (e *engineProcess) send(text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, text); err != nil {
		e.t.Fatalf("sending %.40q: %v\n%s", text, err, &e.stderr)
	}
}

// expect returns the lines up to one that begins with the prefix.
func (e *engineProcess) expect(prefix string) (lines []string) {
	e.t.Helper()
	end := time.After(20 * time.Second)
	for {
		select {
		case l, ok := <-e.lines:
			if !ok {
				e.t.Fatalf("no %q before the end, only %q\n%s", prefix, lines, &e.stderr)
			}
			if lines = append(lines, l); strings.HasPrefix(l, prefix) {
				return lines
			}
		case <-end:
			e.t.Fatalf("no %q, only %q", prefix, lines)
		}
	}
}

// ends waits for the process, which must end well and soon.
func (e *engineProcess) ends() {
	e.t.Helper()
	timer := time.AfterFunc(20*time.Second, func() { _ = e.cmd.Process.Kill() })
	defer timer.Stop()
	for range e.lines {
	}
	if err := e.cmd.Wait(); err != nil || e.stderr.Len() > 0 {
		e.t.Errorf("the engine ends with %v\n%s", err, &e.stderr)
	}
}

// What no GUI should say, through real pipes: each session ends with a working engine.
func TestUCIBadInput(t *testing.T) {
	const start = "position startpos\n"
	for _, tt := range []struct{ name, send, want string }{
		{"unknown command", "xyzzy\n", `info string ignored the unknown command "xyzzy"`},
		{"CRLF", "position startpos moves e2e4\r\ngo depth 1\r\n", "bestmove "},
		{"NUL bytes", "\x00go\x00 depth 1\x00\n", "bestmove "},
		{"nothing but NUL bytes", strings.Repeat("\x00", 70_000) + "\nisready\n", "readyok"},
		{"bytes that are no text", "\xff\xfe\x80 go\n", "info string ignored the unknown command"},
		{"5 MB without a blank", strings.Repeat("x", 5<<20) + "\n", "info string ignored a line of 5242881 bytes"},
		{"5 MB of moves", "position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 1<<18) + "\ngo depth 1\n", "bestmove 0000"},
		{"a FEN of 5 MB", "position fen " + strings.Repeat("8/", 5<<19) + " w - - 0 1\n", "info string ignored a line"},
		{"a FEN of 900 KB", "position fen " + strings.Repeat("8/", 450_000) + " w - - 0 1\n", "info string refused position"},
		{"a long game", "position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 12_000) + "\ngo depth 1\n", "bestmove "},
		{"no kings", "position fen 8/8/8/8/8/8/8/8 w - - 0 1\n", "info string refused position"},
		{"three kings", "position fen kkk5/8/8/8/8/8/8/K7 w - - 0 1\n", "info string refused position"},
		{"pawns on the last rank", "position fen P3k3/8/8/8/8/8/8/4K2p w - - 0 1\n", "info string refused position"},
		{"a king that can be taken", "position fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1\n", "info string refused position"},
		{"nine ranks", "position fen 4k3/8/8/8/8/8/8/8/4K3 w - - 0 1\n", "info string refused position"},
		{"castling without a rook", "position fen 4k3/8/8/8/8/8/8/4K3 w K - 0 1\ngo depth 1\n", "info string refused position"},
		{"numbers out of range", "position fen 4k3/8/8/8/8/8/8/4K3 w - - 99999999999999999999 -5\n", "info string refused position"},
		{"a refused position is not searched", "position startpos moves e2e5\ngo depth 1\n", "bestmove 0000"},
		{"a move that is not legal", "position startpos moves e2e4 e7e5 e1e3\n", "info string refused position: move 3: not a legal move"},
		{"a null move", "position startpos moves 0000\n", "info string refused position: move 1: not a legal move"},
		{"checkmate", "position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1\ngo movetime 10\n", "bestmove 0000"},
		{"Hash too large", "setoption name Hash value 99999999\n", "info string ignored setoption: option Hash"},
		{"Hash of nothing", "setoption name Hash value 0\n", "info string ignored setoption: option Hash"},
		{"Hash is no number", "setoption name Hash value lots\n", "info string ignored setoption: option Hash"},
		{"Hash without a value", "setoption name Hash\n", "info string ignored setoption: option Hash"},
		{"Move Overhead out of range", "setoption name Move Overhead value -1\n", "info string ignored setoption: option Move Overhead"},
		{"MultiPV out of range", "setoption name MultiPV value 257\n", "info string ignored setoption: MultiPV"},
		{"an option that is none", "setoption name Contempt value 5\n", `info string ignored setoption: option "Contempt" is unknown`},
		{"setoption alone", "setoption\n", "info string ignored setoption"},
		{"weights that are not there", "setoption name EvalFile value no/such/file.json\n", "info string ignored setoption: option EvalFile: open no/such/file.json"},
		{"weights without an end", "setoption name EvalFile value /dev/zero\n", "info string ignored setoption: option EvalFile: /dev/zero"},
		{"stop without go", "stop\n", "info string ignored stop"},
		{"ponderhit without go", "ponderhit\n", "info string ignored ponderhit"},
		{"go twice", start + "go infinite\ngo depth 1\n", "info string ignored go: a search is running"},
		{"an option during a search", start + "go infinite\nsetoption name Hash value 1\n", "info string ignored setoption: a search is running"},
		{"a new game during a search", start + "go infinite\nucinewgame\n", "info string ignored ucinewgame: a search is running"},
		{"a clock that has run out", start + "go wtime -500 btime -500 winc -1\n", "bestmove "},
		{"a clock beyond counting", start + "go wtime 99999999999999999999 depth 2\n", "info string ignored go: wtime"},
		{"a million moves to go", start + "go wtime 100 movestogo 1000000\n", "bestmove "},
		{"go without a number", start + "go depth\n", "info string ignored go: depth needs a number"},
		{"moves to search that are not legal", start + "go depth 1 searchmoves e2e5 a1a8\n", "info string ignored searchmoves: not a legal move"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := startEngine(t, "--player", "assay:hash=1")
			e.send(tt.send)
			e.expect(tt.want)
			e.send("stop\nisready\n")
			e.expect("readyok")
			e.send("position startpos moves e2e4\ngo depth 2\n")
			if l := e.expect("bestmove "); l[len(l)-1] == "bestmove 0000" {
				t.Errorf("no move afterwards: %q", l)
			}
			e.send("quit\n")
			e.ends()
		})
	}
}

// Whatever is being done, the engine ends at once when it is told to, or left alone.
func TestUCIEnds(t *testing.T) {
	for _, tt := range []struct {
		name, send string
		answers    int
	}{
		{"quit at once", "quit\n", 0},
		{"quit during a search", "go infinite\nquit\n", 1},
		{"quit while pondering", "go ponder wtime 1000 btime 1000\nquit\n", 1},
		{"quit on a clock", "go wtime 3600000 btime 3600000\nquit\n", 1},
		{"commands after quit", "quit\ngo depth 1\nisready\n", 0},
		{"nothing said", "", 0},
		{"the end during a search", "go infinite\n", 1},
		{"the end while pondering", "go ponder wtime 1000 btime 1000\n", 1},
		{"the end, with the other side's clock alone", "go btime 1000\n", 1},
		{"the end after ponderhit without a clock", "go ponder\nponderhit\n", 1},
		{"the end within a line", "isready\ngo dep", 1},
		{"the end during a search with limits", "go depth 6", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := startEngine(t, "--player", "assay:hash=1")
			go func() { // who has quit need not read what follows
				_, _ = io.WriteString(e.in, tt.send)
				_ = e.in.Close()
			}()
			answers := 0
			end := time.After(20 * time.Second)
			for open := true; open; {
				select {
				case l, ok := <-e.lines:
					if open = ok; strings.HasPrefix(l, "bestmove ") {
						answers++
					}
				case <-end:
					t.Fatal("the engine goes on")
				}
			}
			if e.ends(); answers != tt.answers {
				t.Errorf("%d answers, want %d", answers, tt.answers)
			}
		})
	}
}

// A GUI that died reads no more: the engine must not go on for ever.
func TestUCIReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("assay", "uci", "--player", "assay:hash=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.Close()
	if _, err := io.WriteString(in, "go infinite\nisready\n"); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !timer.Stop() {
		t.Fatal("the engine goes on though nobody listens")
	}
	if err == nil {
		t.Error("an engine that could not answer has ended well")
	}
}
