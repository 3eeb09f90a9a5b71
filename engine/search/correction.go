package search

import "github.com/assay-chess/assay/engine/board"

// correction learns by how much the static evaluation is wrong. It remembers how searches
// differed from static evaluations in positions with the same pawns and kings, with the same
// pieces of a side, and after the same move.
type correction struct {
	pawns  [2][correctionSize]int16    // by the side to move, as all of them
	pieces [2][2][correctionSize]int16 // by the pieces' side too
	moves  [2][pieceTos]int16
	none   int16 // in place of moves, where no move came before
}

const (
	// correctionSize is the number of pawn structures and of placements that are distinguished.
	correctionSize = 1 << 14
	// correctionStep is the largest change by one search.
	correctionStep = historyMax / 4
)

// corrections returns the entries for the position at the ply: by its pawns, White's
// pieces, Black's pieces and the last move. Values are up to historyMax, from the side to
// move's view.
func (e *Engine) corrections(ply int) [4]*int16 {
	p := &e.at(ply).pos
	us := p.SideToMove() & 1
	c := &e.correction
	last := &c.none
	if before := e.at(ply - 1); before.move != board.NullMove {
		last = &c.moves[us][pieceTo(before.piece, before.move)]
	}
	return [4]*int16{&c.pawns[us][p.PawnKey()%correctionSize], &c.pieces[us][0][piecesIndex(p, board.White)],
		&c.pieces[us][1][piecesIndex(p, board.Black)], last}
}

// piecesIndex returns an index below correctionSize for the squares of the side's pieces other
// than king and pawns.
func piecesIndex(p *board.Position, c board.Color) uint64 {
	h := uint64(p.Pieces(c, board.Knight))*0x9e3779b97f4a7c15 ^ uint64(p.Pieces(c, board.Bishop))*0xc2b2ae3d27d4eb4f ^
		uint64(p.Pieces(c, board.Rook))*0x165667b19e3779f9 ^ uint64(p.Pieces(c, board.Queen))*0xd6e8feb86659fd93
	return (h ^ h>>32) * 0x9e3779b97f4a7c15 >> 32 % correctionSize
}

// corrected returns the static evaluation of the position at the ply, given without it, with
// its correction.
func (e *Engine) corrected(ply, raw int) int {
	v := &e.params.values
	c := e.corrections(ply)
	sum := int(*c[0])*v[correctPawns] + (int(*c[1])+int(*c[2]))*v[correctPieces] + int(*c[3])*v[correctMoves]
	return min(max(raw+sum/historyMax, -mateBound+1), mateBound-1)
}

// correct learns from a search of the position at the ply to the depth, if its score says
// something of the static evaluation: not if a capture was best, and not if it is a bound on the
// side of the static evaluation.
func (e *Engine) correct(ply, depth, score int, b bound, best board.Move) {
	f := e.at(ply)
	if f.eval == noEval || abs(score) >= mateBound || best != board.NullMove && !isQuiet(&f.pos, best) ||
		b == lowerBound && score <= f.eval || b == upperBound && score >= f.eval {
		return
	}
	step := (score - f.eval) * depth * e.params.values[correctRate] >> plyBits
	step = min(max(step, -correctionStep), correctionStep)
	for _, h := range e.corrections(ply) {
		if h != &e.correction.none {
			update(h, step)
		}
	}
}
