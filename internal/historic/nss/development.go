package nss

import (
	"cmp"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// developmentMoves proposes moves of minor pieces from their home squares, castling, and
// rooks for the center files, in the order in which CP-I developed against Simon: kingside
// first, moves to the third rank first, then nearer to the center.
func developmentMoves(s *situation, offer func(board.Move, string) bool) {
	for _, step := range []struct {
		why  string
		keep func(board.Move) bool
	}{
		{"develops", func(m board.Move) bool { return develops(s.Position, m) && s.safe(m) }},
		{"castles", s.IsCastling},
		{"takes a center file", func(m board.Move) bool {
			return s.piece(m) == board.Rook && !s.IsCastling(m) && m.From().RelativeRank(s.us) == 0 &&
				center.Has(m.To()) && !center.Has(m.From()) && s.safe(m)
		}},
	} {
		moves := s.filter(step.keep)
		slices.SortStableFunc(moves, func(a, b board.Move) int {
			return cmp.Or(b.From().File()-a.From().File(), s.offThird(a)-s.offThird(b),
				offCenter(a.To())-offCenter(b.To()), b.To().File()-a.To().File())
		})
		for _, m := range moves {
			if offer(m, step.why) {
				return
			}
		}
	}
}

// offCenter returns how far a file is from the middle of the board.
func offCenter(sq board.Square) int { return max(sq.File()-4, 3-sq.File()) }

// offThird returns the distance of the target square from the third rank.
func (s *situation) offThird(m board.Move) int {
	r := m.To().RelativeRank(s.us) - 2
	return max(r, -r)
}

// develops reports whether a move takes a minor piece from its home square.
func develops(p *board.Position, m board.Move) bool {
	from := m.From().Relative(p.SideToMove())
	switch p.PieceAt(m.From()).Type() {
	case board.Knight:
		return minorHome[0].Has(from)
	case board.Bishop:
		return minorHome[1].Has(from)
	}
	return false
}

// developmentDisturb returns the safe moves that develop a piece and attack an enemy queen or
// rook.
func developmentDisturb(p *board.Position) (moves []board.Move) {
	us := p.SideToMove()
	targets := p.ByColor(us.Other()) & (p.ByType(board.Queen) | p.ByType(board.Rook))
	if targets == 0 {
		return nil
	}
	for _, m := range p.LegalMoves(make([]board.Move, 0, 48)) {
		if !develops(p, m) {
			continue
		}
		after := p.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
		if reach(p, m.From(), m.To(), after)&targets != 0 && safe(p, m) {
			moves = append(moves, m)
		}
	}
	return moves
}
