package eval

import "github.com/assay-chess/assay/engine/board"

// The model assay: the terms that need both sides, in the view of the side that they
// count for.

// traceThreats counts attacks that win something or force a reply: pawns on pieces,
// pieces on more valuable or poorly defended ones, pawns that could advance to attack a
// piece, and hanging pieces.
func traceThreats(v *view, o *opponent, s tracer) tracer {
	strong := o.attackedByPawn | o.attackedTwice&^v.attackedTwice
	weak := o.pieces &^ strong
	// Most positions have no threats of a kind: one test saves counting each.
	if (o.pieces&^o.pawns)&v.pawnAttacks != 0 {
		s = s.add(assayThreatPawn, (o.knights & v.pawnAttacks).Count())
		s = s.add(assayThreatPawn+1, (o.bishops & v.pawnAttacks).Count())
		s = s.add(assayThreatPawn+2, (o.rooks & v.pawnAttacks).Count())
		s = s.add(assayThreatPawn+3, (o.queens & v.pawnAttacks).Count())
	}
	if minor := (v.attackedBy[board.Knight] | v.attackedBy[board.Bishop]) & (weak | o.rooks | o.queens); minor != 0 {
		s = s.add(assayThreatMinor, (o.pawns & minor).Count())
		s = s.add(assayThreatMinor+1, (o.knights & minor).Count())
		s = s.add(assayThreatMinor+2, (o.bishops & minor).Count())
		s = s.add(assayThreatMinor+3, (o.rooks & minor).Count())
		s = s.add(assayThreatMinor+4, (o.queens & minor).Count())
	}
	if rook := v.attackedBy[board.Rook] & (weak | o.queens); rook != 0 {
		s = s.add(assayThreatRook, (o.pawns & rook).Count())
		s = s.add(assayThreatRook+1, (o.knights & rook).Count())
		s = s.add(assayThreatRook+2, (o.bishops & rook).Count())
		s = s.add(assayThreatRook+3, (o.rooks & rook).Count())
		s = s.add(assayThreatRook+4, (o.queens & rook).Count())
	}
	s = s.add(assayThreatKing, (weak & v.attackedBy[board.King]).Count())
	if hanging := v.attacked & o.pieces &^ o.attacked; hanging != 0 {
		s = s.add(assayHanging, (hanging & o.pawns).Count())
		s = s.add(assayHanging+1, (hanging &^ o.pawns).Count())
	}
	step := v.pawns << 8 &^ v.occupied
	step |= (step & board.Rank3) << 8 &^ v.occupied
	step &^= o.attackedByPawn | o.attacked&^v.attacked
	nonPawns := o.pieces &^ o.pawns
	return s.add(assayThreatPush, (board.PawnAttackSet(board.White, step) & nonPawns &^ v.pawnAttacks).Count())
}

// traceChecks counts safe checks, which cannot be answered by a capture, by type of piece,
// and pinned pieces of the opponent. Both add to v.units.
func traceChecks(v *view, o *opponent, s tracer) tracer {
	king := v.theirKing
	safe := ^(o.attacked &^ (v.attackedTwice & o.attackedByKing &^ o.attackedTwice)) &^ v.pieces()
	diagonal, straight := board.BishopAttacks(king, v.occupied), board.RookAttacks(king, v.occupied)
	if board.KnightAttacks(king)&v.attackedBy[board.Knight]&safe != 0 {
		s = s.one(assayCheck)
		v.units += dangerKnight
		v.checks |= 1
	}
	if diagonal&v.attackedBy[board.Bishop]&safe != 0 {
		s = s.one(assayCheck + 1)
		v.units += dangerBishop
		v.checks |= 2
	}
	if straight&v.attackedBy[board.Rook]&safe != 0 {
		s = s.one(assayCheck + 2)
		v.units += dangerRook
		v.checks |= 4
	}
	if (diagonal|straight)&v.attackedBy[board.Queen]&safe != 0 {
		s = s.one(assayCheck + 3)
		v.units += dangerQueen
		v.checks |= 8
	}
	// A pinner is a slider on a ray behind one piece.
	raysDiagonal, raysStraight := board.Rays(king)
	near, pinners := (diagonal|straight)&o.pieces, board.Bitboard(0)
	if far := (v.bishops | v.queens) & raysDiagonal &^ diagonal; far != 0 {
		pinners = far & board.BishopAttacks(king, v.occupied&^near)
	}
	if far := (v.rooks | v.queens) & raysStraight &^ straight; far != 0 {
		pinners |= far & board.RookAttacks(king, v.occupied&^near)
	}
	if pinners != 0 {
		v.pins = pinners.Count()
		v.units += dangerPin * v.pins
		s = s.add(assayPinned, v.pins)
	}
	return s
}

// traceRingWeak counts squares around their king that only the king guards, pieces that
// attack the ring, and a king on a flank without pawns.
func traceRingWeak(v *view, o *opponent, s tracer) tracer {
	v.unguarded = (v.ring & v.attacked &^ (o.attacked &^ (o.attackedByKing &^ o.attackedTwice))).Count()
	if v.unguarded != 0 {
		s = s.one(assayRingWeak - 1 + min(v.unguarded, weakBuckets))
	}
	if v.attackers > 0 {
		s = s.one(assayAttackers - 1 + min(v.attackers, 4))
	}
	flank := kingsFlank
	if v.theirKing&7 < 4 {
		flank = ^flank
	}
	if (v.pawns|o.pawns)&flank == 0 {
		s = s.one(assayBareFlank)
	}
	return s
}

// traceAttack adds what traceChecks and traceRingWeak found to an index of danger, which is
// halved without a queen.
func traceAttack(v *view, s tracer) tracer {
	danger := v.units + dangerUnguarded*v.unguarded + dangerAttacker*v.attackers
	if v.queens == 0 {
		danger /= 2
	}
	if danger >= dangerStep {
		s = s.one(assayDanger - 1 + min(danger/dangerStep, dangerBuckets))
	}
	return s
}

// Units of danger beside attacks on the ring.
const (
	dangerKnight    = 8
	dangerBishop    = 6
	dangerRook      = 10
	dangerQueen     = 8
	dangerUnguarded = 3
	dangerAttacker  = 3
	dangerPin       = 2
	dangerStep      = 4 // units a bucket
)

// kingsFlank is the king's side of the board.
const kingsFlank = board.FileE | board.FileF | board.FileG | board.FileH

// tracePassed counts what helps and what stops passed pawns.
func tracePassed(v *view, o *opponent, s tracer) tracer {
	for b := v.passed; b != 0; {
		sq := b.PopFirst()
		rank, stop := sq.Rank(), sq+8
		if o.pieces.Has(stop) {
			s = s.one(assayPassedHalt + rank - 1)
		}
		if rank < 3 {
			continue
		}
		s = s.one(assayPassedOwn + 6*(rank-3) + min(distance(v.king, stop), 5))
		s = s.one(assayPassedTheir + 6*(rank-3) + min(distance(v.theirKing, stop), 5))
		file := board.FileA << (sq & 7)
		path := file & ahead(sq)
		if path&(v.occupied|o.attacked) == 0 {
			s = s.one(assayPassedOpen + rank - 3)
		}
		if !(v.occupied | o.attacked).Has(stop) {
			s = s.one(assayPassedSafe + rank - 3)
		}
		behind := board.RookAttacks(sq, v.occupied) & file &^ ahead(sq)
		if behind&v.rooks != 0 {
			s = s.one(assayPassedRook)
		}
		if behind&o.rooks != 0 {
			s = s.one(assayPassedRook + 1)
		}
		if o.pawnsOnly && path&v.occupied == 0 && distance(v.theirKing, sq|56)-o.toMove > 7-rank {
			s = s.one(assayUnstoppable)
		}
	}
	return s
}

// traceMopUp counts, against a bare king that can be mated, its distance from the edge and
// the distance between the kings.
func traceMopUp(v *view, o *opponent, s tracer) tracer {
	if o.pieces.Many() || v.rooks|v.queens == 0 && !(v.bishops|v.knights).Many() {
		return s
	}
	file, rank := v.theirKing&7, v.theirKing>>3
	s = s.one(assayMopEdge + int(min(file, 7-file, rank, 7-rank)))
	return s.one(assayMopKings - 2 + distance(v.king, v.theirKing))
}

// distance returns the number of moves that a king needs from a to b.
func distance(a, b board.Square) int {
	file, rank := a.File()-b.File(), a.Rank()-b.Rank()
	return max(file, -file, rank, -rank)
}
