package board

// Targets has the restrictions on the moves of the side to move in one position: pins and
// checks. A search that wants several lists of moves, or tests several moves, computes it
// once.
type Targets struct {
	us       Color
	king     Square
	occupied Bitboard
	own      Bitboard
	enemy    Bitboard
	pinned   Bitboard
	// mask has the squares to which pieces other than the king may move: without a check
	// all, with one checker its square and those between, with two none.
	mask Bitboard
}

// Targets returns the Targets of the side to move.
func (p *Position) Targets() Targets {
	us := p.stm
	t := Targets{
		us:       us,
		king:     p.KingSquare(us),
		occupied: p.Occupied(),
		own:      p.byColor[us],
		enemy:    p.byColor[us^1],
		pinned:   p.shields(p.KingSquare(us), us^1) & p.byColor[us],
		mask:     ^Bitboard(0),
	}
	if p.checkers != 0 {
		t.mask = 0
		if !p.checkers.Many() {
			t.mask = Between(t.king, p.checkers.First()) | p.checkers
		}
	}
	return t
}

// LegalMoves appends the legal moves to buf, always in the same order.
func (p *Position) LegalMoves(buf []Move) []Move {
	t := p.Targets()
	return t.Moves(p, buf)
}

// Moves is LegalMoves of the position.
func (t *Targets) Moves(p *Position, buf []Move) []Move {
	buf = p.pieceMoves(buf, t, t.mask&^t.own)
	buf = p.pawnMoves(buf, t, false)
	buf = p.kingMoves(buf, t, ^t.own)
	return p.castlingMoves(buf, t)
}

// LegalCaptures appends the legal captures, en passant included, and the promotions to a
// queen.
func (p *Position) LegalCaptures(buf []Move) []Move {
	t := p.Targets()
	return t.Captures(p, buf)
}

// Captures is LegalCaptures of the position.
func (t *Targets) Captures(p *Position, buf []Move) []Move {
	buf = p.pieceMoves(buf, t, t.mask&t.enemy)
	buf = p.pawnMoves(buf, t, true)
	return p.kingMoves(buf, t, t.enemy)
}

// pieceMoves appends the moves of knights, bishops, rooks and queens to squares of the set.
func (p *Position) pieceMoves(buf []Move, t *Targets, to Bitboard) []Move {
	if to == 0 {
		return buf
	}
	for knights := p.byType[Knight] & t.own &^ t.pinned; knights != 0; {
		from := knights.PopFirst()
		buf = appendMoves(buf, from, KnightAttacks(from)&to)
	}
	for pieces := (p.byType[Bishop] | p.byType[Queen]) & t.own; pieces != 0; {
		from := pieces.PopFirst()
		buf = appendMoves(buf, from, t.unpin(from, BishopAttacks(from, t.occupied)&to))
	}
	for pieces := (p.byType[Rook] | p.byType[Queen]) & t.own; pieces != 0; {
		from := pieces.PopFirst()
		buf = appendMoves(buf, from, t.unpin(from, RookAttacks(from, t.occupied)&to))
	}
	return buf
}

// unpin removes the targets that a pin forbids.
func (t *Targets) unpin(from Square, to Bitboard) Bitboard {
	if t.pinned.Has(from) {
		to &= lineThrough(t.king, from)
	}
	return to
}

func appendMoves(buf []Move, from Square, to Bitboard) []Move {
	for to != 0 {
		buf = append(buf, NewMove(from, to.PopFirst()))
	}
	return buf
}

func (p *Position) kingMoves(buf []Move, t *Targets, to Bitboard) []Move {
	if to &= KingAttacks(t.king); to != 0 {
		buf = appendMoves(buf, t.king, p.safe(to))
	}
	return buf
}

// pawnTargets returns the target squares of the side's pawns, ignoring pins and checks.
func (p *Position) pawnTargets(t *Targets, pawns Bitboard) (single, double, west, east Bitboard) {
	empty := ^t.occupied
	forward := pawns.Forward(t.us)
	single = forward & empty
	third := Rank3
	if t.us == Black {
		third = Rank6
	}
	double = (single & third).Forward(t.us) & empty
	return single, double, forward.West() & t.enemy, forward.East() & t.enemy
}

// pawnMoves appends the pawns' moves, with noisy only captures and promotions to a queen.
func (p *Position) pawnMoves(buf []Move, t *Targets, noisy bool) []Move {
	pawns := p.byType[Pawn] & t.own
	single, double, west, east := p.pawnTargets(t, pawns)
	up := 8 - 16*int(t.us) // one rank forward
	last := Rank1 | Rank8
	quiet := t.mask
	if noisy {
		quiet &= last
	}
	buf = p.appendPawnMoves(buf, t, west&t.mask, up-1, noisy)
	buf = p.appendPawnMoves(buf, t, east&t.mask, up+1, noisy)
	buf = p.appendPawnMoves(buf, t, single&quiet, up, noisy)
	if !noisy {
		buf = p.appendPawnMoves(buf, t, double&quiet, 2*up, noisy)
	}
	if p.ep != NoSquare {
		for pieces := PawnAttacks(t.us^1, p.ep) & pawns; pieces != 0; {
			if from := pieces.PopFirst(); p.enPassantLegal(from, p.ep) {
				buf = append(buf, NewMove(from, p.ep))
			}
		}
	}
	return buf
}

// appendPawnMoves appends the moves to the squares of the set, each of a pawn delta squares
// before it.
func (p *Position) appendPawnMoves(buf []Move, t *Targets, to Bitboard, delta int, queenOnly bool) []Move {
	for to != 0 {
		s := to.PopFirst()
		from := Square(int(s) - delta)
		if t.pinned.Has(from) && !lineThrough(t.king, from).Has(s) {
			continue
		}
		if s.Bitboard()&(Rank1|Rank8) == 0 {
			buf = append(buf, NewMove(from, s))
			continue
		}
		buf = append(buf, NewPromotion(from, s, Queen))
		if !queenOnly {
			buf = append(buf, NewPromotion(from, s, Knight), NewPromotion(from, s, Rook), NewPromotion(from, s, Bishop))
		}
	}
	return buf
}

func (p *Position) castlingMoves(buf []Move, t *Targets) []Move {
	for rooks := p.castlingRooks(t); rooks != 0; {
		if rook := rooks.PopFirst(); p.castlingSafe(t, rook) {
			buf = append(buf, NewMove(t.king, rook))
		}
	}
	return buf
}

// castlingRooks returns the rooks with a castling right and no piece in the way. Attacks on
// the king's path are not tested.
func (p *Position) castlingRooks(t *Targets) (clear Bitboard) {
	rooks := p.castling & t.own
	if rooks == 0 || p.checkers != 0 {
		return 0
	}
	for rooks != 0 {
		rook := rooks.PopFirst()
		kingTo, rookTo := castlingTargets(t.king, rook)
		path := Between(t.king, kingTo) | kingTo.Bitboard() | Between(rook, rookTo) | rookTo.Bitboard()
		if path&t.occupied&^(t.king.Bitboard()|rook.Bitboard()) == 0 {
			clear |= rook.Bitboard()
		}
	}
	return clear
}

// castlingSafe reports whether the king crosses no attacked square when it castles with one
// of castlingRooks.
func (p *Position) castlingSafe(t *Targets, rook Square) bool {
	kingTo, rookTo := castlingTargets(t.king, rook)
	if path := Between(t.king, kingTo) | kingTo.Bitboard(); p.safe(path) != path {
		return false
	}
	if !p.chess960 {
		return true
	}
	// In Chess960 the rook may have shielded the king from a slider on its rank.
	after := t.occupied&^t.king.Bitboard()&^rook.Bitboard() | rookTo.Bitboard()
	return RookAttacks(kingTo, after)&(p.byType[Rook]|p.byType[Queen])&t.enemy == 0
}

// Quiets appends the legal moves that Captures omits: castling, underpromotions, and all
// other moves that neither capture nor promote.
func (t *Targets) Quiets(p *Position, buf []Move) []Move {
	empty := ^t.occupied
	buf = p.pieceMoves(buf, t, t.mask&empty)
	buf = p.quietPawnMoves(buf, t)
	buf = p.kingMoves(buf, t, empty)
	return p.castlingMoves(buf, t)
}

// quietPawnMoves appends pawn pushes and underpromotions.
func (p *Position) quietPawnMoves(buf []Move, t *Targets) []Move {
	pawns := p.byType[Pawn] & t.own
	single, double, west, east := p.pawnTargets(t, pawns)
	up := 8 - 16*int(t.us)
	last := Rank1 | Rank8
	buf = p.appendPawnMoves(buf, t, single&t.mask&^last, up, false)
	buf = p.appendPawnMoves(buf, t, double&t.mask, 2*up, false)
	if promotions := (single | west | east) & t.mask & last; promotions != 0 {
		buf = p.appendUnderpromotions(buf, t, single&promotions, up)
		buf = p.appendUnderpromotions(buf, t, west&promotions, up-1)
		buf = p.appendUnderpromotions(buf, t, east&promotions, up+1)
	}
	return buf
}

// appendUnderpromotions appends the underpromotions on the squares of the set, each of a
// pawn delta squares before it.
func (p *Position) appendUnderpromotions(buf []Move, t *Targets, to Bitboard, delta int) []Move {
	for to != 0 {
		s := to.PopFirst()
		from := Square(int(s) - delta)
		if t.pinned.Has(from) && !lineThrough(t.king, from).Has(s) {
			continue
		}
		buf = append(buf, NewPromotion(from, s, Knight), NewPromotion(from, s, Rook), NewPromotion(from, s, Bishop))
	}
	return buf
}
