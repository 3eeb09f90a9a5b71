// Static exchange evaluation as Tsan-sheng Hsu's lecture on chess programs prints it, as the
// lecture means it, and the lecture's positions. The engine's own, which also counts pieces
// behind others, is board.Position.SEE.
package historic_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/enginetest"
)

// values are those of the lecture, in pawns. The king's is ours.
var values = [6]int{1, 3, 3, 5, 9, 100}

// seePrinted returns the material, in pawns, that side c wins by capturing on sq, as the
// lecture prints it: all attackers are listed once, the least valuable first, and both sides
// capture until one has no attacker left; neither may stop. Pieces behind others and pins
// are ignored. It is 0 if there is no enemy piece on sq or c cannot capture it.
func seePrinted(p *board.Position, c board.Color, sq board.Square) int {
	victim, own, other := attackers(p, c, sq)
	gain := 0
	for len(own) > 0 {
		gain += victim
		victim, own = own[0], own[1:]
		if len(other) == 0 {
			break
		}
		gain -= victim
		victim, other = other[0], other[1:]
	}
	return gain
}

// seeMinimax is like seePrinted, but either side may stop before any capture.
func seeMinimax(p *board.Position, c board.Color, sq board.Square) int {
	victim, own, other := attackers(p, c, sq)
	return exchange(victim, own, other)
}

// exchange returns what the side that captures first wins.
func exchange(victim int, own, other []int) int {
	if len(own) == 0 {
		return 0
	}
	return max(0, victim-exchange(own[0], other, own[1:]))
}

// attackers returns the value of the enemy piece on sq, and the values of both sides' pieces
// that attack sq, ascending.
func attackers(p *board.Position, c board.Color, sq board.Square) (victim int, own, other []int) {
	on := p.PieceAt(sq)
	if on == board.NoPiece || on.Color() == c {
		return 0, nil, nil
	}
	for b := p.AttackersTo(sq, p.Occupied()); b != 0; {
		piece := p.PieceAt(b.PopFirst())
		if piece.Color() == c {
			own = append(own, values[piece.Type()])
		} else {
			other = append(other, values[piece.Type()])
		}
	}
	slices.Sort(own)
	slices.Sort(other)
	return values[on.Type()], own, other
}

type vector struct {
	Term, FEN, Square, Side string
	Expected                json.RawMessage
}

func check(t *testing.T, term, fen, square, side string, want int) {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	sq, ok := board.ParseSquare(square)
	if !ok {
		t.Fatalf("no square %q", square)
	}
	c := board.White
	if side == "b" {
		c = board.Black
	}
	see := seePrinted
	if term == "hsu.see_minimax" {
		see = seeMinimax
	}
	if got := see(&p, c, sq); got != want {
		t.Errorf("%s of %s on %s for %s: %d, want %d", term, fen, square, side, got, want)
	}
	mirror := p.Mirror()
	if got := see(&mirror, c.Other(), sq.Flip()); got != want {
		t.Errorf("%s of %s on %s for %s, mirrored: %d, want %d", term, fen, square, side, got, want)
	}
}

func TestSEE(t *testing.T) {
	for _, test := range []struct {
		fen, square      string
		printed, minimax int
	}{
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5", 1, 1},
		{"4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "d5", 0, 0},
		{"4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d5", -4, 0},
		{"4k3/8/4p3/3n4/4P3/8/8/4K3 w - - 0 1", "d5", 2, 2},
		// PxN, PxP, QxP.
		{"4k3/8/4p3/3n4/4P3/8/8/3QK3 w - - 0 1", "d5", 3, 3},
		// PxN, PxP, NxP, QxN: White should not capture with the knight.
		{"3qk3/8/4p3/3n4/4P3/2N5/8/4K3 w - - 0 1", "d5", 0, 2},
		{"4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", "d5", 0, 0}, // no attacker
		{"4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "d5", 0, 0}, // nothing to capture
		{"4k3/8/8/3P4/4P3/8/8/4K3 w - - 0 1", "d5", 0, 0},
	} {
		check(t, "hsu.see_printed", test.fen, test.square, "w", test.printed)
		check(t, "hsu.see_minimax", test.fen, test.square, "w", test.minimax)
	}
}

// The vectors were computed by hand and by an independent program.
func TestVectors(t *testing.T) {
	var file struct{ Vectors []vector }
	data, err := os.ReadFile("testdata/exchange.json")
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		var want int
		if err := json.Unmarshal(v.Expected, &want); err != nil {
			t.Fatal(err)
		}
		check(t, v.Term, v.FEN, v.Square, v.Side, want)
	}
	if len(file.Vectors) != 6 {
		t.Errorf("%d vectors, want 6", len(file.Vectors))
	}
}

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
		if seeMinimax(&queen, board.Black, 60) != 0 { // e8
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
	if seePrinted(&p, board.White, d5) != 2 || seeMinimax(&p, board.White, d5) != 2 {
		t.Error("winning the rook for the bishop must be worth 2 pawns")
	}
	p = after(t, p, "Kf2")
	for _, m := range p.LegalMoves(nil) {
		if m.From() == d5 && board.Line(board.A8, board.Square(28))&m.To().Bitboard() == 0 {
			t.Errorf("%s: the rook is not pinned", p.SAN(m))
		}
	}
}
