package nss

import (
	"cmp"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// pieceValues are the conventional values in pawns. The king's is ours.
var pieceValues = [6]int{1, 3, 3, 5, 9, 100}

// exchange is a possible exchange on a square.
type exchange struct {
	square               board.Square
	attackers, defenders board.Bitboard // direct ones only
	value                int            // pawns that the attacking side wins
}

// exchanges lists the pieces of a side that the other side can capture without a loss, the
// largest gain first.
func exchanges(p *board.Position, owner board.Color) (list []exchange) {
	other := owner.Other()
	for pieces := p.ByColor(owner) &^ p.ByType(board.King); pieces != 0; {
		sq := pieces.PopFirst()
		touching := p.AttackersTo(sq, p.Occupied())
		if touching&p.ByColor(other) == 0 {
			continue
		}
		if v := playOut(p, sq, other, 0); v >= 0 {
			list = append(list, exchange{sq, touching & p.ByColor(other), touching & p.ByColor(owner), v})
		}
	}
	slices.SortStableFunc(list, func(a, b exchange) int { return cmp.Compare(b.value, a.value) })
	return list
}

// playOut returns the material, in pawns, that side c wins by capturing the piece on sq. The
// cheapest pieces capture first, pieces behind them join in, and after the first capture
// either side may stop. Pieces in without take no part. If c cannot capture, it is -1.
func playOut(p *board.Position, sq board.Square, c board.Color, without board.Bitboard) int {
	occupied := p.Occupied() &^ without
	first := cheapest(p, sq, c, occupied)
	if first == board.NoSquare {
		return -1
	}
	return pieceValues[p.PieceAt(sq).Type()] - retake(p, sq, c.Other(), occupied&^first.Bitboard(),
		p.PieceAt(first).Type())
}

// retake returns what side c wins by capturing the piece that is now on sq, or 0.
func retake(p *board.Position, sq board.Square, c board.Color, occupied board.Bitboard, piece board.PieceType) int {
	next := cheapest(p, sq, c, occupied)
	if next == board.NoSquare {
		return 0
	}
	occupied &^= next.Bitboard()
	kind := p.PieceAt(next).Type()
	if kind == board.King && cheapest(p, sq, c.Other(), occupied) != board.NoSquare {
		return 0 // a king cannot capture a defended piece
	}
	return max(0, pieceValues[piece]-retake(p, sq, c.Other(), occupied, kind))
}

// cheapest returns the square of the least valuable piece of c that attacks sq.
func cheapest(p *board.Position, sq board.Square, c board.Color, occupied board.Bitboard) board.Square {
	touching := p.AttackersTo(sq, occupied) & occupied & p.ByColor(c)
	for t := board.Pawn; t <= board.King; t++ {
		if b := touching & p.ByType(t); b != 0 {
			return b.First()
		}
	}
	return board.NoSquare
}

// loses reports whether side c loses the piece on sq if the other side captures it.
func loses(p *board.Position, sq board.Square, c board.Color, without board.Bitboard) bool {
	return p.AttackersTo(sq, p.Occupied()&^without)&p.ByColor(c.Other()) != 0 && playOut(p, sq, c.Other(), without) > 0
}

// employed reports whether the piece on sq is needed to defend a piece other than the one on
// except.
func employed(p *board.Position, sq, except board.Square) bool {
	c := p.PieceAt(sq).Color()
	for pieces := p.ByColor(c) &^ p.ByType(board.King) &^ sq.Bitboard() &^ except.Bitboard(); pieces != 0; {
		other := pieces.PopFirst()
		if !loses(p, other, c, 0) && loses(p, other, c, sq.Bitboard()) {
			return true
		}
	}
	return false
}
