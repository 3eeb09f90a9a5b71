package hsu

import (
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/enginetest"
)

func legal(p *board.Position) (moves []string) {
	for _, m := range p.LegalMoves(nil) {
		moves = append(moves, p.SAN(m))
	}
	slices.Sort(moves)
	return moves
}

func after(t *testing.T, p board.Position, moves ...string) board.Position {
	t.Helper()
	for _, san := range moves {
		m, err := p.ParseSAN(san)
		if err != nil {
			t.Fatal(err)
		}
		p.Make(m)
	}
	return p
}

// The lecture's example of zugzwang: a king on f6 and a pawn on e7 against a king on e8. With
// White to move it is a draw, with Black to move Black loses.
func TestZugzwang(t *testing.T) {
	white := enginetest.Position(t, "4k3/4P3/5K2/8/8/8/8/8 w - - 0 1")
	// f6-f7 is illegal. The slide leaves Kg5 out.
	if got := legal(&white); !slices.Equal(got, []string{"Ke5", "Ke6", "Kf5", "Kg5", "Kg6", "Kg7"}) {
		t.Errorf("White's moves are %v", got)
	}
	for _, move := range legal(&white) {
		p := after(t, white, move)
		if move == "Ke6" {
			if p.CountLegal() != 0 || p.InCheck() {
				t.Errorf("after Ke6 the moves are %v, want stalemate", legal(&p))
			}
			continue
		}
		p = after(t, p, "Kxe7") // all other moves lose the pawn
		if !p.InsufficientMaterial() {
			t.Errorf("%s and Kxe7 lead to %s, want a draw by insufficient material", move, p.FEN())
		}
	}
	black := enginetest.Position(t, "4k3/4P3/5K2/8/8/8/8/8 b - - 0 1")
	if got := legal(&black); !slices.Equal(got, []string{"Kd7"}) {
		t.Errorf("Black's moves are %v", got)
	}
	p := after(t, black, "Kd7", "Kf7")
	if got := legal(&p); !slices.Equal(got, []string{"Kc6", "Kc7", "Kc8", "Kd6"}) {
		t.Errorf("Black's moves are then %v; none should stop the pawn", got)
	}
	for _, move := range legal(&p) {
		queen := after(t, p, move, "e8=Q")
		if SEEMinimax(&queen, board.Black, 60) != 0 { // e8
			t.Errorf("after %s the queen is lost", move)
		}
	}
}

// The lecture's stalemate and checkmate. Its diagrams are lost: the first position follows its
// text (a king on h8 that has no safe move), the second is ours.
func TestEnds(t *testing.T) {
	for fen, check := range map[string]bool{
		"7k/8/6Q1/8/8/8/8/K7 b - - 0 1":  false,
		"k7/1Q6/1K6/8/8/8/8/8 b - - 0 1": true,
	} {
		p := enginetest.Position(t, fen)
		if p.CountLegal() != 0 || p.InCheck() != check {
			t.Errorf("%s: moves %v, in check %v, want %v", fen, legal(&p), p.InCheck(), check)
		}
	}
}

// The slide on threats: a bishop on a8 attacks and pins a rook on d5, which its king on e4
// defends. The slide calls it a pin; Shannon does not count pins by pieces of lower value.
func TestPin(t *testing.T) {
	p := enginetest.Position(t, "B7/8/8/3r4/4k3/8/8/6K1 w - - 0 1")
	const d5 = board.Square(35)
	touching := p.AttackersTo(d5, p.Occupied())
	if touching != board.Square(56).Bitboard()|board.Square(28).Bitboard() {
		t.Errorf("the pieces that attack d5 are %x", touching)
	}
	if SEEPrinted(&p, board.White, d5) != 2 || SEEMinimax(&p, board.White, d5) != 2 {
		t.Error("winning the rook for the bishop must be worth 2 pawns")
	}
	p = after(t, p, "Kf2")
	for _, m := range p.LegalMoves(nil) {
		if m.From() == d5 && board.Line(board.A8, board.Square(28))&m.To().Bitboard() == 0 {
			t.Errorf("%s: the rook is not pinned", p.SAN(m))
		}
	}
}
