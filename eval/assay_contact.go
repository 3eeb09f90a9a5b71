package eval

import "github.com/assay-chess/assay/engine/board"

// The model assay: what the men of one side do to those of the other. All is seen
// from the chair of the side that does it.

// traceThreats counts attacks that win something or force a reply: of pawns on
// pieces, of pieces on dearer ones and on men that are not well guarded, of pawns
// that could step forward to attack, and men that nobody guards.
func traceThreats(v *view, f *front, s tracer) tracer {
	for kind, men := range [4]board.Bitboard{f.knights, f.bishops, f.rooks, f.queens} {
		s = s.add(assayThreatPawn+kind, (men & v.attacks).Count())
	}
	strong := f.byPawn | f.twice&^v.twice
	weak := f.men &^ strong
	minor := v.by[board.Knight] | v.by[board.Bishop]
	rook := v.by[board.Rook]
	for kind, men := range [3]board.Bitboard{f.pawns, f.knights, f.bishops} {
		s = s.add(assayThreatMinor+kind, (men & minor & weak).Count())
		s = s.add(assayThreatRook+kind, (men & rook & weak).Count())
	}
	s = s.add(assayThreatMinor+3, (f.rooks & minor).Count())
	s = s.add(assayThreatMinor+4, (f.queens & minor).Count())
	s = s.add(assayThreatRook+3, (f.rooks & rook & weak).Count())
	s = s.add(assayThreatRook+4, (f.queens & rook).Count())
	s = s.add(assayThreatKing, (weak & v.by[board.King]).Count())
	open := v.all & f.men &^ f.all
	s = s.add(assayHanging, (open & f.pawns).Count())
	s = s.add(assayHanging+1, (open &^ f.pawns).Count())
	step := v.pawns << 8 &^ v.occupied
	step |= (step & board.Rank3) << 8 &^ v.occupied
	step &^= f.byPawn | f.all&^v.all
	pieces := f.men &^ f.pawns
	return s.add(assayThreatPush, (board.PawnAttackSet(board.White, step) & pieces &^ v.attacks).Count())
}

// traceChecks counts checks that cannot be answered by taking, by kind of man, and
// men of theirs that cannot leave the line to their king. Both add to v.units.
func traceChecks(v *view, f *front, s tracer) tracer {
	king := v.theirKing
	safe := ^(f.all &^ (v.twice & f.byKing &^ f.twice)) &^ v.men()
	diagonal, straight := board.BishopAttacks(king, v.occupied), board.RookAttacks(king, v.occupied)
	if board.KnightAttacks(king)&v.by[board.Knight]&safe != 0 {
		s = s.one(assayCheck)
		v.units += dangerKnight
	}
	if diagonal&v.by[board.Bishop]&safe != 0 {
		s = s.one(assayCheck + 1)
		v.units += dangerBishop
	}
	if straight&v.by[board.Rook]&safe != 0 {
		s = s.one(assayCheck + 2)
		v.units += dangerRook
	}
	if (diagonal|straight)&v.by[board.Queen]&safe != 0 {
		s = s.one(assayCheck + 3)
		v.units += dangerQueen
	}
	near := (diagonal | straight) & f.men
	pinners := (board.BishopAttacks(king, v.occupied&^near)&^diagonal)&(v.bishops|v.queens) |
		(board.RookAttacks(king, v.occupied&^near)&^straight)&(v.rooks|v.queens)
	v.units += dangerPin * pinners.Count()
	return s.add(assayPinned, pinners.Count())
}

// traceAttack counts squares of their king's ring that it alone guards, men that
// attack the ring, and a flank without pawns. What it and traceChecks find adds up to
// an index of danger, which is halved without a queen.
func traceAttack(v *view, f *front, s tracer) tracer {
	loose := (v.ring & v.all &^ (f.all &^ (f.byKing &^ f.twice))).Count()
	if loose != 0 {
		s = s.one(assayRingWeak - 1 + min(loose, weakBuckets))
	}
	if v.attackers > 0 {
		s = s.one(assayAttackers - 1 + min(v.attackers, 4))
	}
	danger := v.units + dangerLoose*loose + dangerAttacker*v.attackers
	if v.queens == 0 {
		danger /= 2
	}
	if danger >= dangerStep {
		s = s.one(assayDanger - 1 + min(danger/dangerStep, dangerBuckets))
	}
	flank := kingsFlank
	if v.theirKing&7 < 4 {
		flank = ^flank
	}
	if (v.pawns|f.pawns)&flank == 0 {
		s = s.one(assayBareFlank)
	}
	return s
}

// Units of danger beside those of attacks on the ring.
const (
	dangerKnight   = 8
	dangerBishop   = 6
	dangerRook     = 10
	dangerQueen    = 8
	dangerLoose    = 3
	dangerAttacker = 3
	dangerPin      = 2
	dangerStep     = 4 // units a bucket
)

// kingsFlank is the half of the board that kings castle short to.
const kingsFlank = board.FileE | board.FileF | board.FileG | board.FileH

// tracePassed counts what helps and what hinders passed pawns.
func tracePassed(v *view, f *front, s tracer) tracer {
	for b := v.passed; b != 0; {
		sq := b.PopFirst()
		rank, stop := sq.Rank(), sq+8
		if f.men.Has(stop) {
			s = s.one(assayPassedHalt + rank - 1)
		}
		if rank < 3 {
			continue
		}
		s = s.one(assayPassedOwn + 6*(rank-3) + min(distance(v.king, stop), 5))
		s = s.one(assayPassedTheir + 6*(rank-3) + min(distance(v.theirKing, stop), 5))
		file := board.FileA << (sq & 7)
		path := file & ahead(sq)
		if path&(v.occupied|f.all) == 0 {
			s = s.one(assayPassedOpen + rank - 3)
		}
		if !(v.occupied | f.all).Has(stop) {
			s = s.one(assayPassedSafe + rank - 3)
		}
		behind := board.RookAttacks(sq, v.occupied) & file &^ ahead(sq)
		if behind&v.rooks != 0 {
			s = s.one(assayPassedRook)
		}
		if behind&f.rooks != 0 {
			s = s.one(assayPassedRook + 1)
		}
		if f.alone && path&v.occupied == 0 && distance(v.theirKing, sq|56)-f.toMove > 7-rank {
			s = s.one(assayUnstoppable)
		}
	}
	return s
}

// traceMopUp counts, against a bare king that can be mated, how near it is to the
// edge and the kings are to each other.
func traceMopUp(v *view, f *front, s tracer) tracer {
	if f.men.Many() || v.rooks|v.queens == 0 && !(v.bishops|v.knights).Many() {
		return s
	}
	file, rank := v.theirKing&7, v.theirKing>>3
	s = s.one(assayMopEdge + int(min(file, 7-file, rank, 7-rank)))
	return s.one(assayMopKings - 2 + distance(v.king, v.theirKing))
}

// distance returns how many moves a king needs from a to b.
func distance(a, b board.Square) int {
	file, rank := a.File()-b.File(), a.Rank()-b.Rank()
	return max(file, -file, rank, -rank)
}

// traceBalance counts products of a number of own men and one of theirs: what a man
// is worth depends on whom it meets.
func traceBalance(v *view, f *front, s tracer) tracer {
	knights, bishops, rooks, queens := v.knights.Count(), v.bishops.Count(), v.rooks.Count(), v.queens.Count()
	theirPawns, theirKnights, theirBishops := f.pawns.Count(), f.knights.Count(), f.bishops.Count()
	s = s.add(assayAgainst, knights*theirPawns)
	s = s.add(assayAgainst+1, bishops*theirPawns)
	s = s.add(assayAgainst+2, rooks*theirPawns)
	s = s.add(assayAgainst+3, queens*theirPawns)
	s = s.add(assayAgainst+4, rooks*theirKnights)
	s = s.add(assayAgainst+5, rooks*theirBishops)
	s = s.add(assayAgainst+6, queens*theirKnights)
	s = s.add(assayAgainst+7, queens*theirBishops)
	return s.add(assayAgainst+8, queens*f.rooks.Count())
}
