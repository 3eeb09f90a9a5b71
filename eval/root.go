package eval

import "github.com/assay-chess/assay/engine/board"

// root is what the term R of Mac Hack needs of the position that a search started from:
// the material of both sides in 1/128 pawn, a king counting 1. The zero value means no
// root.
type root struct{ white, black int64 }

func (r *root) set(p *board.Position) {
	*r = root{}
	if p != nil {
		r.white, r.black = machackSideMaterial(p, board.White), machackSideMaterial(p, board.Black)
	}
}

// machackSideMaterial returns the material of a side in 1/128 pawn, its king counting 1.
func machackSideMaterial(p *board.Position, c board.Color) (sum int64) {
	for t, points := range machackPoints {
		sum += points * int64(p.Pieces(c, board.PieceType(t)).Count())
	}
	return sum
}

// ratio returns the term R in whole centipawns, truncated toward zero,
//
//	R = (N/T - 1) x M/4
//
// with N the ratio of White's material to Black's in p, T the same at the root, and M one
// side's material at the start of a game. It makes exchanges good for the side that is
// ahead. The form follows the paper's prose. The fraction lost in print (a fourth) and the
// bound of ten pawns (without it a bare king's ratio has none) are our own. R is "slightly
// asymmetric with respect to color", so with a root mirrored positions may have values
// that are not each other's negative.
func (r *root) ratio(p *board.Position) int {
	if r.white == 0 {
		return 0
	}
	node, top := r.of(p)
	cp := (node - top) * machackStartMaterial * centipawnsPerPawn / (top * pointsPerPawn * ratioFraction)
	return int(max(-maxRatio, min(cp, maxRatio)))
}

// of returns N and T over their common denominator.
func (r *root) of(p *board.Position) (n, t int64) {
	return machackSideMaterial(p, board.White) * r.black, machackSideMaterial(p, board.Black) * r.white
}

const (
	machackStartMaterial = 5281 // in points of 1/128 pawn
	pointsPerPawn        = 128
	centipawnsPerPawn    = 100
	ratioFraction        = 4
	maxRatio             = 1000 // centipawns
)
