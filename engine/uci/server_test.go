package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// fake plays the first legal move. Without limits it thinks until it is stopped, and
// with Nodes 666 it fails.
type fake struct{ games int }

func (f *fake) NewGame(uint64) error { f.games++; return nil }
func (f *fake) Close() error         { return nil }
func (f *fake) Options() []string {
	return []string{"option name Skill type spin default 1 min 1 max 9"}
}

func (f *fake) SetOption(name, value string) error {
	if name != "Skill" {
		return fmt.Errorf("option %q is unknown", name)
	}
	return nil
}

func (f *fake) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	moves := g.Position().LegalMoves(nil)
	if len(moves) == 0 {
		return engine.Result{}, nil
	}
	r := engine.Result{Move: moves[0], Score: 25, Depth: 1, Nodes: uint64(len(moves)), PV: moves[:1]}
	if len(lim.SearchMoves) > 0 {
		r.Move = lim.SearchMoves[0]
	}
	if lim.Info != nil {
		lim.Info(engine.Info{Depth: 1, MultiPV: 1, Score: 25, Nodes: r.Nodes, Time: time.Millisecond, PV: r.PV})
	}
	if lim.Nodes == 666 {
		return engine.Result{}, errors.New("the player failed")
	}
	if lim.Infinite || lim.Ponder {
		<-ctx.Done()
	}
	return r, nil
}

// gui drives a server over pipes. Waits have no timeout: in the bubble of talk, a wait
// that cannot end fails the test at once.
type gui struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

// talk starts a server of the player in a bubble of testing/synctest, runs the
// conversation and quits.
func talk(t *testing.T, p engine.Player, conversation func(g *gui)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		g := &gui{t: t, in: inW, lines: make(chan string, 1000), done: make(chan error, 1)}
		go func() {
			s := &Server{Name: "test 1", Author: "the author", Player: p}
			err := s.Serve(context.Background(), inR, outW)
			outW.Close()
			inR.Close()
			g.done <- err
		}()
		go func() {
			defer close(g.lines)
			for sc := bufio.NewScanner(outR); sc.Scan(); {
				g.lines <- sc.Text()
			}
		}()
		defer inW.Close()
		conversation(g)
		g.send("quit")
		if err := <-g.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func (g *gui) send(lines ...string) {
	g.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(g.in, l+"\n"); err != nil {
			g.t.Fatalf("sending %.40q: %v", l, err)
		}
	}
}

// collect reads up to a line that begins with the prefix and returns all lines.
func (g *gui) collect(prefix string) (lines []string) {
	g.t.Helper()
	for l := range g.lines {
		if lines = append(lines, l); strings.HasPrefix(l, prefix) {
			return lines
		}
	}
	g.t.Fatalf("no %q before the end, only %q", prefix, lines)
	return nil
}

// expect reads up to a line that begins with the prefix and returns it.
func (g *gui) expect(prefix string) string {
	g.t.Helper()
	lines := g.collect(prefix)
	return lines[len(lines)-1]
}

// quiet waits until the server and its search wait too. Until then no line may begin with
// the prefix.
func (g *gui) quiet(prefix string) {
	g.t.Helper()
	synctest.Wait()
	for {
		select {
		case l := <-g.lines:
			if strings.HasPrefix(l, prefix) {
				g.t.Fatalf("unexpected %q", l)
			}
		default:
			return
		}
	}
}

func TestConversation(t *testing.T) {
	p := &fake{}
	talk(t, p, func(g *gui) {
		g.send("uci")
		g.expect("id name test 1")
		g.expect("id author the author")
		g.expect("option name Skill")
		g.expect("option name MultiPV")
		g.expect("option name Ponder")
		g.expect("option name UCI_Chess960")
		g.expect("uciok")
		g.send("debug on", "isready")
		g.expect("readyok")
		g.send("setoption name Skill value 3", "setoption name MultiPV value 2", "ucinewgame",
			"position startpos moves e2e4 e7e5", "go depth 3\r")
		if l := g.expect("info depth 1"); !strings.Contains(l, "score cp 25 nodes 29 nps 29000 hashfull 0 time 1 pv ") {
			t.Errorf("info line %q", l)
		}
		g.expect("bestmove")
	})
	if p.games != 2 {
		t.Errorf("%d new games, want one at the start and one asked for", p.games)
	}
}

func TestStopAndPonder(t *testing.T) {
	talk(t, &fake{}, func(g *gui) {
		g.send("go infinite", "isready")
		g.expect("readyok")
		g.quiet("bestmove")
		g.send("stop")
		g.expect("bestmove")
		g.send("stop")
		g.expect("info string ignored stop")

		g.send("go ponder wtime 1000 btime 1000")
		g.quiet("bestmove")
		g.send("ponderhit")
		g.expect("bestmove")
		g.send("ponderhit")
		g.expect("info string ignored ponderhit")
		g.send("go ponder wtime 1000 btime 1000", "stop")
		g.expect("bestmove")
		// A position may come while the search of another runs.
		g.send("go infinite", "position fen 7k/8/8/8/8/8/8/K7 b - - 0 1", "stop")
		if l := g.expect("bestmove"); strings.Contains(l, "h8") {
			t.Errorf("the running search answered for the next position: %q", l)
		}
	})
}

// A server survives whatever a GUI should not send: it says what it ignores, and plays on.
func TestBadInput(t *testing.T) {
	const start = "position startpos\n"
	e := realEngine()
	for _, tt := range []struct{ name, send, want string }{
		{"unknown command", "xyzzy now", `info string ignored the unknown command "xyzzy"`},
		{"CRLF", "position startpos moves e2e4\r\ngo depth 1\r", "bestmove "},
		{"control characters", "\x00\x01isready\x00", "readyok"},
		{"NUL bytes", "\x00go\x00 depth 1\x00", "bestmove "},
		{"only NUL bytes", strings.Repeat("\x00", 70_000) + "\nisready", "readyok"},
		{"bytes that are not UTF-8", "\xff\xfe\x80 go", "info string ignored the unknown command"},
		{"5 MB without a space", strings.Repeat("x", 5<<20), "info string ignored a line of more than 1048576 bytes"},
		{"5 MB of moves", "position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 1<<18) + "\ngo depth 1",
			"bestmove 0000"},
		{"a FEN of 5 MB", "position fen " + strings.Repeat("8/", 5<<19) + " w - - 0 1", "info string ignored a line"},
		{"a FEN of 900 KB", "position fen " + strings.Repeat("8/", 450_000) + " w - - 0 1", "info string refused position"},
		{"5 MB behind a position", start + strings.Repeat("go ", 2<<20) + "\ngo depth 1", "info depth 1"},
		{"a long game", "position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 12_000) + "\ngo depth 1",
			"info depth 1"},

		{"no position", "position", "info string refused position: want position"},
		{"no FEN", "position fen", `info string refused position: "fen" is not`},
		{"no kings", "position fen 8/8/8/8/8/8/8/8 w - - 0 1", "info string refused position"},
		{"an illegal move", "position startpos moves e2e4 e7e5 e1e3",
			"info string refused position: move 3: not a legal move"},
		{"a refused position is not searched", "position startpos moves e2e5\ngo depth 1", "bestmove 0000"},
		{"a null move", "position startpos moves 0000", "info string refused position: move 1: not a legal move"},
		{"checkmate", "position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1\ngo movetime 10", "bestmove 0000"},

		{"setoption alone", "setoption", "info string ignored setoption: want setoption name"},
		{"setoption without name", "setoption Hash 3", "info string ignored setoption: want setoption name"},
		{"an option without a name", "setoption name value", "info string ignored setoption"},
		{"an unknown option", "setoption name Contempt value 5",
			`info string ignored setoption: option "Contempt" is unknown`},
		{"Hash without a value", "setoption name Hash", "info string ignored setoption: option Hash"},
		{"Move Overhead out of range", "setoption name Move Overhead value -1",
			"info string ignored setoption: option Move Overhead"},
		{"MultiPV too small", "setoption name MultiPV value 0", "info string ignored setoption: MultiPV"},
		{"MultiPV too large", "setoption name MultiPV value 257", "info string ignored setoption: MultiPV"},
		{"not a boolean", "setoption name UCI_Chess960 value perhaps", "info string ignored setoption: UCI_Chess960"},

		{"stop without go", "stop", "info string ignored stop"},
		{"ponderhit without go", "ponderhit", "info string ignored ponderhit"},
		{"go twice", start + "go infinite\ngo depth 1", "info string ignored go: a search is running"},
		{"an option during a search", start + "go infinite\nsetoption name Hash value 1",
			"info string ignored setoption: a search is running"},
		{"a new game during a search", start + "go infinite\nucinewgame",
			"info string ignored ucinewgame: a search is running"},
		{"go without a number", "go depth", "info string ignored go: depth needs a number"},
		{"not a number", "go depth x nodes 5", `info string ignored go: depth: "x" is not a number`},
		{"a negative number", "go nodes -5 depth 1", "info string ignored go: nodes: -5 is not a limit"},
		{"an unknown limit", "go fast depth 1", `info string ignored go: "fast" is unknown`},
		{"a time out of range", "go wtime 99999999999999999999 depth 2", "info string ignored go: wtime"},
		{"a clock that has run out", start + "go wtime -500 btime -500 winc -1 depth 1", "bestmove "},
		{"a million moves to go", start + "go wtime 100 movestogo 1000000 depth 1", "bestmove "},
		{"an illegal move to search", "go depth 1 searchmoves e2e5 d2d4",
			"info string ignored searchmoves: not a legal move"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			talk(t, e, func(g *gui) {
				g.send(tt.send)
				g.expect(tt.want)
				g.send("stop", "isready")
				g.collect("readyok")
				g.send("position startpos moves e2e4", "go depth 2")
				if l := g.expect("bestmove "); l == "bestmove 0000" {
					t.Errorf("no move afterwards: %q", l)
				}
			})
		})
	}
}

func TestFailingPlayer(t *testing.T) {
	talk(t, &fake{}, func(g *gui) {
		g.send("go nodes 666")
		g.expect("info string search: the player failed")
		g.expect("bestmove 0000")
	})
}

// Serve ends with quit or the end of its input. Every search before that has its
// bestmove, and commands after quit are not executed.
func TestEndOfInput(t *testing.T) {
	for _, tt := range []struct {
		input   string
		answers int
	}{
		{"quit\n", 0},
		{"", 0},
		{"isready\ngo dep", 1},
		{"go depth 1", 1},
		{"go depth 6\n", 1},
		{"go infinite", 1},
		{"go mate 9", 1}, // there is none
		{"go mate 9 depth 4", 1},
		{"go infinite\nquit\n", 1},
		{"go ponder wtime 5 btime 5", 1},
		{"go ponder wtime 1000 btime 1000\nquit\n", 1},
		{"go ponder\nponderhit\n", 1},
		{"go wtime 3600000 btime 3600000\nquit\n", 1},
		{"go btime 10\n", 1}, // one clock alone is for both
		{"go movetime 1\nquit", 1},
		{"quit\ngo depth 1\nisready\n", 0},
	} {
		for name, p := range map[string]engine.Player{"fake": &fake{}, "real": realEngine()} {
			var out strings.Builder
			s := &Server{Name: "x", Author: "x", Player: p}
			if err := s.Serve(context.Background(), strings.NewReader("position startpos\n"+tt.input),
				&out); err != nil {
				t.Errorf("%q: %v", tt.input, err)
			}
			if n := strings.Count(out.String(), "bestmove "); n != tt.answers {
				t.Errorf("%s player, %q: %d answers, want %d, in %q", name, tt.input, n, tt.answers, out.String())
			}
		}
	}
}

func TestContextEndsServe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	done := make(chan error, 1)
	go func() {
		done <- (&Server{Name: "x", Author: "x", Player: &fake{}}).Serve(ctx, r, io.Discard)
	}()
	if _, err := io.WriteString(w, "go infinite\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestBrokenOutput(t *testing.T) {
	s := &Server{Name: "x", Author: "x", Player: &fake{}}
	err := s.Serve(context.Background(), strings.NewReader("go infinite\nisready\nisready\n"), brokenPipe{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want the broken pipe's", err)
	}
}

func TestGoLimits(t *testing.T) {
	p := board.StartPosition()
	tests := []struct {
		args string
		want engine.Limits
	}{
		{"", engine.Limits{Infinite: true}},
		{"searchmoves e2e4 d2d4", engine.Limits{Infinite: true,
			SearchMoves: []board.Move{board.NewMove(12, 28), board.NewMove(11, 27)}}},
		{"searchmoves e2e4 depth 4", engine.Limits{Depth: 4, SearchMoves: []board.Move{board.NewMove(12, 28)}}},
		{"wtime 60000 btime -3 winc 1000 binc 0 movestogo 12", engine.Limits{
			Clock:     [2]time.Duration{time.Minute, time.Millisecond},
			Increment: [2]time.Duration{time.Second, 0}, MovesToGo: 12}},
		{"ponder wtime 1 btime 2", engine.Limits{Ponder: true,
			Clock: [2]time.Duration{time.Millisecond, 2 * time.Millisecond}}},
		{"ponder", engine.Limits{Ponder: true, Infinite: true}},
		{"btime 1000", engine.Limits{Clock: [2]time.Duration{time.Second, time.Second}}},
		{"nodes 1000", engine.Limits{Nodes: 1000, HardNodes: true}},
		{"mate 3 movetime 500", engine.Limits{Mate: 3, MoveTime: 500 * time.Millisecond}},
		{"winc 5 binc 5", engine.Limits{Infinite: true,
			Increment: [2]time.Duration{5 * time.Millisecond, 5 * time.Millisecond}}},
		{"movetime 9223372036854775807", engine.Limits{MoveTime: 365 * 24 * time.Hour}},
	}
	for _, tt := range tests {
		got, remarks := parseGo(strings.Fields(tt.args), &p)
		if fmt.Sprint(got) != fmt.Sprint(tt.want) || len(remarks) != 0 {
			t.Errorf("go %s: %+v %q, want %+v", tt.args, got, remarks, tt.want)
		}
	}
}

func TestScores(t *testing.T) {
	for v, want := range map[engine.Score]string{
		0: "cp 0", -312: "cp -312", engine.MaxScore: "cp 30000",
		engine.MateScore - 1: "mate 1", engine.MateScore - 3: "mate 2", engine.MateScore - 4: "mate 2",
		-engine.MateScore: "mate 0", -(engine.MateScore - 2): "mate -1", -(engine.MateScore - 4): "mate -2",
	} {
		if got := score(v); got != want {
			t.Errorf("score(%d) = %q, want %q", v, got, want)
		}
	}
}
