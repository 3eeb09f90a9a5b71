package shannon

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Section 8 of the paper, "Another type of strategy": a program based on "type positions", each with "an exact and
// completely explicit characterization of the situation". "The analytical data would be used to trigger various other
// programs depending on the particular nature of the position. A pinned piece should be attacked. [...] The machine
// obtains in this manner suggestions of plausible moves to investigate." By section 5 "different programs should be
// used for the different phases of a game": development in the opening, "about ten moves"; tactics in the middle
// game; promotion in the end game, with "only kings, pawns and perhaps one or two pieces on each side".
//
// Our choices: the types, and that the machine investigates only what they suggest, if the best of that is worth no
// less than the position as it stands; otherwise it investigates all moves.

// suggested are the moves that the program of the phase suggests.
func (s *search) suggested() []board.Move {
	p := &s.root
	pieces := p.Occupied() &^ p.ByType(board.Pawn) &^ p.ByType(board.King)
	program := middleGame
	if (pieces&p.ByColor(board.White)).Count() <= 2 && (pieces&p.ByColor(board.Black)).Count() <= 2 {
		program = endGame
	} else if p.Fullmove() <= 10 {
		program = opening
	}
	pinned := pinnedBy(p)
	return historic.Filter(s.list, func(m board.Move) bool { return program(p, m, pinned) })
}

// investigate searches the suggested moves, and reports whether to play the best of them.
func (s *search) investigate() (r engine.Result, ok bool) {
	all := s.list
	if s.list = s.suggested(); len(s.list) > 0 {
		r = s.iterate(false)
		if s.budget.Stopped() || int(r.Score) >= s.evaluate(&s.root) {
			s.budget.Report(r, r.Depth)
			return r, true
		}
	}
	s.list = all
	return r, false
}

// opening suggests moves that develop a piece, castling, and center pawns to the fourth rank.
func opening(p *board.Position, m board.Move, _ board.Bitboard) bool {
	us, piece := p.SideToMove(), p.PieceAt(m.From()).Type()
	from, to := m.From().RelativeRank(us), m.To().RelativeRank(us)
	return p.IsCastling(m) || from == 0 && to > 0 && (piece == board.Knight || piece == board.Bishop) ||
		piece == board.Pawn && to == 3 && (m.From().File() == 3 || m.From().File() == 4)
}

// middleGame suggests "the typical sacrifices of a knight at B7 or a bishop at R7, the standard mates such as the
// 'Philidor Legacy', manoeuvres based on pins, forks, discoveries", and promotions.
func middleGame(p *board.Position, m board.Move, pinned board.Bitboard) bool {
	us, piece := p.SideToMove(), p.PieceAt(m.From()).Type()
	king := p.KingSquare(us.Other())
	file := min(m.To().File(), 7-m.To().File())
	if board.Attacks(board.King, king, 0).Has(m.To()) {
		switch guards := p.AttackersTo(m.To(), p.Occupied()) & p.Pieces(us, board.Knight); {
		case m.To().RelativeRank(us) == 6 && (file == 0 && piece == board.Bishop || file == 2 && piece == board.Knight):
			return true
		case piece == board.Queen && guards != 0 && m.To().RelativeRank(us) == 7: // Philidor's legacy
			return true
		}
	}
	reach := historic.Reach(p, m.From(), m.To(), p.Occupied()&^m.From().Bitboard()|m.To().Bitboard())
	forked := reach & p.ByColor(us.Other()) & historic.Dearer(p, piece)
	pinned &^= historic.Reach(p, m.From(), m.From(), p.Occupied()) // attacked already
	return reach&pinned != 0 || forked.Many() || p.GivesCheck(m) && !reach.Has(king) || m.Promotion() != board.NoPieceType
}

// endGame suggests moves of pawns that no enemy pawn can stop.
func endGame(p *board.Position, m board.Move, _ board.Bitboard) bool {
	us := p.SideToMove()
	if p.PieceAt(m.From()).Type() != board.Pawn {
		return false
	}
	ahead := board.Bitboard(0)
	for sq := m.From(); sq.RelativeRank(us) < 7; sq = board.NewSquare(sq.File(), sq.RelativeRank(us)+1).Relative(us) {
		ahead |= sq.Bitboard() | board.PawnAttacks(us, sq)
	}
	return ahead&p.Pieces(us.Other(), board.Pawn) == 0
}

// pinnedBy returns the enemy's pieces that cannot leave a line from its king.
func pinnedBy(p *board.Position) (pinned board.Bitboard) {
	us := p.SideToMove()
	king := p.KingSquare(us.Other())
	for own := p.ByColor(us); own != 0; {
		sq := own.PopFirst()
		between := board.Between(sq, king) & p.Occupied()
		if between.Count() == 1 && historic.Reach(p, sq, sq, p.Occupied()&^between).Has(king) {
			pinned |= between & p.ByColor(us.Other())
		}
	}
	return pinned
}
