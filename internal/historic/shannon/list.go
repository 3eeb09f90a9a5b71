package shannon

import (
	"cmp"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// List returns the legal moves in the order of Shannon's program T7: by the square they
// start from, a1 to h8 along the ranks, and for each piece in the order of its program.
//
// The paper prints only the bishop's program, T3: directions (x+1,y+1), (x+1,y-1),
// (x-1,y+1), (x-1,y-1), where x is the rank, each outward. The others are ours. Rook, T4:
// (+1,0), (-1,0), (0,+1), (0,-1). Queen and king: T3, then T4. Knight: (2,1) with the
// bishop's signs, then (1,2). Pawn: one square, two squares, capture toward the h-file,
// capture toward the a-file; promotions to queen, rook, bishop, knight. Castling comes
// last, kingside first.
func List(p *board.Position) []board.Move {
	moves := p.LegalMoves(nil)
	slices.SortFunc(moves, func(a, b board.Move) int { return cmp.Compare(sortKey(p, a), sortKey(p, b)) })
	return moves
}

// sortKey returns the number by which T7 sorts a move.
func sortKey(p *board.Position, m board.Move) int {
	from, to := m.From(), m.To()
	ranks, files := to.Rank()-from.Rank(), to.File()-from.File()
	program := 0
	switch {
	case p.IsCastling(m):
		program = 90
		if files < 0 {
			program++
		}
	case p.PieceAt(from).Type() == board.Pawn:
		program = pawnKey(ranks, files, m.Promotion())
	case p.PieceAt(from).Type() == board.Knight:
		program = signs(ranks, files)
		if max(ranks, -ranks) == 1 {
			program += 4
		}
	default:
		program = 8*ray(ranks, files) + max(ranks, -ranks, files, -files)
	}
	return 128*int(from) + program
}

func pawnKey(ranks, files int, promotion board.PieceType) int {
	n := 0
	switch {
	case files > 0:
		n = 2
	case files < 0:
		n = 3
	case max(ranks, -ranks) == 2:
		n = 1
	}
	n *= 4
	if promotion != board.NoPieceType {
		n += int(board.Queen - promotion)
	}
	return n
}

// signs returns the index of a pair of signs in (+,+), (+,-), (-,+), (-,-).
func signs(x, y int) (n int) {
	if x < 0 {
		n = 2
	}
	if y < 0 {
		n++
	}
	return n
}

// ray returns the index of a queen's direction.
func ray(x, y int) int {
	switch {
	case x != 0 && y != 0:
		return signs(x, y)
	case x > 0:
		return 4
	case x < 0:
		return 5
	case y > 0:
		return 6
	}
	return 7
}
