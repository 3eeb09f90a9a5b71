package nss

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// situation is the current position with what the move generators of the goals need.
type situation struct {
	*board.Position
	us, them  board.Color
	legal     []board.Move // only promotions to a queen
	kingFirst bool         // propose the king's pawn before the queen's
	even      bool         // propose even exchanges with the others
	// noMove reports whether the null move would lose no material; theirMove whether a move
	// of the opponent, if it were its turn, would be acceptable to it.
	noMove    func() bool
	theirMove func(board.Move) bool
}

func (s *situation) filter(keep func(board.Move) bool) []board.Move {
	return historic.Filter(s.legal, keep)
}

func (s *situation) piece(m board.Move) board.PieceType { return s.PieceAt(m.From()).Type() }

// safe reports whether the moving piece is not lost on its new square, or only for at least
// as much as it captures.
func (s *situation) safe(m board.Move) bool { return safe(s.Position, m) }

func safe(p *board.Position, m board.Move) bool {
	if p.IsCastling(m) {
		return true
	}
	taken := 0
	if piece := p.PieceAt(m.To()); piece != board.NoPiece {
		taken = pieceValues[piece.Type()]
	}
	child := *p
	child.Make(m)
	return playOut(&child, m.To(), child.SideToMove(), 0) <= taken
}

// adds reports whether the moving piece newly attacks sq.
func adds(p *board.Position, m board.Move, sq board.Square) bool {
	if p.IsCastling(m) || m.To() == sq {
		return false
	}
	after := p.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
	return reach(p, m.From(), m.To(), after).Has(sq) && !reach(p, m.From(), m.From(), p.Occupied()).Has(sq)
}

// reach returns the squares that the piece on from would attack from another square.
func reach(p *board.Position, from, at board.Square, occupied board.Bitboard) board.Bitboard {
	piece := p.PieceAt(from)
	if piece.Type() == board.Pawn {
		return board.PawnAttacks(piece.Color(), at)
	}
	return board.Attacks(piece.Type(), at, occupied)
}

// pins reports whether the move pins the enemy piece on sq to a more valuable one, from a
// square where the pinned piece cannot capture it.
func pins(p *board.Position, m board.Move, sq board.Square) bool {
	t := p.PieceAt(m.From()).Type()
	if t < board.Bishop || t > board.Queen || m.To() == sq {
		return false
	}
	occupied := p.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
	near := board.Attacks(t, m.To(), occupied)
	if !near.Has(sq) || reach(p, sq, sq, occupied).Has(m.To()) {
		return false
	}
	beyond := board.Attacks(t, m.To(), occupied&^sq.Bitboard()) &^ near & p.ByColor(p.SideToMove().Other())
	for beyond != 0 {
		if pieceValues[p.PieceAt(beyond.PopFirst()).Type()] > pieceValues[p.PieceAt(sq).Type()] {
			return true
		}
	}
	return false
}
