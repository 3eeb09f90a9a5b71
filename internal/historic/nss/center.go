package nss

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

func centerOperative(p *board.Position, us board.Color) bool { return waiting(p, us) != 0 }

// primary returns the moves of the center pawns to the fourth rank, the queen's pawn first or
// the king's.
func primary(p *board.Position, legal []board.Move, kingFirst bool) (moves []board.Move) {
	us := p.SideToMove()
	pawns := waiting(p, us)
	for _, m := range legal {
		if pawns.Has(m.From()) && m.To() == fourth(m.From(), us) {
			moves = append(moves, m)
		}
	}
	slices.SortFunc(moves, func(a, b board.Move) int { return a.To().File() - b.To().File() })
	if kingFirst {
		slices.Reverse(moves)
	}
	return moves
}

// centerMoves proposes the primary moves, then moves that prevent the opponent's, then moves
// that prepare its own.
func centerMoves(s *situation, offer func(board.Move, string) bool) {
	for _, m := range primary(s.Position, s.legal, s.kingFirst) {
		if offer(m, "primary move") {
			return
		}
	}
	if !s.prevent(offer) {
		s.prepare(offer)
	}
}

// prevent proposes moves against the primary moves that are acceptable to the opponent: one
// more attacker of the square, or a pin of a piece that defends it.
func (s *situation) prevent(offer func(board.Move, string) bool) bool {
	if s.InCheck() {
		return false
	}
	turn := *s.Position
	turn.MakeNull()
	for _, theirs := range primary(&turn, turn.LegalMoves(nil), s.kingFirst) {
		if !s.theirMove(theirs) {
			continue
		}
		sq := theirs.To()
		for _, m := range s.bear(sq, s.them) {
			if offer(m, "prevents "+turn.SAN(theirs)) {
				return true
			}
		}
	}
	return false
}

// bear returns the safe moves that newly attack a square, by knights and pawns first, then
// those that pin a piece of the given side that defends it.
func (s *situation) bear(sq board.Square, defender board.Color) []board.Move {
	moves := s.filter(func(m board.Move) bool { return s.piece(m) != board.King && adds(s.Position, m, sq) && s.safe(m) })
	rank := [6]int{board.Pawn: 1, board.Knight: 0, board.Bishop: 2, board.Rook: 3, board.Queen: 4}
	slices.SortStableFunc(moves, func(a, b board.Move) int { return rank[s.piece(a)] - rank[s.piece(b)] })
	defenders := squares(s.AttackersTo(sq, s.Occupied()) & s.ByColor(defender))
	return append(moves, s.filter(func(m board.Move) bool {
		return slices.ContainsFunc(defenders, func(g board.Square) bool { return pins(s.Position, m, g) }) && s.safe(m)
	})...)
}

// prepare proposes moves that unblock own center pawns, or that attack the square to which
// such a pawn cannot go yet.
func (s *situation) prepare(offer func(board.Move, string) bool) {
	for _, pawn := range squares(waiting(s.Position, s.us)) {
		to := fourth(pawn, s.us)
		inWay := path(pawn, s.us) & s.ByColor(s.us)
		moves, why := s.bear(to, s.them), "prepares "+to.String()
		if inWay != 0 {
			moves = s.filter(func(m board.Move) bool { return inWay.Has(m.From()) && s.safe(m) })
			why = "unblocks " + to.String()
		}
		for _, m := range moves {
			if offer(m, why) {
				return
			}
		}
	}
}
