package prinz

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
)

// printed is the list of moves in the book.
const printed = `Pawn to 78.
Rook to 17.
Rook to 16.
Rook to 15.
Rook to 14.
Rook to 13.
Rook to 12.
Rook to 11.
Rook to 28.
Rook to 38.
Rook to 48.
Rook to 58.
Rook to 68.
`

func parse(t testing.TB, fen string) *Position {
	t.Helper()
	b := enginetest.Position(t, fen)
	return setup.Must(New(&b))
}

func TestPrintedList(t *testing.T) {
	p := parse(t, Problem)
	before := *p
	var b strings.Builder
	s := Solve(p)
	for _, m := range s.Tried {
		b.WriteString(m.String() + "\n")
	}
	if b.String() != printed || !s.Found {
		t.Errorf("found: %v; moves tried\n%swant\n%s", s.Found, b.String(), printed)
	}
	if len(s.Tried) != 13 || s.Tried[12] != (Move{board.Rook, 18, 68}) {
		t.Errorf("tried %v", s.Tried)
	}
	// An independent program counts the same for this loop.
	if s.Made != 536 || s.Illegal != 121 {
		t.Errorf("%d moves made, %d illegal; want 536 and 121", s.Made, s.Illegal)
	}
	if *p != before {
		t.Error("Solve changes the position")
	}
}

// By the full rules of chess the reconstructed position has only the printed key.
func TestOnlyKey(t *testing.T) {
	p := setup.Must(board.ParseFEN(Problem))
	var keys []string
	for _, m := range p.LegalMoves(nil) {
		if after := made(p, m); forcedMate(&after) {
			keys = append(keys, p.SAN(m))
		}
	}
	if len(keys) != 1 || keys[0] != "Rh6" {
		t.Errorf("keys %v, want only Rh6", keys)
	}
}

// forcedMate reports whether White can mate after every reply.
func forcedMate(p *board.Position) bool {
	for _, r := range p.LegalMoves(nil) {
		after, mates := made(*p, r), false
		for _, m := range after.LegalMoves(nil) {
			if end := made(after, m); end.CountLegal() == 0 && end.InCheck() {
				mates = true
			}
		}
		if !mates {
			return false
		}
	}
	return true
}

func made(p board.Position, m board.Move) board.Position {
	p.Make(m)
	return p
}

func TestSolve(t *testing.T) {
	for _, test := range []struct {
		name, fen string
		found     bool
		key       Move
	}{
		{"a ladder", "7k/8/8/8/8/R7/1R6/6K1 w - - 0 1", true, Move{board.Rook, 22, 72}},
		{"two kings", "7k/8/8/8/8/8/8/K7 w - - 0 1", false, Move{}},
		// There is no promotion, so that e8=Q does not mate.
		{"no promotion", "7k/4P3/6K1/8/8/8/8/8 w - - 0 1", false, Move{}},
		// In chess Ke6 is stalemate, and a draw.
		{"stalemate is mate", "4k3/4P3/5K2/8/8/8/8/8 w - - 0 1", true, Move{board.King, 66, 65}},
		// There is no double step.
		{"no double step", "8/8/8/8/k1K5/8/1P6/8 w - - 0 1", false, Move{}},
	} {
		s := Solve(parse(t, test.fen))
		if s.Found != test.found || s.Found && s.Tried[len(s.Tried)-1] != test.key {
			t.Errorf("%s: found %v after %v", test.name, s.Found, s.Tried)
		}
	}
}

// In positions where the machine's rules and chess's agree, the moves are the same.
func TestMoves(t *testing.T) {
	for _, fen := range []string{
		Problem,
		"r2q1rk1/1b3pb1/p3p1p1/1p1pP1B1/3P2Q1/2PB1N2/P5P1/R4RK1 w - - 0 20",
		"k7/8/8/2n1q3/4N3/3K4/2B2R2/8 w - - 0 1",
	} {
		b := setup.Must(board.ParseFEN(fen))
		p := parse(t, fen)
		got := map[[2]int]bool{}
		for _, m := range p.moves(nil, board.White) {
			captured := p.play(m)
			if !p.selfCheck(board.White) {
				got[[2]int{m.From, m.To}] = true
			}
			p.undo(m, captured)
		}
		want := 0
		for _, m := range b.LegalMoves(nil) {
			if from, to := m.From(), m.To(); b.PieceAt(from).Type() != board.Pawn || to != from+16 {
				want++
				if !got[[2]int{number(from), number(to)}] {
					t.Errorf("%s: %s is missing", fen, b.SAN(m))
				}
			}
		}
		if len(got) != want {
			t.Errorf("%s: %d moves, want %d", fen, len(got), want)
		}
	}
}

func TestBlackToMove(t *testing.T) {
	b := setup.Must(board.ParseFEN(strings.Replace(Problem, " w ", " b ", 1)))
	if _, err := New(&b); err == nil {
		t.Error("Black to move: no error")
	}
}
