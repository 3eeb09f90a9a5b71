package losalamos

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
)

// The counts agree with an independent program.
func TestPerft(t *testing.T) {
	p := Start()
	for depth, want := range []uint64{1, 10, 100, 1212, 14332} {
		if got := perft(&p, depth); got != want {
			t.Errorf("perft(%d) = %d, want %d", depth, got, want)
		}
	}
}

func perft(p *Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	moves := p.LegalMoves(nil)
	if depth == 1 {
		return uint64(len(moves))
	}
	n := uint64(0)
	for _, m := range moves {
		after := *p
		after.Make(m)
		n += perft(&after, depth-1)
	}
	return n
}

// The game that MANIAC won is legal and ends in checkmate.
func TestPublicGame(t *testing.T) {
	p := Start()
	moves := PublicGame()
	for i, text := range moves {
		m, err := p.Parse(text)
		if err != nil {
			t.Fatalf("ply %d: %v", i+1, err)
		}
		p.Make(m)
	}
	if len(moves) != 45 || p != place("2k3/2n1N1/r1pQ1p/2pP2/2P1P1/1R1K1R b") {
		t.Errorf("%d plies, final position\n%s", len(moves), p.String())
	}
	if !p.InCheck() || len(p.LegalMoves(nil)) != 0 {
		t.Error("the game does not end in checkmate")
	}
}

// The rules that differ from chess.
func TestRules(t *testing.T) {
	for _, test := range []struct{ fen, has, hasNot string }{
		{"rnqknr/pppppp/6/6/PPPPPP/RNQKNR w", "a2a3 b1a3 b1c3", "a2a4"},
		{"5k/P5/6/6/6/K5 w", "a5a6q a5a6r a5a6n", "a5a6 a5a6b"},
		{"1r3k/P5/6/6/6/K5 w", "a5b6q a5a6q", ""},
		{"5k/6/6/6/p5/1R3K b", "a2a1q a2b1n", "a2a1"},
		{"5k/6/6/6/r5/2R2K w", "f1e1 c1c2", "f1f2 f1e2"}, // the rook controls the second rank
		{"5k/4r1/6/6/4R1/4K1 w", "e2e3 e2e5", "e2d2"},    // pinned
	} {
		p := place(test.fen)
		for _, m := range strings.Fields(test.has) {
			if _, err := p.Parse(m); err != nil {
				t.Error(err)
			}
		}
		for _, m := range strings.Fields(test.hasNot) {
			if _, err := p.Parse(m); err == nil {
				t.Errorf("%s: %s is legal", test.fen, m)
			}
		}
	}
}

// minimax is the definition: all lines, no cut-offs, the value from White's view.
func minimax(p *Position, depth, sum int, root bool) int {
	moves := p.LegalMoves(nil)
	sign := 1
	if p.black {
		sign = -1
	}
	if len(moves) == 0 {
		if p.InCheck() {
			return -sign * (mate - depth)
		}
		return 0
	}
	if !root {
		sum += sign * len(moves)
	}
	if depth == 2 {
		return pawn*small(p) + sum
	}
	best := -3 * mate
	for _, m := range moves {
		after := *p
		after.Make(m)
		best = max(best, sign*minimax(&after, depth+1, sum, false))
	}
	return sign * best
}

func TestChooseIsMinimax(t *testing.T) {
	p := Start()
	for i, text := range PublicGame() {
		c, ok := Choose(&p, 2, nil)
		want := minimax(&p, 0, 0, true)
		if p.black {
			want = -want
		}
		if !ok || c.Value != want {
			t.Errorf("ply %d: value %d, want %d", i, c.Value, want)
		}
		// The first of equal moves is chosen.
		for _, m := range p.LegalMoves(nil) {
			after := p
			after.Make(m)
			v := minimax(&after, 1, 0, false)
			if p.black {
				v = -v
			}
			if v >= want {
				if m != c.Move {
					t.Errorf("ply %d: %v, but %v is the first of the best", i, c.Move, m)
				}
				break
			}
		}
		m := setup.Must(p.Parse(text))
		p.Make(m)
	}
	if _, ok := Choose(&p, 4, nil); ok {
		t.Error("Choose finds a move although the game is over")
	}
	p = Start()
	if _, ok := Choose(&p, 6, func() bool { return true }); ok {
		t.Error("Choose returns ok after it was stopped")
	}
}

// A mate in one is preferred to later mates.
func TestMates(t *testing.T) {
	p := place("k5/6/1K4/6/6/4RR w")
	c, _ := Choose(&p, Depth, nil)
	if c.Value != mate-1 || len(c.Line) != 1 {
		t.Errorf("%v, value %d", c.Line, c.Value)
	}
	p.Make(c.Move)
	if !p.InCheck() || len(p.LegalMoves(nil)) != 0 {
		t.Errorf("%v does not mate", c.Move)
	}
}

func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player { return New() })
}

// A position worked out by hand.
func TestLineValue(t *testing.T) {
	p := setup.Must(board.ParseFEN("7k/8/8/8/8/8/8/K6R b - - 0 1"))
	s := rooted(p.LegalMoves(nil), 1, func() bool { return true })
	v := s.value(&p, 0, 0, -2*mate, 2*mate)
	// After either, Black is a rook down, and White's mobility counts for White:
	// 3 of the king and 13 of the rook.
	if want := -5*pawn - 16; v != want {
		t.Errorf("value %d, want %d", v, want)
	}
}

func TestExplain(t *testing.T) {
	p := board.StartPosition()
	player := New()
	setup.Check(t, player.SetOption("Plies", "2"))
	text := setup.Must(player.Explain(&p))
	r := setup.Must(player.Search(context.Background(), board.NewGame(p), engine.Limits{}))
	lines := strings.Split(text, "\n")
	if len(lines) != 2+20+1 || !strings.Contains(lines[2], "  "+p.SAN(r.Move)+" ") {
		t.Errorf("Search chooses %s; the explanation is\n%s", p.SAN(r.Move), text)
	}
}
