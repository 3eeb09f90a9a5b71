// The static exchange evaluation and the positions of Tsan-sheng Hsu's lecture on chess programs.
package historic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/setup"
)

// see returns what side c wins by capturing on sq, as printed and as meant. Both are 0 if there
// is no exchange.
func see(p *board.Position, c board.Color, sq board.Square) (printed, minimax int) {
	x, err := historic.NewExchange(p, sq)
	if err != nil || x.Side != c {
		return 0, 0
	}
	return x.Printed, x.Minimax
}

// The captures of an exchange, and where a side stops.
func TestCaptures(t *testing.T) {
	p := enginetest.Position(t, "3qk3/8/4p3/3n4/4P3/2N5/8/4K3 b - - 0 1")
	d5, _ := board.ParseSquare("d5")
	x := setup.Must(historic.NewExchange(&p, d5))
	var got []string
	for _, c := range x.Captures {
		got = append(got, fmt.Sprintf("%c%v takes %v %+d", c.Piece.Letter(), c.From, c.Takes, c.Balance))
	}
	want := []string{"Pe4 takes knight +3", "pe6 takes pawn +2", "Nc3 takes pawn +3", "qd8 takes knight +0"}
	if !slices.Equal(got, want) || x.Side != board.White || x.Printed != 0 || x.Minimax != 2 || x.Worth != 2 {
		t.Errorf("captures %q, %+v; want %q", got, x, want)
	}
}

func TestNoExchange(t *testing.T) {
	p := enginetest.Position(t, "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1")
	for square, want := range map[string]string{
		"d5": "no exchange on d5: no white piece attacks the black pawn there",
		"d4": "no exchange on d4: the square is empty",
		"e8": "no exchange on e8: a king is never captured",
	} {
		sq, _ := board.ParseSquare(square)
		if _, err := historic.NewExchange(&p, sq); !errors.Is(err, historic.ErrExchange) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", square, err, want)
		}
	}
}

type vector struct {
	Term, FEN, Square, Side string
	Expected                json.RawMessage
}

func check(t *testing.T, term, fen, square, side string, want int) {
	t.Helper()
	p := setup.Must(board.ParseFEN(fen))
	sq, ok := board.ParseSquare(square)
	if !ok {
		t.Fatalf("no square %q", square)
	}
	c := board.White
	if side == "b" {
		c = board.Black
	}
	mirror := p.Mirror()
	for i, pos := range []*board.Position{&p, &mirror} {
		got, minimax := see(pos, c, sq)
		if term == "hsu.see_minimax" {
			got = minimax
		}
		if got != want {
			t.Errorf("%s of %s on %s for %s, mirrored %v: %d, want %d", term, fen, square, side, i == 1, got, want)
		}
		c, sq = c.Other(), sq.Flip()
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
	setup.Check(t, err)
	for _, v := range file.Vectors {
		var want int
		setup.Check(t, json.Unmarshal(v.Expected, &want))
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
		m := setup.Must(p.ParseSAN(san))
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
		if _, lost := see(&queen, board.Black, 60); lost != 0 { // e8
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
	if printed, minimax := see(&p, board.White, d5); printed != 2 || minimax != 2 {
		t.Error("winning the rook for the bishop must be worth 2 pawns")
	}
	p = after(t, p, "Kf2")
	for _, m := range p.LegalMoves(nil) {
		if m.From() == d5 && board.Line(board.A8, board.Square(28))&m.To().Bitboard() == 0 {
			t.Errorf("%s: the rook is not pinned", p.SAN(m))
		}
	}
}
