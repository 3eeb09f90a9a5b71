package board

// IsLegal reports whether m is a legal move. It accepts any value of m.
func (p *Position) IsLegal(m Move) bool {
	t := p.Targets()
	return t.IsLegal(p, m)
}

// IsLegal reports whether m is a legal move of the position. It accepts any value of m.
func (t *Targets) IsLegal(p *Position, m Move) bool {
	from, to := m.From(), m.To()
	piece := p.squares[from]
	if piece == NoPiece || piece.Color() != p.stm || from == to || m>>12 > Move(Queen) {
		return false
	}
	kind := piece.Type()
	if kind != Pawn && m>>12 != 0 {
		return false
	}
	switch {
	case kind == King:
		return p.isLegalKingMove(t, to)
	case kind == Pawn:
		return p.isLegalPawnMove(t, m)
	}
	return t.unpin(from, Attacks(kind, from, t.occupied)&t.mask&^t.own).Has(to)
}

func (p *Position) isLegalKingMove(t *Targets, to Square) bool {
	if t.own.Has(to) {
		return p.castlingRooks(t).Has(to) && p.castlingSafe(t, to)
	}
	return KingAttacks(t.king).Has(to) && !p.attacked(to, t.us^1, t.occupied&^t.king.Bitboard())
}

func (p *Position) isLegalPawnMove(t *Targets, m Move) bool {
	from, to := m.From(), m.To()
	if (to.RelativeRank(t.us) == 7) != (m>>12 != 0) {
		return false
	}
	if to == p.ep && PawnAttacks(t.us, from).Has(to) {
		return p.enPassantLegal(from, to)
	}
	single, double, west, east := p.pawnTargets(t, from.Bitboard())
	return t.unpin(from, (single|double|west|east)&t.mask).Has(to)
}

// IsCastling reports whether a legal move is castling: the king captures its own rook.
func (p *Position) IsCastling(m Move) bool {
	victim := p.squares[m.To()]
	return victim != NoPiece && victim.Color() == p.stm
}

// IsEnPassant reports whether a legal move captures en passant.
func (p *Position) IsEnPassant(m Move) bool {
	return m.To() == p.ep && p.squares[m.From()].Type() == Pawn
}

// IsCapture reports whether a legal move captures, en passant included.
func (p *Position) IsCapture(m Move) bool {
	victim := p.squares[m.To()]
	return victim != NoPiece && victim.Color() != p.stm || p.IsEnPassant(m)
}

// GivesCheck reports whether a legal move gives check.
func (p *Position) GivesCheck(m Move) bool {
	from, to := m.From(), m.To()
	if p.IsCastling(m) || p.IsEnPassant(m) { // two pieces leave their squares
		child := *p
		child.Make(m)
		return child.checkers != 0
	}
	us := p.stm
	king := p.KingSquare(us ^ 1)
	occupied := p.Occupied()&^from.Bitboard() | to.Bitboard()
	kind := p.squares[from].Type()
	if t := m.Promotion(); t != NoPieceType {
		kind = t
	}
	if kind == Pawn {
		if PawnAttacks(us, to).Has(king) {
			return true
		}
	} else if Attacks(kind, to, occupied).Has(king) {
		return true
	}
	if Line(king, from) == 0 {
		return false // the piece shields nothing behind it
	}
	own := p.byColor[us] &^ from.Bitboard()
	queens := p.byType[Queen]
	return BishopAttacks(king, occupied)&(p.byType[Bishop]|queens)&own != 0 ||
		RookAttacks(king, occupied)&(p.byType[Rook]|queens)&own != 0
}
