package machack

import (
	"context"
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
	if fed < r.s.player.feedover && feedover(p) {
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
	if _, err := p.Explain(parse(t, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")); err == nil {
		t.Error("no error although the game is over")
	}
}

func open(t testing.TB) *Player {
	t.Helper()
	m := setup.Must(eval.Lookup("machack-1967"))
	return setup.Must(New(eval.Weights{Model: m, Coefs: m.Start}))
}

// The narrow width saves time; the contract does not depend on it.
func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player {
		p := open(t)
		p.width = "normal"
		return p
	})
}

// tournament holds positions, from the paper's games or like them, with Mac Hack to move.
var tournament = []string{
	"r3k1nr/1pp2ppp/p1p5/4b3/4P2q/2P2Q2/PP3PPP/RNB2RK1 w kq - 1 10",    // game 4, its first move out of book
	"2r1kb1r/5p1p/p1n1b1p1/2nQN3/Pp5B/8/1PP2PPP/1K1R1B1R w k - 1 20",   // game 3, QxN
	"r2qk2r/ppp2ppp/1bnpbn2/8/2P5/1NN3P1/PP2PPBP/R1BQK2R b KQkq - 0 9", // like game 1
	"1r3rk1/p1p3pp/2pn1p2/4pb2/1P6/P2P1N2/2P1BPPP/R3K2R b KQ - 1 17",   // like game 2
	"8/6r1/3k4/1p2p3/4P1K1/1P6/P7/8 w - - 0 40",
}

func parse(t testing.TB, fen string) *board.Position {
	t.Helper()
	p := enginetest.Position(t, fen)
	return &p
}

// The paper's examples of pieces en prise, pinned and trapped.
func TestEnPrise(t *testing.T) {
	for _, test := range []struct {
		about, fen, square       string
		enPrise, pinned, trapped bool
	}{
		{"a knight under attack by a pawn and defended by a pawn", "4k3/8/2p5/3p4/4N3/3P4/8/4K3 w - - 0 1", "e4", true,
			false, false},
		{"a knight under attack by bishop and rook, defended by a pawn", "4k3/8/4r3/8/4N3/3P4/6b1/3K4 w - - 0 1", "e4", true,
			false, false},
		{"the same without the rook", "4k3/8/8/8/4N3/3P4/6b1/3K4 w - - 0 1", "e4", false, false, false},
		{"undefended", "4k3/8/8/8/4N3/8/6b1/3K4 w - - 0 1", "e4", true, false, false},
		{"not attacked", "4k3/8/8/8/4N3/8/8/3K4 w - - 0 1", "e4", false, false, false},
		{"pinned on the king", "4r1k1/8/8/8/4N3/3P4/8/4K3 w - - 0 1", "e4", false, true, false},
		{"pinned on a queen that a rook then attacks", "4r1k1/8/8/8/4N3/3P4/4Q3/2K5 w - - 0 1", "e4", false, true, false},
		{"in front of a defended rook", "4r1k1/8/8/8/4N3/3P4/4R3/3K4 w - - 0 1", "e4", false, false, false},
		{"a knight in the corner", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1", "a1", false, false, false},
		{"a knight whose squares pawns attack", "4k3/8/8/8/1pp5/3p4/8/N3K3 w - - 0 1", "a1", false, false, true},
		{"a blocked pawn", "4k3/8/8/8/4p3/4P3/8/4K3 w - - 0 1", "e3", false, false, true},
	} {
		for _, mirrored := range []bool{false, true} {
			p := parse(t, test.fen)
			sq, _ := board.ParseSquare(test.square)
			if mirrored {
				m := p.Mirror()
				p, sq = &m, sq.Flip()
			}
			if got := enPrise(p, sq); got != test.enPrise {
				t.Errorf("%s: en prise is %v", test.about, got)
			}
			if got := pinned(p, sq); got != test.pinned {
				t.Errorf("%s: pinned is %v", test.about, got)
			}
			if got := trapped(p, sq); got != test.trapped {
				t.Errorf("%s: trapped is %v", test.about, got)
			}
		}
	}
}

// A position for each feedover condition, and for some that just miss one.
func TestFeedover(t *testing.T) {
	for _, test := range []struct {
		about, fen string
		want       bool
	}{
		{"nothing en prise", "4k3/8/8/8/4N3/8/8/3K4 w - - 0 1", false},
		{"one, and it can move", "4k3/8/8/8/4N3/8/6b1/3K4 w - - 0 1", false},
		{"1A: one, in check", "3rk3/8/8/8/4N3/8/6b1/3K4 w - - 0 1", true},
		{"1B: one, pinned", "4r1k1/8/8/8/4N3/8/6b1/4K3 w - - 0 1", true},
		{"1B: one, trapped", "4k3/8/8/8/1pp5/3p4/8/Nb2K3 b - - 0 1", false},
		{"1B: one, trapped, its own side to move", "4k3/8/8/4b3/1pp5/3p4/8/N3K3 w - - 0 1", true},
		{"2: two", "4k3/8/8/5b2/4N3/3R4/8/2K5 w - - 0 1", true},
		{"3: one each, theirs trapped", "n3k3/8/3P4/2P5/4B1p1/5N2/8/3K4 w - - 0 1", true},
		{"3: one each, none stuck", "4k3/8/3n4/8/4B3/8/6b1/3K4 w - - 0 1", false},
	} {
		p := parse(t, test.fen)
		if got := feedover(p); got != test.want {
			t.Errorf("%s: %v (en prise: %x, theirs %x)", test.about, got, allEnPrise(p, p.SideToMove()),
				allEnPrise(p, p.SideToMove().Other()))
		}
	}
}

// The paper's example of a comment: a move unblocks a bishop.
func TestUnblocking(t *testing.T) {
	start := board.StartPosition()
	g := generator{trace: true}
	for _, c := range g.list(&start, start.LegalMoves(nil), nil) {
		if start.SAN(c.move) != "d3" {
			continue
		}
		var comments []string
		for _, f := range c.factors {
			comments = append(comments, f.comment(&start))
		}
		if want := "for unblocking the white bishop on c1 so that it now attacks e3, f4, g5, h6"; !slices.Contains(comments,
			want) {
			t.Errorf("d3: %q, want %q", comments, want)
		}
	}
}

// The plausibility of a move is the sum of its factors, and the same in the mirrored position.
func TestFactorsAddUp(t *testing.T) {
	for _, fen := range tournament {
		p := parse(t, fen)
		mirror := p.Mirror()
		g, h := generator{trace: true}, generator{}
		list := g.list(p, p.LegalMoves(nil), nil)
		points := map[string]int{}
		for _, c := range h.list(&mirror, mirror.LegalMoves(nil), nil) {
			points[mirror.SAN(c.move)[:1]+c.move.To().Flip().String()+c.move.From().Flip().String()] = c.plausibility()
		}
		for i, c := range list {
			sum := 0
			for _, f := range c.factors {
				sum += f.points
			}
			if sum != c.plausibility() || i > 0 && c.plausibility() > list[i-1].plausibility() {
				t.Errorf("%s: %s has %d points, its factors %d", fen, p.SAN(c.move), c.plausibility(), sum)
			}
			if c.move.Promotion() != board.NoPieceType || p.PieceAt(c.move.From()).Type() == board.Pawn {
				continue // the key is not unique
			}
			if m := points[p.SAN(c.move)[:1]+c.move.To().String()+c.move.From().String()]; m != c.plausibility() {
				t.Errorf("%s: %s has %d points, mirrored %d", fen, p.SAN(c.move), c.plausibility(), m)
			}
		}
	}
}

// Our heuristics rank most of the moves that the program played in the printed games within
// its widths.
func TestPlayedMoves(t *testing.T) {
	moves, legal, within15, within6 := 0, 0, 0, 0
	for _, game := range historic.PrintedGames() {
		if game.Program != "machack-1967" {
			continue
		}
		p := board.StartPosition()
		for _, uci := range strings.Fields(game.Moves) {
			m := setup.Must(p.ParseUCI(uci))
			if p.SideToMove().String() == game.Side {
				var g generator
				list := g.list(&p, p.LegalMoves(nil), nil)
				rank := slices.IndexFunc(list, func(c candidate) bool { return c.move == m })
				moves++
				legal += len(list)
				if rank < 15 {
					within15++
				}
				if rank < 6 {
					within6++
				}
			}
			p.Make(m)
		}
	}
	// A random order would give 15/28 = 54 % and 6/28 = 21 %.
	if moves != 158 || within15 < 150 || within6 < 125 {
		t.Errorf("%d moves, with %d legal moves on average; %d among the first 15, %d among the first 6", moves,
			legal/max(1, moves), within15, within6)
	}
}

// Moves that are searched beyond the basic width.
func TestWidth(t *testing.T) {
	var list []candidate
	for i := range 30 {
		// Many moves of a piece on a1, then a few of two other pieces.
		c := candidate{move: board.NewMove(0, board.Square(10+i)), safe: true}
		switch i {
		case 20:
			c.check = true
		case 21:
			c.check, c.safe = true, false
		case 22:
			c.capture = true
		case 25, 26:
			c.move = board.NewMove(1, board.Square(10+i))
		case 27:
			c.move = board.NewMove(2, board.Square(10+i))
		}
		list = append(list, c)
	}
	picked := func(level int, mated ...int) (got []int) {
		k := pick(list, []int{6, 6, 6}, level)
		for c := k.pop(); c != nil; c = k.pop() {
			i := slices.IndexFunc(list, func(o candidate) bool { return o.move == c.move })
			got = append(got, i)
			value := 0
			if slices.Contains(mated, i) {
				value = -mateBound - 1
			}
			k.tally(value)
		}
		return got
	}
	if got, want := picked(0), []int{0, 1, 2, 3, 4, 5, 20, 22, 25, 27}; !slices.Equal(got, want) {
		t.Errorf("first level: %v, want %v", got, want)
	}
	if got, want := picked(2), []int{0, 1, 2, 3, 4, 5, 20, 25, 27}; !slices.Equal(got, want) {
		t.Errorf("third level: %v, want %v", got, want)
	}
	if got, want := picked(2, 1, 3), []int{0, 1, 2, 3, 4, 5, 6, 7, 20, 25, 27}; !slices.Equal(got, want) {
		t.Errorf("with two that lead to being mated: %v, want %v", got, want)
	}
}
