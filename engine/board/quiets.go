package board

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
		if t.pinned.Has(from) && !Line(t.king, from).Has(s) {
			continue
		}
		buf = append(buf, NewPromotion(from, s, Knight), NewPromotion(from, s, Rook), NewPromotion(from, s, Bishop))
	}
	return buf
}
