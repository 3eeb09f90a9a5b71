package uci

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

// realEngine returns the modern engine, to test what the server passes on.
func realEngine() *search.Engine {
	m, w, err := setup.Must(models.Embedded("assay-start")).Weights()
	if err != nil {
		panic(err)
	}
	return search.New(setup.Must(m.NewEvaluator(w)), 1)
}

const (
	boardMiddlegame = "position fen r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"
	boardExhausted  = "position fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
)

// After ponderhit the search continues: no depth is reported twice.
func TestPonderHitContinuesTheSearch(t *testing.T) {
	talk(t, realEngine(), func(g *gui) {
		g.send(boardMiddlegame, "go ponder depth 9")
		lines := g.collect("info depth 4")
		g.send("ponderhit")
		seen := map[string]bool{}
		for _, l := range append(lines, g.collect("bestmove")...) {
			if depth, _, ok := strings.Cut(l, " seldepth"); ok && !strings.Contains(l, "bound") {
				if seen[depth] {
					t.Errorf("%q came twice: the search has started again", depth)
				}
				seen[depth] = true
			}
		}
		if !seen["info depth 9"] {
			t.Error("no line of depth 9")
		}
		g.send("ponderhit")
		g.expect("info string ignored ponderhit")
	})
}

// Whatever its limits, an infinite search answers only after stop, and pondering only
// after ponderhit or stop.
func TestNoAnswerBeforeStop(t *testing.T) {
	talk(t, realEngine(), func(g *gui) {
		for _, position := range []string{boardExhausted, "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"} {
			for _, goes := range []string{"go infinite", "go", "go infinite depth 1 movetime 1", "go ponder wtime 1 " +
				"btime 1 depth 1", "go ponder movetime 1", "go ponder infinite", "go searchmoves g6g7"} {
				g.send(position, goes)
				g.quiet("bestmove")
				g.send("stop")
				g.expect("bestmove")
			}
		}
		g.send(boardExhausted, "go ponder depth 1")
		g.quiet("bestmove")
		g.send("ponderhit")
		g.expect("bestmove")
		// After ponderhit, infinite still holds.
		g.send("go ponder infinite", "ponderhit")
		g.quiet("bestmove")
		g.send("stop")
		g.expect("bestmove")
	})
}

func TestMultiPVLines(t *testing.T) {
	talk(t, realEngine(), func(g *gui) {
		g.send("setoption name MultiPV value 3", boardMiddlegame, "go depth 5")
		lines := g.collect("bestmove")
		want := regexp.MustCompile(`^info depth 5 .* multipv (\d) score cp (-?\d+) .* pv (\S+)`)
		var firsts []string
		for _, l := range lines {
			if m := want.FindStringSubmatch(l); m != nil {
				if m[1] != fmt.Sprint(len(firsts)+1) || slices.Contains(firsts, m[3]) {
					t.Errorf("line %q after %q", l, firsts)
				}
				firsts = append(firsts, m[3])
			}
		}
		if len(firsts) != 3 || !strings.HasPrefix(lines[len(lines)-1]+" ", "bestmove "+firsts[0]+" ") {
			t.Errorf("lines begin with %q, then %q", firsts, lines[len(lines)-1])
		}
		// Fewer moves than lines.
		g.send("go depth 3 searchmoves d4c5 c4d5 a2a3")
		if n := strings.Count(strings.Join(g.collect("bestmove"), "\n"), "info depth 3 "); n != 2 {
			t.Errorf("%d lines for two legal moves", n)
		}
	})
}

func TestChess960OverUCI(t *testing.T) {
	const fen = "position fen 1r3k1r/5p2/8/8/8/8/5P2/1R3K1R w HBhb - 0 1"
	talk(t, realEngine(), func(g *gui) {
		g.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "go depth 1 searchmoves e1g1")
		if l := g.expect("bestmove"); !strings.HasPrefix(l, "bestmove e1g1") {
			t.Errorf("castling of standard chess is %q", l)
		}
		g.send("setoption name UCI_Chess960 value true", fen, "go depth 1 searchmoves f1h1")
		if l := g.expect("bestmove"); !strings.HasPrefix(l, "bestmove f1h1") {
			t.Errorf("castling is %q", l)
		}
		g.send(fen+" moves f1h1 f8b8", "go depth 4")
		g.expect("info depth 4")
		g.expect("bestmove")
		// The same squares without castling, where the king goes to g1 by itself.
		g.send(fen, "go depth 1 searchmoves f1g1")
		if l := g.expect("bestmove"); !strings.HasPrefix(l, "bestmove f1g1") {
			t.Errorf("a king's move is %q", l)
		}
	})
}

func TestNothingToPlay(t *testing.T) {
	for fen, want := range map[string]string{
		"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1": "info depth 0 seldepth 0 multipv 1 score mate 0 ",
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1":    "info depth 0 seldepth 0 multipv 1 score cp 0 ",
	} {
		talk(t, realEngine(), func(g *gui) {
			g.send("position fen "+fen, "go movetime 1000")
			if lines := g.collect("bestmove"); len(lines) != 2 || !strings.HasPrefix(lines[0], want) ||
				lines[1] != "bestmove 0000" {
				t.Errorf("%s: %q", fen, lines)
			}
		})
	}
}

// Remarks are short and one line, however long and odd the command.
func TestRemarksAreShort(t *testing.T) {
	junk := strings.Repeat("\u2654é\"\\", 100_000)
	for _, send := range []string{
		junk, "position fen " + junk, "position " + junk, "position startpos moves " +
			junk, "go " + junk, "go depth " + junk,
		"go searchmoves " + strings.Repeat("e2e4 e2e5 ", 50_000), "go " + strings.Repeat("fast ", 100_000),
		"go" + strings.Repeat(" nodes -1", 50_000), "setoption " + junk, "setoption name " + junk + " value " + junk,
		"setoption name Hash value " + junk, "setoption name MultiPV value " + junk,
		"setoption name UCI_Chess960 value " + junk,
	} {
		talk(t, realEngine(), func(g *gui) {
			g.send(send, "stop", "isready")
			lines := g.collect("readyok")
			if len(lines) > 300 || !strings.HasPrefix(lines[0], "info ") {
				t.Errorf("%.30q: %d lines, beginning with %q", send, len(lines), lines[0])
			}
			for _, l := range lines {
				if len(l) > 2*maxRemark && strings.HasPrefix(l, "info string") {
					t.Errorf("%.30q: a line of %d bytes", send, len(l))
				}
			}
		})
	}
}

// brief is a player whose searches end soon, whatever their limits.
type brief struct{ *search.Engine }

func (b brief) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	if lim.Nodes == 0 || lim.Nodes > 500 {
		lim.Nodes, lim.HardNodes = 500, true
	}
	return b.Engine.Search(ctx, g, lim)
}

func (b brief) SetOption(name, value string) error {
	if strings.EqualFold(name, "hash") && len(value) > 1 {
		return search.ErrOption // allocating is slow
	}
	return b.Engine.SetOption(name, value)
}

// FuzzServeEngine talks to the modern engine. Every go gets one bestmove, and the server
// ends with its input.
func FuzzServeEngine(f *testing.F) {
	f.Add("uci\nisready\nposition startpos moves e2e4\ngo depth 1\nstop\nquit\n")
	f.Add("position fen 8/8/8/8/8/8/8/8 w - - 0 1\ngo wtime -1 searchmoves e2e4 infinite\nponderhit")
	f.Add("setoption name MultiPV value 3\ngo ponder wtime 1 btime 1\nponderhit\ngo\nucinewgame\nstop\n\x00")
	f.Add("setoption name UCI_Chess960 value true\r\nposition fen 1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 " +
		"1 moves f1h1\r\ngo nodes 99\r\n")
	f.Add("setoption name Clear Hash\nsetoption name EvalFile value x\nposition fen 7k/5Q2/6K1/8/8/8/8/8 " +
		"b - - 0 1\ngo mate 1 movetime 5")
	e := brief{realEngine()}
	f.Fuzz(func(t *testing.T, input string) {
		if strings.Contains(strings.ToLower(input), "overhead") {
			return
		}
		var out strings.Builder
		s := &Server{Name: "x", Author: "x", Player: e}
		setup.Check(t, s.Serve(context.Background(), strings.NewReader(input), &out))
		goes := 0
		for l := range strings.Lines(input) {
			if words := strings.Fields(strings.Map(printable, l)); len(words) > 0 {
				if words[0] == "quit" {
					break
				}
				if words[0] == "go" {
					goes++
				}
			}
		}
		answers, ignored := 0, 0
		for l := range strings.Lines(out.String()) {
			switch {
			case strings.HasPrefix(l, "bestmove "):
				answers++
			case strings.HasPrefix(l, "info string ignored go: a search"):
				ignored++
			}
		}
		if answers+ignored != goes {
			t.Fatalf("%d times go, %d ignored, %d answers:\n%s", goes, ignored, answers, out.String())
		}
	})
}
