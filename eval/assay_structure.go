package eval

import "github.com/assay-chess/assay/engine/board"

// The model assay: pawns and kings, which change seldom. What is counted here depends on
// nothing but the pawns and the kings' squares, so that a scorer may remember it, see
// pawnTable.

// traceStructure counts the structure of both sides, Black's first, and ends with
// Black's turn, as it began.
func traceStructure(black, white *view, s tracer) tracer {
	s = traceStructureSide(black, s).turn()
	return traceStructureSide(white, s).turn()
}

func traceStructureSide(v *view, s tracer) tracer {
	return traceKing(v, tracePawns(v, s))
}

// tracePawns counts material, squares and structure of the pawns, and finds what other
// terms ask of them.
func tracePawns(v *view, s tracer) tracer {
	p := v.pawns
	s = s.add(assayMaterial, p.Count())
	v.outposts = (board.Rank4 | board.Rank5 | board.Rank6) & v.attacks &^ stoppable(v.theirPawns)
	alone := isolated(p)
	s = s.add(assayIsolated, alone.Count())
	s = s.add(assayDoubled, doubled(p).Count())
	s = s.add(assayBackward, backward(p, alone, v.theirAttack).Count())
	for b := p; b != 0; {
		s = s.one(assaySquarePawn + int(b.PopFirst()))
	}
	for b := p & beside(p); b != 0; {
		s = s.one(assayPhalanx - 1 + b.PopFirst().Rank())
	}
	for b := p & v.attacks; b != 0; {
		s = s.one(assaySupported - 2 + b.PopFirst().Rank())
	}
	v.passed = passed(p, v.theirPawns)
	for b := v.passed; b != 0; {
		s = s.one(assayPassed - 1 + b.PopFirst().Rank())
	}
	unopposed := p &^ down(v.theirPawns>>8)
	s = s.add(assayIsolatedOpen, (alone & unopposed).Count())
	s = s.add(assayBackwardOpen, (backward(p, alone, v.theirAttack) & unopposed).Count())
	return s
}

// traceKing counts the king's square and its shelter, which is the nearest own pawn
// beside or before it on its own and the next files.
func traceKing(v *view, s tracer) tracer {
	s = s.one(assaySquareKing + int(v.king))
	before := v.pawns & (^board.Bitboard(0) << (v.king & 56))
	s = s.one(assayShelter + nearestRank(before, v.king&7))
	if v.king&7 != 0 {
		s = s.one(assayShelter + 7 + nearestRank(before, v.king&7-1))
	}
	if v.king&7 != 7 {
		s = s.one(assayShelter + 7 + nearestRank(before, v.king&7+1))
	}
	return s
}
