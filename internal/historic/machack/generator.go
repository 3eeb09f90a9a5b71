package machack

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// candidate is a legal move with the results of the generator.
type candidate struct {
	move     board.Move
	position int // points of positional heuristics
	tactics  int // points of the others
	safe     bool
	check    bool
	capture  bool
	factors  []factor // only for explanations
}

// factor is the contribution of one heuristic to the plausibility of a move.
type factor struct {
	kind   *kind
	points int
	at     board.Square   // of the piece that it is about
	now    board.Bitboard // squares that this piece newly attacks
}

func (c *candidate) plausibility() int { return c.position + c.tactics }

// poor reports whether the move is developmentally poor.
func (c *candidate) poor() bool { return c.position < poorBelow }

// poorBelow is the positional score below which a move is marked as poor. It is ours.
const poorBelow = -8

// generator is the plausible move generator for one position. It judges moves, not the
// positions after them: "this move is bad because it blocks my bishop".
type generator struct {
	p       *board.Position
	us      board.Color
	squares [2][64]int8       // importance of each square, by the side that attacks it
	hanging [2]board.Bitboard // pieces en prise
	pinned  board.Bitboard    // pinned enemy pieces
	weak    board.Bitboard    // enemy pawns that no enemy pawn can ever defend
	passed  board.Bitboard    // own passed pawns
	queens  bool              // whether there are queens on the board
	trace   bool              // keep factors
}

// list appends the moves with their plausibilities, the most plausible first. Among equals
// it keeps the order of the moves.
func (g *generator) list(p *board.Position, moves []board.Move, buf []candidate) []candidate {
	g.prepare(p)
	for _, m := range moves {
		buf = append(buf, candidate{move: m})
		g.judge(&buf[len(buf)-1])
	}
	slices.SortStableFunc(buf, func(a, b candidate) int { return b.plausibility() - a.plausibility() })
	return buf
}

// prepare computes what all moves of the position share.
func (g *generator) prepare(p *board.Position) {
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

// fill adds all squares ahead of those in b, from the view of side c.
func fill(b board.Bitboard, c board.Color) board.Bitboard {
	for range 6 {
		b |= b.Forward(c)
	}
	return b
}

// value computes the importance of the squares for side c. It grows near the center and near
// the enemy king, for squares of own pieces, more so if they are en prise, and a little in
// the enemy's half of the board.
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
		g.squares[c][s] = v
	}
}

// center holds the points of a square by its distances from the nearest edges.
var center = [4][4]int8{{1, 1, 1, 1}, {1, 2, 2, 2}, {1, 2, 3, 3}, {1, 2, 3, 5}}

// distance is the number of moves a king needs.
func distance(a, b board.Square) int {
	f, r := a.File()-b.File(), a.Rank()-b.Rank()
	return max(f, -f, r, -r)
}

// target holds the points for attacking a piece, by its type.
var target = [...]int{board.Pawn: 2, board.Knight: 4, board.Bishop: 4, board.Rook: 6, board.Queen: 8, board.King: 3,
	board.NoPieceType: 0}

// bearing returns the points that side c gets in p for attacking the squares.
func (g *generator) bearing(p *board.Position, c board.Color, squares board.Bitboard) (sum int) {
	for s := squares; s != 0; {
		sum += int(g.squares[c][s.PopFirst()])
	}
	for pieces := squares & p.ByColor(c.Other()); pieces != 0; {
		sum += target[p.PieceAt(pieces.PopFirst()).Type()]
	}
	return sum
}

// development is the developmental value of the piece on sq in p. A king has none while there
// are queens on the board.
func (g *generator) development(p *board.Position, sq board.Square) int {
	piece := p.PieceAt(sq)
	if piece.Type() == board.King && g.queens {
		return 0
	}
	return g.bearing(p, piece.Color(), attacksOf(p, sq))
}
