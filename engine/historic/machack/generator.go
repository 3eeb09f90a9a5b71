package machack

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// candidate is a legal move with what the generator says of it.
type candidate struct {
	move     board.Move
	position int // points of positional heuristics
	tactics  int // points of the others
	safe     bool
	check    bool
	capture  bool
	factors  []factor // kept for explanations alone
}

// factor is what one heuristic says of a move.
type factor struct {
	kind   kind
	points int
	at     board.Square   // of the man that it is about
	now    board.Bitboard // squares that this man attacks since
}

func (c *candidate) plausibility() int { return c.position + c.tactics }

// poor reports whether the move is developmentally poor.
func (c *candidate) poor() bool { return c.position < poorBelow }

// poorBelow is the positional score from which on a move is marked as poor: ours.
const poorBelow = -8

// generator is the plausible move generator for one position. What it says of a move is
// worked out for the move and not for the position after it: "this move is bad because
// it blocks my bishop".
type generator struct {
	p       *board.Position
	us      board.Color
	worth   [2][64]int8       // importance of each square, by the side that bears on it
	hanging [2]board.Bitboard // men en prise
	pinned  board.Bitboard    // enemy men that are
	weak    board.Bitboard    // enemy pawns that no pawn of theirs can ever guard
	passed  board.Bitboard    // own passed pawns
	queens  bool              // whether there are any
	trace   bool              // keep factors
}

// list appends the moves with their plausibilities, the most plausible first; of equal
// ones the order of the moves stays.
func (g *generator) list(p *board.Position, moves []board.Move, buf []candidate) []candidate {
	g.see(p)
	for _, m := range moves {
		buf = append(buf, candidate{move: m})
		g.judge(&buf[len(buf)-1])
	}
	slices.SortStableFunc(buf, func(a, b candidate) int { return b.plausibility() - a.plausibility() })
	return buf
}

// see looks at the position once for all moves.
func (g *generator) see(p *board.Position) {
	g.p, g.us = p, p.SideToMove()
	g.queens = p.ByType(board.Queen) != 0
	g.pinned = 0
	for c := range board.Color(2) {
		g.hanging[c] = allEnPrise(p, c)
	}
	them := g.us.Other()
	for pieces := p.ByColor(them) &^ p.ByType(board.King); pieces != 0; {
		if sq := pieces.PopFirst(); pinned(p, sq) {
			g.pinned |= sq.Bitboard()
		}
	}
	pawns, theirs := p.Pieces(g.us, board.Pawn), p.Pieces(them, board.Pawn)
	files := fill(theirs, board.White) | fill(theirs, board.Black)
	g.weak = theirs &^ (files.East() | files.West())
	cover := fill(theirs.Forward(them), them)
	g.passed = pawns &^ (cover | cover.East() | cover.West())
	for c := range board.Color(2) {
		g.value(c)
	}
}

// fill adds all squares ahead of the side's.
func fill(b board.Bitboard, c board.Color) board.Bitboard {
	for range 6 {
		b |= b.Forward(c)
	}
	return b
}

// value finds the importance of the squares: by closeness to the center and to the
// other king, by own men on them, more if en prise, and a little by closeness to the
// other side of the board.
func (g *generator) value(c board.Color) {
	king := g.p.KingSquare(c.Other())
	own := g.p.ByColor(c)
	for s := board.A1; s <= board.H8; s++ {
		v := center[min(s.File(), 7-s.File())][min(s.Rank(), 7-s.Rank())]
		if d := distance(s, king); d <= 2 {
			v += int8(3 - d)
		}
		if own.Has(s) {
			v++
			if g.hanging[c].Has(s) {
				v += 4
			}
		}
		if s.RelativeRank(c) >= 4 {
			v++
		}
		g.worth[c][s] = v
	}
}

// center holds points by the distances from the nearest edges.
var center = [4][4]int8{{1, 1, 1, 1}, {1, 2, 2, 2}, {1, 2, 3, 3}, {1, 2, 3, 5}}

// distance is the number of moves a king needs.
func distance(a, b board.Square) int {
	f, r := a.File()-b.File(), a.Rank()-b.Rank()
	return max(f, -f, r, -r)
}

// target holds points for actual attacks on men of a kind.
var target = [...]int{board.Pawn: 2, board.Knight: 4, board.Bishop: 4, board.Rook: 6, board.Queen: 8, board.King: 3, board.NoPieceType: 0}

// bearing returns what it is worth to a side to bear on squares, on a board p.
func (g *generator) bearing(p *board.Position, c board.Color, squares board.Bitboard) (sum int) {
	for s := squares; s != 0; {
		sum += int(g.worth[c][s.PopFirst()])
	}
	for pieces := squares & p.ByColor(c.Other()); pieces != 0; {
		sum += target[p.PieceAt(pieces.PopFirst()).Type()]
	}
	return sum
}

// development is the developmental value of the man on sq of board p. A king has none as
// long as there are queens.
func (g *generator) development(p *board.Position, sq board.Square) int {
	piece := p.PieceAt(sq)
	switch piece.Type() {
	case board.Pawn:
		return g.bearing(p, piece.Color(), board.PawnAttacks(piece.Color(), sq))
	case board.King:
		if g.queens {
			return 0
		}
	}
	return g.bearing(p, piece.Color(), board.Attacks(piece.Type(), sq, p.Occupied()))
}
