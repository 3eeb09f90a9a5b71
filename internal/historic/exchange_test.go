// The static exchange evaluation of Tsan-sheng Hsu's lecture on chess programs.
package historic_test

import (
	"fmt"
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
		if _, err := historic.NewExchange(&p, sq); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", square, err, want)
		}
	}
}

// What White wins by capturing on a square, and Black in the mirrored position.
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
		// The slide on threats: the rook's king defends it.
		{"B7/8/8/3r4/4k3/8/8/6K1 w - - 0 1", "d5", 2, 2},
	} {
		p, c := enginetest.Position(t, test.fen), board.White
		sq, _ := board.ParseSquare(test.square)
		mirror := p.Mirror()
		for _, pos := range []*board.Position{&p, &mirror} {
			if printed, minimax := see(pos, c, sq); printed != test.printed || minimax != test.minimax {
				t.Errorf("%s on %v: %d and %d, want %d and %d", pos.FEN(), sq, printed, minimax, test.printed, test.minimax)
			}
			c, sq = c.Other(), sq.Flip()
		}
	}
}
