package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// fake plays the first legal move. Without limits it thinks until it is stopped, and
// with Nodes 666 it fails.
type fake struct {
	games int
	log   func(string)
}

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
	if f.log != nil {
		f.log(fmt.Sprintf("%+v", lim))
	}
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
		return engine.Result{}, errors.New("the player is ill")
	}
	if lim.Infinite || lim.Ponder {
		<-ctx.Done()
	}
	return r, nil
}

// gui drives a server over pipes.
type gui struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

func newGUI(t *testing.T, p engine.Player) *gui {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	g := &gui{t: t, in: inW, lines: make(chan string, 1000), done: make(chan error, 1)}
	go func() {
		s := &Server{Name: "test 1", Author: "nobody", Player: p}
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
	t.Cleanup(func() { inW.Close() })
	return g
}

func (g *gui) send(lines ...string) {
	g.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(g.in, l+"\n"); err != nil {
			g.t.Fatalf("sending %.40q: %v", l, err)
		}
	}
}

// expect reads up to a line that begins with the prefix and returns it.
func (g *gui) expect(prefix string) string {
	g.t.Helper()
	var seen []string
	timeout := time.After(10 * time.Second)
	for {
		select {
		case l, ok := <-g.lines:
			if !ok {
				g.t.Fatalf("no %q before the end, only %q", prefix, seen)
			}
			if strings.HasPrefix(l, prefix) {
				return l
			}
			seen = append(seen, l)
		case <-timeout:
			g.t.Fatalf("no %q, only %q", prefix, seen)
		}
	}
}

// ready makes sure that everything before was answered, by no line with the prefix.
func (g *gui) readyWithout(prefix string) {
	g.t.Helper()
	g.send("isready")
	for l := range g.lines {
		if l == "readyok" {
			return
		}
		if strings.HasPrefix(l, prefix) {
			g.t.Fatalf("unexpected %q", l)
		}
	}
}

func (g *gui) quit() {
	g.t.Helper()
	g.send("quit")
	select {
	case err := <-g.done:
		if err != nil {
			g.t.Errorf("Serve: %v", err)
		}
	case <-time.After(10 * time.Second):
		g.t.Fatal("quit is not obeyed")
	}
}

func TestConversation(t *testing.T) {
	p := &fake{}
	g := newGUI(t, p)
	g.send("uci")
	g.expect("id name test 1")
	g.expect("id author nobody")
	g.expect("option name Skill")
	g.expect("option name MultiPV")
	g.expect("option name Ponder")
	g.expect("option name UCI_Chess960")
	g.expect("uciok")
	g.send("debug on", "isready")
	g.expect("readyok")
	g.send("setoption name Skill value 3", "setoption name MultiPV value 2", "ucinewgame", "position startpos moves e2e4 e7e5", "go depth 3\r")
	if l := g.expect("info depth 1"); !strings.Contains(l, "score cp 25 nodes 29 nps") {
		t.Errorf("info line %q", l)
	}
	g.expect("bestmove")
	g.quit()
	if p.games != 2 {
		t.Errorf("%d new games, want one at the start and one asked for", p.games)
	}
}

func TestStopAndPonder(t *testing.T) {
	g := newGUI(t, &fake{})
	g.send("go infinite", "go depth 1")
	g.expect("info string ignored go: a search is running")
	g.send("setoption name Skill value 3")
	g.expect("info string ignored setoption: a search is running")
	g.send("ucinewgame")
	g.expect("info string ignored ucinewgame")
	g.readyWithout("bestmove")
	g.send("stop")
	g.expect("bestmove")
	g.send("stop")
	g.expect("info string ignored stop")

	g.send("go ponder wtime 1000 btime 1000")
	g.readyWithout("bestmove")
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
	g.quit()
}

func TestBadInput(t *testing.T) {
	tests := []struct {
		name, send, want string
	}{
		{"unknown command", "xyzzy now", `info string ignored the unknown command "xyzzy"`},
		{"control characters", "\x00\x01isready\x00", "readyok"},
		{"no FEN", "position fen", `info string refused position: "fen" is neither`},
		{"nothing", "position", "info string refused position: it goes"},
		{"no kings", "position fen 8/8/8/8/8/8/8/8 w - - 0 1", "info string refused position"},
		{"king can be taken", "position fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "info string refused position"},
		{"illegal move", "position startpos moves e2e4 e2e4", "info string refused position: move 2: not a legal move"},
		{"odd option", "setoption Hash 3", "info string ignored setoption: it goes"},
		{"unknown option", "setoption name Sanity value 3", "info string ignored setoption: option"},
		{"option out of range", "setoption name MultiPV value 0", "info string ignored setoption: MultiPV"},
		{"not a bool", "setoption name UCI_Chess960 value perhaps", "info string ignored setoption: UCI_Chess960"},
		{"no option", "setoption name value", "info string ignored setoption"},
		{"no number", "go depth", "info string ignored go: depth needs a number"},
		{"not a number", "go depth x movetime 5", `info string ignored go: depth: "x" is not a number`},
		{"negative", "go nodes -5 depth 1", "info string ignored go: nodes: -5 limits nothing"},
		{"unknown limit", "go fast depth 1", `info string ignored go: "fast" is unknown`},
		{"search of an illegal move", "go depth 1 searchmoves e2e5 d2d4", "info string ignored searchmoves: not a legal move"},
		{"failing player", "go nodes 666", "info string search: the player is ill"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGUI(t, &fake{})
			g.send(tt.send)
			g.expect(tt.want)
			g.send("stop")
			g.quit()
		})
	}
}

func TestRefusedPositionIsNotSearched(t *testing.T) {
	g := newGUI(t, &fake{})
	g.send("position startpos moves e2e5", "go depth 1")
	if l := g.expect("bestmove"); l != "bestmove 0000" {
		t.Errorf("%q for a position that was refused", l)
	}
	g.send("position startpos", "go depth 1")
	if l := g.expect("bestmove"); l == "bestmove 0000" {
		t.Error("no move for a good position after a refused one")
	}
	g.quit()
}

func TestLongLines(t *testing.T) {
	g := newGUI(t, &fake{})
	g.send("position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 300_000))
	g.expect("info string ignored a line of 6000024 bytes")
	g.send("position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 1000))
	g.readyWithout("info string")
	g.quit()
}

func TestEndOfInput(t *testing.T) {
	for _, last := range []string{"go depth 1", "go infinite", "go ponder wtime 5 btime 5", "go movetime 1\nquit"} {
		var out strings.Builder
		s := &Server{Name: "x", Author: "x", Player: &fake{}}
		if err := s.Serve(context.Background(), strings.NewReader("position startpos\n"+last), &out); err != nil {
			t.Errorf("%s: %v", last, err)
		}
		if !strings.Contains(out.String(), "bestmove ") {
			t.Errorf("%s, then the end: no bestmove in %q", last, out.String())
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
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Serve goes on after its context")
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
		{"searchmoves e2e4 d2d4", engine.Limits{Infinite: true, SearchMoves: []board.Move{board.NewMove(12, 28), board.NewMove(11, 27)}}},
		{"searchmoves e2e4 depth 4", engine.Limits{Depth: 4, SearchMoves: []board.Move{board.NewMove(12, 28)}}},
		{"wtime 60000 btime -3 winc 1000 binc 0 movestogo 12", engine.Limits{
			Clock: [2]time.Duration{time.Minute, time.Millisecond}, Increment: [2]time.Duration{time.Second, 0}, MovesToGo: 12}},
		{"ponder wtime 1 btime 2", engine.Limits{Ponder: true, Clock: [2]time.Duration{time.Millisecond, 2 * time.Millisecond}}},
		{"ponder", engine.Limits{Ponder: true, Infinite: true}},
		{"btime 1000", engine.Limits{Infinite: true, Clock: [2]time.Duration{0, time.Second}}},
		{"nodes 1000", engine.Limits{Nodes: 1000, HardNodes: true}},
		{"mate 3 movetime 500", engine.Limits{Mate: 3, MoveTime: 500 * time.Millisecond}},
		{"winc 5 binc 5", engine.Limits{Infinite: true, Increment: [2]time.Duration{5 * time.Millisecond, 5 * time.Millisecond}}},
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
	for v, want := range map[int]string{
		0: "cp 0", -312: "cp -312", engine.MaxScore: "cp 30000",
		engine.MateScore - 1: "mate 1", engine.MateScore - 3: "mate 2", engine.MateScore - 4: "mate 2",
		-engine.MateScore: "mate 0", -(engine.MateScore - 2): "mate -1", -(engine.MateScore - 4): "mate -2",
	} {
		if got := score(v); got != want {
			t.Errorf("score(%d) = %q, want %q", v, got, want)
		}
	}
}

func TestCastlingSpelling(t *testing.T) {
	const fen = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1"
	g := newGUI(t, &fake{})
	g.send(fen, "go depth 1 searchmoves e1g1")
	if l := g.expect("bestmove"); l != "bestmove e1g1" {
		t.Errorf("standard chess: %q", l)
	}
	g.send("setoption name UCI_Chess960 value true", fen, "go depth 1 searchmoves e1h1")
	if l := g.expect("bestmove"); l != "bestmove e1h1" {
		t.Errorf("Chess960: %q", l)
	}
	g.quit()
}

func FuzzServe(f *testing.F) {
	f.Add("uci\nisready\nposition startpos moves e2e4\ngo depth 1\nstop\nquit\n")
	f.Add("position fen 8/8/8/8/8/8/8/8 w - - 0 1\ngo wtime -1 searchmoves e2e4 infinite\nponderhit")
	f.Add("setoption name Skill value \nsetoption name value name value\ngo ponder\ngo\nucinewgame\nstop\n\x00")
	f.Fuzz(func(t *testing.T, input string) {
		s := &Server{Name: "x", Author: "x", Player: &fake{}}
		if err := s.Serve(context.Background(), strings.NewReader(input), io.Discard); err != nil {
			t.Errorf("%v", err)
		}
	})
}
