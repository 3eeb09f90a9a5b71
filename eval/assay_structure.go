package eval

import "github.com/assay-chess/assay/engine/board"

// The model assay: what changes rarely, so that a scorer can cache it. The terms of pawns and
// kings depend on nothing but the pawns and the kings' squares, see pawnTable, the terms of
// material on the numbers of pieces alone, see materialTable.

// traceStructure counts the pawns and kings of both sides, Black's first. It ends with
// Black's turn, as it starts.
func traceStructure(black, white *view, s tracer) tracer {
	s = traceStructureSide(black, s).turn()
	return traceStructureSide(white, s).turn()
}

func traceStructureSide(v *view, s tracer) tracer {
	return traceKing(v, tracePawns(v, s))
}

// tracePawns counts material, squares and structure of the pawns, and sets v.passed and
// v.outposts for other terms.
func tracePawns(v *view, s tracer) tracer {
	p := v.pawns
	s = s.add(assayMaterial, p.Count())
	v.outposts = (board.Rank4 | board.Rank5 | board.Rank6) & v.pawnAttacks &^ stoppable(v.theirPawns)
	alone := isolated(p)
	s = s.add(assayIsolated, alone.Count())
	s = s.add(assayDoubled, doubled(p).Count())
	s = s.add(assayBackward, backward(p, alone, v.theirPawnAttacks).Count())
	for b := p; b != 0; {
		s = s.one(assaySquarePawn + int(b.PopFirst()))
	}
	for b := p & beside(p); b != 0; {
		s = s.one(assayPhalanx - 1 + b.PopFirst().Rank())
	}
	for b := p & v.pawnAttacks; b != 0; {
		s = s.one(assaySupported - 2 + b.PopFirst().Rank())
	}
	v.passed = passed(p, v.theirPawns)
	for b := v.passed; b != 0; {
		s = s.one(assayPassed - 1 + b.PopFirst().Rank())
	}
	unopposed := p &^ down(v.theirPawns>>8)
	s = s.add(assayIsolatedOpen, (alone & unopposed).Count())
	s = s.add(assayBackwardOpen, (backward(p, alone, v.theirPawnAttacks) & unopposed).Count())
	return s
}

// traceKing counts the king's square and its shelter: on its own file and the files next
// to it, the nearest own pawn level with the king or ahead of it.
func traceKing(v *view, s tracer) tracer {
	s = s.one(assaySquareKing + int(v.king))
	shelter := v.pawns & (^board.Bitboard(0) << (v.king & 56))
	s = s.one(assayShelter + nearestRank(shelter, v.king&7))
	if v.king&7 != 0 {
		s = s.one(assayShelter + 7 + nearestRank(shelter, v.king&7-1))
	}
	if v.king&7 != 7 {
		s = s.one(assayShelter + 7 + nearestRank(shelter, v.king&7+1))
	}
	return s
}

// traceMaterial counts the pieces of both sides, Black's first. It ends with Black's turn, as
// it starts.
func traceMaterial(black, white *view, s tracer) tracer {
	s = traceMaterialSide(black, white, s).turn()
	return traceMaterialSide(white, black, s).turn()
}

// traceMaterialSide counts the pieces of a side, and products of their numbers and of
// the other side's pieces: the value of a piece depends on the pieces it faces.
func traceMaterialSide(v, o *view, s tracer) tracer {
	knights, bishops, rooks, queens := v.knights.Count(), v.bishops.Count(), v.rooks.Count(), v.queens.Count()
	s = s.add(assayMaterial+1, knights)
	s = s.add(assayMaterial+2, bishops)
	s = s.add(assayMaterial+3, rooks)
	s = s.add(assayMaterial+4, queens)
	theirPawns, theirKnights, theirBishops := o.pawns.Count(), o.knights.Count(), o.bishops.Count()
	s = s.add(assayAgainst, knights*theirPawns)
	s = s.add(assayAgainst+1, bishops*theirPawns)
	s = s.add(assayAgainst+2, rooks*theirPawns)
	s = s.add(assayAgainst+3, queens*theirPawns)
	s = s.add(assayAgainst+4, rooks*theirKnights)
	s = s.add(assayAgainst+5, rooks*theirBishops)
	s = s.add(assayAgainst+6, queens*theirKnights)
	s = s.add(assayAgainst+7, queens*theirBishops)
	return s.add(assayAgainst+8, queens*o.rooks.Count())
}
