package board

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
	own := p.byColor[us]
	queens := p.byType[Queen]
	snipers := own & (bishopRays[king&63]&(p.byType[Bishop]|queens) | rookRays[king&63]&(p.byType[Rook]|queens))
	for snipers != 0 {
		if shield := Between(king, snipers.PopFirst()) & occupied; shield != 0 && !shield.Many() {
			c.discoverers |= shield & own
		}
	}
	return c
}

// Given reports whether a legal move of the position gives check. It misses the rare checks
// by castling, those that an en-passant capture discovers, and those of a promoted piece
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
		squares |= ^Line(c.king, from)
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

// pawnChecks appends the pawn pushes that give check.
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
