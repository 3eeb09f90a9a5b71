package search

import "github.com/assay-chess/assay/engine/board"

// checks knows which moves of a position give check without making them.
type checks struct {
	squares     [6]board.Bitboard // from which a man of each kind attacks the king
	discoverers board.Bitboard    // own men that shield the king from an own slider
	king        board.Square
}

func newChecks(p *board.Position) (c checks) {
	us := p.SideToMove()
	them := us.Other()
	king := p.KingSquare(them)
	occupied := p.Occupied()
	bishop, rook := board.BishopAttacks(king, occupied), board.RookAttacks(king, occupied)
	c.king = king
	c.squares = [6]board.Bitboard{
		board.Pawn:   board.PawnAttacks(them, king),
		board.Knight: board.KnightAttacks(king),
		board.Bishop: bishop,
		board.Rook:   rook,
		board.Queen:  bishop | rook,
	}
	own := p.ByColor(us)
	queens := p.ByType(board.Queen)
	snipers := own & (board.BishopAttacks(king, 0)&(p.ByType(board.Bishop)|queens) | board.RookAttacks(king, 0)&(p.ByType(board.Rook)|queens))
	for snipers != 0 {
		if shield := board.Between(king, snipers.PopFirst()) & occupied; shield != 0 && !shield.Many() {
			c.discoverers |= shield & own
		}
	}
	return c
}

// given tells whether a legal move gives check, but for castling and captures en
// passant that uncover one, which are too rare to look at.
func (c *checks) given(p *board.Position, m board.Move) bool {
	from, to := m.From(), m.To()
	kind := p.PieceAt(from).Type()
	if t := m.Promotion(); t != board.NoPieceType {
		kind = t
	}
	return c.squares[kind%6].Has(to) || c.discoverers.Has(from) && !board.Line(c.king, from).Has(to)
}
