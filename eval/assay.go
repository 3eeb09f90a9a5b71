package eval

import "github.com/assay-chess/assay/engine/board"

// The model assay: what its terms count. Every function here works in the view of one
// side, see view.

// traceAssay counts the terms of the model assay: first terms of each side alone, then,
// with all attacks known, those that need both sides.
func traceAssay(p *board.Position, s tracer) tracer {
	var white, black view
	black.set(p, board.Black)
	white.set(p, board.White)
	s = s.structure(p, &black, &white)
	s = s.material(p, &black, &white)
	s = traceRing(&black, traceAssaySide(&black, s))
	if p.SideToMove() == board.Black {
		s = s.one(assayTempo)
	}
	s = traceRing(&white, traceAssaySide(&white, s.turn()))
	if p.SideToMove() == board.White {
		s = s.one(assayTempo)
	}
	var o opponent
	o.set(&black)
	o.toMove = int(p.SideToMove())
	s = traceContact(&white, &o, s).turn()
	o.set(&white)
	o.toMove = 1 - int(p.SideToMove())
	return traceContact(&black, &o, s).turn()
}

func traceAssaySide(v *view, s tracer) tracer {
	v.mobilityArea = ^(v.pawns | v.king.Bitboard() | v.theirPawnAttacks)
	around := board.KingAttacks(v.theirKing)
	v.ring = around | around>>8 | v.theirKing.Bitboard()
	v.attackedBy[board.Pawn] = v.pawnAttacks
	v.attacked = v.pawnAttacks | board.KingAttacks(v.king)
	v.attackedBy[board.King] = board.KingAttacks(v.king)
	v.attackedTwice = v.pawnAttacks&v.attackedBy[board.King] | (v.pawns<<8).East()&(v.pawns<<8).West()
	s = traceKnights(v, s)
	s = traceBishops(v, s)
	s = traceRooks(v, s)
	return traceQueens(v, s)
}

// traceContact counts the terms that need both sides, for one of them.
func traceContact(v *view, o *opponent, s tracer) tracer {
	s = traceThreats(v, o, s)
	s = traceChecks(v, o, s)
	s = traceRingWeak(v, o, s)
	s = traceAttack(v, s)
	s = tracePassed(v, o, s)
	return traceMopUp(v, o, s)
}

// Units of an attack on one square of the ring around the king, by attacker.
const (
	unitsKnight = 2
	unitsBishop = 2
	unitsRook   = 3
	unitsQueen  = 5
)

// oneAttacker counts a piece that attacks the ring in view.hits.
const oneAttacker = 1 << 32

func traceKnights(v *view, s tracer) tracer {
	s = s.add(assayOutpost, (v.knights & v.outposts).Count())
	for b := v.knights; b != 0; {
		sq := b.PopFirst()
		attacks := board.KnightAttacks(sq)
		s = s.one(assaySquareKnight + int(sq))
		s = s.one(assayMobilityKnight + (attacks & v.mobilityArea).Count())
		v.addAttacks(board.Knight, attacks)
		if attacks&v.outposts&^(v.pawns|v.knights) != 0 {
			s = s.one(assayOutpostReach)
		}
		if hits := attacks & v.ring; hits != 0 {
			v.units += unitsKnight * hits.Count()
			v.attackers++
			v.hits += (hits.Count() + oneAttacker)
		}
	}
	return s
}

func traceBishops(v *view, s tracer) tracer {
	s = s.add(assayOutpost+1, (v.bishops & v.outposts).Count())
	for b := v.bishops; b != 0; {
		sq := b.PopFirst()
		attacks := board.BishopAttacks(sq, v.occupied)
		s = s.one(assaySquareBishop + int(sq))
		s = s.one(assayMobilityBishop + (attacks & v.mobilityArea).Count())
		v.addAttacks(board.Bishop, attacks)
		if hits := attacks & v.ring; hits != 0 {
			v.units += unitsBishop * hits.Count()
			v.attackers++
			v.hits += (hits.Count() + oneAttacker) << 8
		}
	}
	if v.bishops&board.LightSquares != 0 && v.bishops&board.DarkSquares != 0 {
		s = s.one(assayPair)
	}
	return s
}

func traceRooks(v *view, s tracer) tracer {
	s = s.add(assaySeventh, (v.rooks & board.Rank7).Count())
	for b := v.rooks; b != 0; {
		sq := b.PopFirst()
		attacks := board.RookAttacks(sq, v.occupied)
		s = s.one(assaySquareRook + int(sq))
		s = s.one(assayMobilityRook + (attacks & v.mobilityArea).Count())
		v.addAttacks(board.Rook, attacks)
		if hits := attacks & v.ring; hits != 0 {
			v.units += unitsRook * hits.Count()
			v.attackers++
			v.hits += (hits.Count() + oneAttacker) << 16
		}
		file := board.FileA << (sq & 7)
		if v.pawns&file == 0 {
			if v.theirPawns&file == 0 {
				s = s.one(assayOpen)
			} else {
				s = s.one(assayHalfOpen)
			}
		}
	}
	return s
}

func traceQueens(v *view, s tracer) tracer {
	for b := v.queens; b != 0; {
		sq := b.PopFirst()
		attacks := board.QueenAttacks(sq, v.occupied)
		s = s.one(assaySquareQueen + int(sq))
		s = s.one(assayMobilityQueen + (attacks & v.mobilityArea).Count())
		v.addAttacks(board.Queen, attacks)
		if hits := attacks & v.ring; hits != 0 {
			v.units += unitsQueen * hits.Count()
			v.attackers++
			v.hits += (hits.Count() + oneAttacker) << 24
		}
	}
	return s
}

// traceRing counts the attacks on the squares around their king. No attack has no term:
// it is the zero that the others are measured from.
func traceRing(v *view, s tracer) tracer {
	if v.units > 0 {
		s = s.one(assayRing + min((v.units-1)/3, ringBuckets-1))
	}
	return s
}
