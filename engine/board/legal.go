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
	return p.safe(KingAttacks(t.king)&to.Bitboard()) != 0
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
	if lineThrough(king, from) == 0 {
		return false // the piece shields nothing behind it
	}
	own := p.byColor[us] &^ from.Bitboard()
	queens := p.byType[Queen]
	return BishopAttacks(king, occupied)&(p.byType[Bishop]|queens)&own != 0 ||
		RookAttacks(king, occupied)&(p.byType[Rook]|queens)&own != 0
}

// Checks reports which moves of a position give check, without making them.
type Checks struct {
	squares     [6]Bitboard // from which a piece of each type attacks the king
	discoverers Bitboard    // own pieces between the enemy king and an own slider
	king        Square
}

// Checks returns the Checks of the side to move.
func (p *Position) Checks() (c Checks) {
	us := p.stm
	king := p.KingSquare(us ^ 1)
	occupied := p.Occupied()
	bishop, rook := BishopAttacks(king, occupied), RookAttacks(king, occupied)
	c.king = king
	c.squares = [6]Bitboard{
		Pawn:   PawnAttacks(us^1, king),
		Knight: KnightAttacks(king),
		Bishop: bishop,
		Rook:   rook,
		Queen:  bishop | rook,
	}
	c.discoverers = p.shields(king, us) & p.byColor[us]
	return c
}

// Given reports whether a legal move of the position gives check. It misses the rare checks
// by castling, by a promoted piece, and discovered by an en-passant capture
// along the line on which its pawn came.
func (c *Checks) Given(p *Position, m Move) bool {
	from := m.From()
	kind := p.squares[from].Type()
	if t := m.Promotion(); t != NoPieceType {
		kind = t
	}
	return c.from(kind, from).Has(m.To())
}

// from returns the squares to which a piece of the type must move from the given square to
// give check.
func (c *Checks) from(kind PieceType, from Square) Bitboard {
	squares := c.squares[kind%6]
	if c.discoverers.Has(from) {
		squares |= ^lineThrough(c.king, from)
	}
	return squares
}

// QuietChecks appends the legal moves that give check and neither capture, promote nor
// castle. c must be p.Checks().
func (t *Targets) QuietChecks(p *Position, buf []Move, c *Checks) []Move {
	to := t.mask &^ t.occupied
	for knights := p.byType[Knight] & t.own &^ t.pinned; knights != 0; {
		from := knights.PopFirst()
		buf = appendMoves(buf, from, KnightAttacks(from)&to&c.from(Knight, from))
	}
	for pieces := (p.byType[Bishop] | p.byType[Queen]) & t.own; pieces != 0; {
		from := pieces.PopFirst()
		squares := to & c.from(p.squares[from&63].Type(), from)
		buf = appendMoves(buf, from, t.unpin(from, BishopAttacks(from, t.occupied)&squares))
	}
	for pieces := (p.byType[Rook] | p.byType[Queen]) & t.own; pieces != 0; {
		from := pieces.PopFirst()
		squares := to & c.from(p.squares[from&63].Type(), from)
		buf = appendMoves(buf, from, t.unpin(from, RookAttacks(from, t.occupied)&squares))
	}
	buf = p.pawnChecks(buf, t, c)
	if c.discoverers.Has(t.king) {
		buf = p.kingMoves(buf, t, ^t.occupied&c.from(King, t.king))
	}
	return buf
}

func (p *Position) pawnChecks(buf []Move, t *Targets, c *Checks) []Move {
	pawns := p.byType[Pawn] & t.own
	up := 8 - 16*int(t.us)
	to := t.mask &^ (Rank1 | Rank8)
	single, double, _, _ := p.pawnTargets(t, pawns&^c.discoverers)
	buf = p.appendPawnMoves(buf, t, single&to&c.squares[Pawn], up, false)
	buf = p.appendPawnMoves(buf, t, double&to&c.squares[Pawn], 2*up, false)
	for pawns &= c.discoverers; pawns != 0; {
		from := pawns.PopFirst()
		single, double, _, _ := p.pawnTargets(t, from.Bitboard())
		buf = appendMoves(buf, from, t.unpin(from, (single|double)&to&c.from(Pawn, from)))
	}
	return buf
}
