package historic

import (
	"fmt"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// Exchange is a series of captures on one square, evaluated as in a lecture on chess programs
// by Tsan-sheng Hsu. All pieces that attack the square are listed once, the least valuable
// first; pieces behind others, pins and promotions are ignored. Values are in pawns, from the
// view of the side that captures first. The engine's own evaluation, which also counts the
// pieces behind others, is board.Position.SEE.
type Exchange struct {
	Square board.Square
	Side   board.Color // captures first: the opponent of the piece on the square

	// Captures are all captures that the lecture's procedure makes, with both sides capturing
	// until one has no attacker left.
	Captures []Capture

	// Printed is what the side wins by the procedure as the lecture prints it, in which
	// neither side may stop.
	Printed int
	// Minimax is what it wins if either side may stop before any capture, as the lecture
	// means it. At least 0.
	Minimax int
	// Worth is the number of captures that are made then.
	Worth int
}

// Capture is one capture of an exchange.
type Capture struct {
	From    board.Square
	Piece   board.Piece
	Takes   board.PieceType
	Balance int // won after it by the side that captured first
}

// NewExchange evaluates the exchange on a square, whichever side is to move. Its errors say
// why there is none: the square is empty, holds a king, or its piece is not attacked.
func NewExchange(p *board.Position, sq board.Square) (*Exchange, error) {
	on := p.PieceAt(sq)
	if on == board.NoPiece {
		return nil, fmt.Errorf("no exchange on %v: the square is empty; name the square of the piece to capture", sq)
	}
	if on.Type() == board.King {
		return nil, fmt.Errorf("no exchange on %v: a king is never captured; name the square of another piece", sq)
	}
	x := &Exchange{Square: sq, Side: on.Color().Other()}
	queue := [2][]board.Square{x.attackers(p, x.Side), x.attackers(p, x.Side.Other())}
	if len(queue[0]) == 0 {
		return nil, fmt.Errorf("no exchange on %v: no %v piece attacks the %v %v there", sq, x.Side, on.Color(), on.Type())
	}
	victim, sign := on.Type(), 1
	for turn := 0; len(queue[turn]) > 0; turn = 1 - turn {
		from := queue[turn][0]
		queue[turn] = queue[turn][1:]
		x.Printed += sign * Values[victim]
		x.Captures = append(x.Captures, Capture{from, p.PieceAt(from), victim, x.Printed})
		victim, sign = p.PieceAt(from).Type(), -sign
	}
	x.stop()
	return x, nil
}

// attackers returns the squares of a side's pieces that attack the square, the least valuable
// first, among equals a1 first.
func (x *Exchange) attackers(p *board.Position, c board.Color) (from []board.Square) {
	for b := p.AttackersTo(x.Square, p.Occupied()) & p.ByColor(c); b != 0; {
		from = append(from, b.PopFirst())
	}
	slices.SortStableFunc(from, func(a, b board.Square) int {
		return Values[p.PieceAt(a).Type()] - Values[p.PieceAt(b).Type()]
	})
	return from
}

// stop finds the captures that are worth making, from the last one back.
func (x *Exchange) stop() {
	for i := len(x.Captures) - 1; i >= 0; i-- {
		v := Values[x.Captures[i].Takes] - x.Minimax
		if x.Minimax = max(0, v); v > 0 {
			x.Worth++
		} else {
			x.Worth = 0
		}
	}
}
