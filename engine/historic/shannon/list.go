package shannon

import (
	"cmp"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// List returns the legal moves in the order of Shannon's controlling program T7: the
// squares from a1 to h8 along the ranks, and for each man the order of its program.
//
// The paper prints one of these, the bishop's T3: directions (x+1,y+1), (x+1,y-1),
// (x-1,y+1), (x-1,y-1), x being the rank, each outward. Ours, in the same manner: the
// rook's T4 is (+1,0), (-1,0), (0,+1), (0,-1); queen and king do T3, then T4; the
// knight does (2,1) with the bishop's signs, then (1,2); the pawn goes one square,
// two squares, takes towards h, takes towards a, promoting to a queen, rook, bishop,
// knight; castling comes last, with the h-rook first.
func List(p *board.Position) []board.Move {
	moves := p.LegalMoves(nil)
	slices.SortFunc(moves, func(a, b board.Move) int { return cmp.Compare(place(p, a), place(p, b)) })
	return moves
}

// place returns a number by which moves sort as T7 lists them.
func place(p *board.Position, m board.Move) int {
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
		program = pawnPlace(ranks, files, m.Promotion())
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

func pawnPlace(ranks, files int, promotion board.PieceType) int {
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

// signs returns the place of a pair of signs in (+,+), (+,-), (-,+), (-,-).
func signs(x, y int) (n int) {
	if x < 0 {
		n = 2
	}
	if y < 0 {
		n++
	}
	return n
}

// ray returns the place of a queen's direction.
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
