package machack

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/setup"
)

// reference is the search without alpha-beta and hash table.
type reference struct {
	s     *search
	basic []int
}

func (r *reference) node(p *board.Position, ply, depth, fed int) (best int, line []board.Move) {
	moves := p.LegalMoves(nil)
	if v, over := r.s.final(p, ply, len(moves)); over {
		return v, nil
	}
	var g generator
	best = -infinite
	k := pick(g.list(p, moves, nil), r.basic, ply)
	for c := k.pop(); c != nil; c = k.pop() {
		child := *p
		child.Make(c.move)
		r.s.keys = append(r.s.keys, p.Key())
		var v int
		var rest []board.Move
		if depth > 1 {
			v, rest = r.node(&child, ply+1, depth-1, fed)
		} else {
			v, rest = r.position(&child, ply+1, fed)
		}
		r.s.keys = r.s.keys[:len(r.s.keys)-1]
		v = -v
		if v > -mateBound && v < mateBound {
			v -= deduction(p, c, rest)
		}
		k.tally(v)
		if v > best {
			best, line = v, append([]board.Move{c.move}, rest...)
		}
	}
	return best, line
}

func (r *reference) position(p *board.Position, ply, fed int) (best int, line []board.Move) {
	if v, over := r.s.final(p, ply, p.CountLegal()); over {
		return v, nil
	}
	if fed < r.s.feedover && feedover(p) {
		return r.node(p, ply, 1, fed+1)
	}
	best = r.s.static(p)
	for _, c := range slices.Clone(r.s.gains(p, ply)) {
		child := *p
		child.Make(c.move)
		r.s.keys = append(r.s.keys, p.Key())
		v, _ := r.position(&child, ply+1, fed)
		r.s.keys = r.s.keys[:len(r.s.keys)-1]
		best = max(best, -v)
	}
	return best, nil
}

// The search returns the line and the value of the reference.
func TestMinimax(t *testing.T) {
	for _, fen := range append([]string{
		board.StartFEN,
		"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
		"r2q1rk1/pp2bppp/2n1bn2/2pp4/8/1PN1PN2/PB2BPPP/R2Q1RK1 b - - 0 11",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	}, tournament[2:]...) {
		p := open(t)
		p.width, p.secondary = "normal", false
		root := parse(t, fen)
		for depth := 1; depth <= 3; depth++ {
			budget := historic.NewBudget(context.Background(), root.SideToMove(), engine.Limits{})
			s := p.newSearch(root, nil, root.LegalMoves(nil), budget)
			s.basic = []int{5, 4}
			r := reference{s, s.basic}
			want, wantLine := r.node(root, 0, depth, 0)
			line, got, ok := s.iterate(root, depth)
			// A value from the hash table can end a line early.
			if !ok || got != want || len(line) > len(wantLine) || !slices.Equal(line, wantLine[:len(line)]) {
				t.Errorf("%s, %d plies: %v %d, minimax %v %d", fen, depth, line, got, wantLine, want)
			}
		}
	}
}

// Move 20 of the first tournament game that a program won.
func TestCombination(t *testing.T) {
	root := parse(t, tournament[1])
	r := setup.Must(open(t).Search(context.Background(), board.NewGame(*root), engine.Limits{Depth: 3}))
	if san := root.SAN(r.Move); san != "Qxc6+" {
		t.Errorf("%s, score %d; Mac Hack played QxN", san, r.Score)
	}
	game := board.NewGame(*root)
	game.Push(r.Move)
	reply, err := game.Position().ParseSAN("Rxc6")
	setup.Check(t, err)
	game.Push(reply)
	r, err = open(t).Search(context.Background(), game, engine.Limits{Depth: 1})
	if err != nil || game.Position().SAN(r.Move) != "Rd8#" || r.Score != engine.MateScore-1 {
		t.Errorf("then %v, score %d, %v; Mac Hack mated with R-Q8", r.Move, r.Score, err)
	}
}

// One position for each deduction.
func TestDeduction(t *testing.T) {
	const early, late = "4k3/8/8/8/8/8/8/1N2K2R w - - 0 3", "4k3/8/8/8/8/8/8/1N2K2R w - - 0 30"
	for _, test := range []struct {
		fen, line string
		poor      bool
		want      int
	}{
		{late, "b1c3", false, 0},
		{late, "b1c3", true, poorLoss},
		{late, "b1c3 e8e7 h1h2", false, 0},
		{late, "b1c3 e8e7 c3b1", false, returnLoss},
		{late, "b1c3 e8e7 c3d5", false, 0},
		{early, "b1c3 e8e7 c3d5", false, earlyLoss},
		{late, "h1h2 e8e7 h2h5", false, twoMovesLoss},
		{late, "h1h2 e8e7 h2c2", true, poorLoss},
	} {
		p := parse(t, test.fen)
		var line []board.Move
		at := *p
		for _, uci := range strings.Fields(test.line) {
			m := setup.Must(at.ParseUCI(uci))
			line = append(line, m)
			at.Make(m)
		}
		c := candidate{move: line[0]}
		if test.poor {
			c.position = poorBelow - 1
		}
		if got := deduction(p, &c, line[1:]); got != test.want {
			t.Errorf("%s, poor %v: deduction %d, want %d", test.line, test.poor, got, test.want)
		}
	}
}

// The secondary search can only lower a value, and sometimes does.
func TestSecondary(t *testing.T) {
	lowered := 0
	for _, fen := range tournament {
		root := parse(t, fen)
		p := open(t)
		p.width, p.plies = "normal", 2
		var scores [2]int
		for i, on := range []bool{false, true} {
			p.secondary = on
			r := setup.Must(p.Search(context.Background(), board.NewGame(*root),
				engine.Limits{Depth: 2, SearchMoves: root.LegalMoves(nil)[:1]}))
			scores[i] = int(r.Score)
			if mated := r.Score <= -mateBound; !mated && (p.search.stats.Secondary > 0) != on {
				t.Errorf("%s: secondary search %v, but %d done", fen, on, p.search.stats.Secondary)
			}
		}
		if scores[1] > scores[0] {
			t.Errorf("%s: the secondary search raises %d to %d", fen, scores[0], scores[1])
		}
		if scores[1] < scores[0] {
			lowered++
		}
	}
	if lowered == 0 {
		t.Error("the secondary search never changes a value")
	}
}

// The line that the paper shows of the program's book is in ours.
func TestBook(t *testing.T) {
	b := setup.Must(ownBook())
	if len(b) < 200 {
		t.Errorf("the book has only %d positions", len(b))
	}
	g := board.NewGame(board.StartPosition())
	for _, san := range strings.Fields("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Bd6 d4 Bg4 dxe5 Bxf3 Qxf3 Bxe5 c3") {
		m := setup.Must(g.Position().ParseSAN(san))
		if !slices.Contains(b[g.Position().Key()], m) {
			t.Errorf("%s is not in the book", san)
		}
		g.Push(m)
	}
	if len(b[g.Position().Key()]) != 0 {
		t.Error("the book continues beyond the line of the paper")
	}
	p := open(t)
	r, err := p.Search(context.Background(), board.NewGame(board.StartPosition()), engine.Limits{})
	if err != nil || r.Nodes != 0 || r.Depth != 0 {
		t.Errorf("book move: %+v, error %v", r, err)
	}
}

// The printed games without a book open with 1.P-K4, and answer it with P-K4.
func TestFirstMoves(t *testing.T) {
	p := open(t)
	p.book = false
	for fen, want := range map[string]string{
		board.StartFEN: "e4",
		"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1": "e5",
		"rnbqkbnr/pppppppp/8/8/8/6P1/PPPPPP1P/RNBQKBNR b KQkq - 0 1": "e5",
	} {
		root := parse(t, fen)
		r, err := p.Search(context.Background(), board.NewGame(*root), engine.Limits{})
		if err != nil || root.SAN(r.Move) != want {
			t.Errorf("%s: %s, want %s; error %v", fen, root.SAN(r.Move), want, err)
		}
	}
}

func TestExplain(t *testing.T) {
	p := open(t)
	p.plies = 2
	enginetest.Explains(t, p, map[string][]string{tournament[0]: {"Static value S = ", "Plausibility of the moves",
		"  1. ",
		"developmental value", "so that it now attacks", "Chosen: ", "plausible move generations"}})
	if err := p.Explain(io.Discard, parse(t, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")); err == nil {
		t.Error("no error although the game is over")
	}
}

func open(t testing.TB) *Player {
	t.Helper()
	m := setup.Must(eval.Lookup("machack-1967"))
	p := setup.Must(New(m.With(m.Start)))
	return p
}

// The narrow width saves time; the contract does not depend on it.
func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player {
		p := open(t)
		p.width = "normal"
		return p
	})
}
