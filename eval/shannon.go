package eval

import "github.com/assay-chess/assay/engine/board"

// The model shannon-1950: f(P) of Claude Shannon, "Programming a Computer for Playing
// Chess", Philosophical Magazine 41 (1950), section 3, in centipawns:
//
//	f(P) = 900(Q-Q') + 500(R-R') + 300(B-B'+N-N') + 100(P-P')
//	     - 50(D-D'+S-S'+I-I') + 10(M-M')
//
// D counts doubled pawns (all but one on every file), S backward and I isolated pawns, M
// legal moves; for the side not to move, those it would have after a pass. Both sides
// always have a king, so its 200 pawns are left out.

const (
	shannonPawn = iota
	shannonKnight
	shannonBishop
	shannonRook
	shannonQueen
	shannonDoubled
	shannonBackward
	shannonIsolated
	shannonMobility
	shannonTerms
)

func shannonModel() *Model {
	t := newTable(shannonTerms)
	declareShannon(t)
	return newModel("shannon-1950", t, traceShannon, nil)
}

func declareShannon(t *table) {
	for i, f := range []struct {
		name, group string
		start       int32
	}{
		shannonPawn:     {"pawn", GroupMaterial, 100},
		shannonKnight:   {"knight", GroupMaterial, 300},
		shannonBishop:   {"bishop", GroupMaterial, 300},
		shannonRook:     {"rook", GroupMaterial, 500},
		shannonQueen:    {"queen", GroupMaterial, 900},
		shannonDoubled:  {"doubled", groupPawns, -50},
		shannonBackward: {"backward", groupPawns, -50},
		shannonIsolated: {"isolated", groupPawns, -50},
		shannonMobility: {"mobility", groupMobility, 10},
	} {
		t.set(i, Term{Name: f.name, Group: f.group, Source: sourceShannon}, f.start)
	}
}

// traceShannon counts the terms of f(P).
func traceShannon(p *board.Position, s tracer) tracer {
	var own, other = p.CountLegal(), legalAfterPass(p)
	if p.SideToMove() == board.Black {
		own, other = other, own
	}
	var v view
	v.set(p, board.Black)
	s = traceShannonSide(&v, other, s).turn()
	v.set(p, board.White)
	return traceShannonSide(&v, own, s)
}

func traceShannonSide(v *view, moves int, s tracer) tracer {
	s = s.add(shannonPawn, v.pawns.Count())
	s = s.add(shannonKnight, v.knights.Count())
	s = s.add(shannonBishop, v.bishops.Count())
	s = s.add(shannonRook, v.rooks.Count())
	s = s.add(shannonQueen, v.queens.Count())
	alone := isolated(v.pawns)
	s = s.add(shannonDoubled, doubled(v.pawns).Count())
	s = s.add(shannonBackward, backward(v.pawns, alone, v.theirPawnAttacks).Count())
	s = s.add(shannonIsolated, alone.Count())
	return s.add(shannonMobility, moves)
}

// legalAfterPass returns the number of legal moves that the side not to move would have if
// it were its turn. If the side to move is in check, captures of its king count like any
// other move.
func legalAfterPass(p *board.Position) int {
	passed := *p
	passed.MakeNull()
	return passed.CountLegal()
}

// The model shannon-appendix: f(P) with every further term that the appendix of Shannon's
// paper of 1950 lists. He gave no weights for them, "determined by some experimental
// procedure": the start weights are our own, and small. Where his words leave a definition
// open, it is our own too; the function that counts a term has its definition.
//
// The functions count for White; for Black's counts the position is mirrored.

const (
	appendixDoubledAll = shannonTerms + iota
	appendixCenter
	appendixShelter
	appendixOffColor
	appendixPassed
	appendixKnight
	appendixKnightHeld
	appendixOpen
	appendixHalfOpen
	appendixSeventh
	appendixDoubledRooks
	appendixCommitted
	appendixExchanges
	appendixKingZone
	appendixPins
	appendixTerms
)

func appendixModel() *Model {
	t := newTable(appendixTerms)
	declareShannon(t)
	for i, f := range []struct {
		name, group, item string
		start             int32
	}{
		// Every pawn of a file that holds two: the other reading of "doubled".
		{"doubled-all", groupPawns, "2a", 0},
		{"centre-pawn", groupPawns, "2b", 10},
		{"weak-shelter", groupKing, "2c", -10},
		{"pawn-off-bishop-colour", groupPawns, "2d", 3},
		{"passed", groupPassed, "2e", 25},
		{"knight.advanced", groupPieces, "3a", 10},
		{"knight.advanced.held", groupPieces, "3a", 15},
		{"rook.open-file", groupPieces, "3b", 20},
		{"rook.half-open-file", groupPieces, "3b", 10},
		{"rook.seventh", groupPieces, "3c", 20},
		{"rooks-doubled", groupPieces, "3d", 10},
		{"committed", groupPieces, "4a", -5},
		{"exchange", groupPieces, "4b", 3},
		{"king-zone", groupKing, "4c", 5},
		{"pin", groupPieces, "4d", 15},
	} {
		source := "Shannon 1950, appendix " + f.item + "; start weight our own"
		t.set(shannonTerms+i, Term{Name: f.name, Group: f.group, Source: source}, f.start)
	}
	return newModel("shannon-appendix", t, traceAppendix, nil)
}

// traceAppendix counts the terms of f(P) and of the appendix.
func traceAppendix(p *board.Position, s tracer) tracer {
	var own, other = p.CountLegal(), legalAfterPass(p)
	if p.SideToMove() == board.Black {
		own, other = other, own
	}
	mirror := p.Mirror()
	s = traceAppendixSide(&mirror, other, s).turn()
	return traceAppendixSide(p, own, s)
}

func traceAppendixSide(p *board.Position, moves int, s tracer) tracer {
	var v view
	v.set(p, board.White)
	s = traceShannonSide(&v, moves, s)
	s = s.add(appendixDoubledAll, (v.pawns & (up(v.pawns<<8) | down(v.pawns>>8))).Count())
	s = s.add(appendixCenter, (v.pawns & extendedCenter).Count())
	s = s.add(appendixShelter, weakShelter(&v))
	s = s.add(appendixOffColor, offColor(&v))
	s = s.add(appendixPassed, passed(v.pawns, v.theirPawns).Count())
	advanced := v.knights & advancedSquares
	s = s.add(appendixKnight, advanced.Count())
	s = s.add(appendixKnightHeld, (advanced & v.pawnAttacks &^ stoppable(v.theirPawns)).Count())
	s = traceAppendixRooks(&v, s)
	committed, exchanges := commitments(p)
	s = s.add(appendixCommitted, committed)
	s = s.add(appendixExchanges, exchanges)
	s = s.add(appendixKingZone, kingZone(p))
	return s.add(appendixPins, pins(p))
}

// traceAppendixRooks counts items 3b to 3d. Two rooks on a file are doubled, whatever is
// between them.
func traceAppendixRooks(v *view, s tracer) tracer {
	s = s.add(appendixSeventh, (v.rooks & board.Rank7).Count())
	s = s.add(appendixDoubledRooks, doubled(v.rooks).Count())
	closed := up(down(v.pawns))
	open := v.rooks &^ closed &^ up(down(v.theirPawns))
	s = s.add(appendixOpen, open.Count())
	return s.add(appendixHalfOpen, (v.rooks &^ closed &^ open).Count())
}

const (
	// extendedCenter holds the squares of item 2b: K4, Q4 and both B4.
	extendedCenter = board.Rank4 & (board.FileC | board.FileD | board.FileE | board.FileF)
	// advancedSquares holds the squares of item 3a: K5, Q5, B5, K6, Q6, B6.
	advancedSquares = (board.Rank5 | board.Rank6) & (board.FileC | board.FileD | board.FileE | board.FileF)
)

// stoppable returns the squares that pawns of the other side attack, or could attack after
// advancing.
func stoppable(their board.Bitboard) board.Bitboard { return beside(down(their >> 8)) }

// weakShelter counts the pawns missing in front of a king that has castled, or is where
// castling would have put it (item 2c): for a king on the first rank, off the two center
// files, the files among its own and the adjacent ones without a pawn on the second rank.
func weakShelter(v *view) int {
	file := v.king & 7
	if v.king > 7 || file == 3 || file == 4 {
		return 0
	}
	files := board.FileA<<file | beside(board.FileA<<file)
	shelter := files & board.Rank2
	return (shelter &^ v.pawns).Count()
}

// offColor counts the pawns on squares of the color that a single bishop cannot reach
// (item 2d).
func offColor(v *view) int {
	switch {
	case v.bishops.Count() != 1:
		return 0
	case v.bishops&board.LightSquares != 0:
		return (v.pawns & board.DarkSquares).Count()
	}
	return (v.pawns & board.LightSquares).Count()
}

// shannonValue holds Shannon's piece values in pawns, by board.PieceType.
var shannonValue = [6]int{1, 3, 3, 5, 9, 200}

// commitments counts White's items 4a and 4b. A piece is committed if it is the only guard
// of an own piece or pawn that the other side attacks. An option of exchanging is an attack
// by a piece on a piece of equal value.
func commitments(p *board.Position) (committed, exchanges int) {
	own, their, occupied := p.ByColor(board.White), p.ByColor(board.Black), p.Occupied()
	pieces := own &^ (p.ByType(board.Pawn) | p.ByType(board.King))
	var guards board.Bitboard
	for b := own &^ p.ByType(board.King); b != 0; {
		to := p.AttackersTo(b.PopFirst(), occupied)
		if guard := to & own; to&their != 0 && !guard.Many() {
			guards |= guard
		}
	}
	for b := their &^ p.ByType(board.Pawn); b != 0; {
		sq := b.PopFirst()
		for from := p.AttackersTo(sq, occupied) & pieces; from != 0; {
			if shannonValue[p.PieceAt(from.PopFirst()).Type()] == shannonValue[p.PieceAt(sq).Type()] {
				exchanges++
			}
		}
	}
	return (guards & pieces).Count(), exchanges
}

// kingZone counts White's item 4c: pairs of a piece and a square next to Black's king that
// it attacks.
func kingZone(p *board.Position) (n int) {
	own := p.ByColor(board.White)
	for b := board.KingAttacks(p.KingSquare(board.Black)); b != 0; {
		n += (p.AttackersTo(b.PopFirst(), p.Occupied()) & own).Count()
	}
	return n
}

// pins counts White's item 4d: Black's pieces that are pinned to their king by a piece of
// at least their value.
func pins(p *board.Position) (n int) {
	king, occupied := p.KingSquare(board.Black), p.Occupied()
	queens := p.ByType(board.Queen)
	pinners := board.BishopAttacks(king, 0)&(p.ByType(board.Bishop)|queens) |
		board.RookAttacks(king, 0)&(p.ByType(board.Rook)|queens)
	for b := pinners & p.ByColor(board.White); b != 0; {
		sq := b.PopFirst()
		between := board.Between(king, sq) & occupied
		if between == 0 || between.Many() || between&p.ByColor(board.Black) == 0 {
			continue
		}
		if shannonValue[p.PieceAt(between.First()).Type()] <= shannonValue[p.PieceAt(sq).Type()] {
			n++
		}
	}
	return n
}
