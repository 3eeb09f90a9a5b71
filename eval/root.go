package eval

import "github.com/assay-chess/assay/engine/board"

// root is what the term R of Mac Hack knows of the position that a search began with:
// the material of both sides in 1/128 pawn, kings 1. The zero root is none.
type root struct{ white, black int64 }

func (r *root) set(p *board.Position) {
	*r = root{}
	if p != nil {
		r.white, r.black = machackSideMaterial(p, board.White), machackSideMaterial(p, board.Black)
	}
}

// machackSideMaterial returns the material of a side in 1/128 pawn, its king 1.
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
// N the ratio of White's material to Black's in p, T the same at the root, M one
// side's material at the start of a game. It makes exchanges good for who is ahead.
// The form is the one that fits the paper's prose; the fraction lost in print (a
// fourth) and the bound of ten pawns (a bare king's ratio has none) are ours. R is
// "slightly asymmetric with respect to color", so mirrored positions may have other
// values where a root is set.
func (r *root) ratio(p *board.Position) int {
	if r.white == 0 {
		return 0
	}
	node, top := r.of(p)
	cp := (node - top) * machackStartMaterial * centipawnsAPawn / (top * pointsAPawn * ratioFraction)
	return int(max(-ratioMost, min(cp, ratioMost)))
}

// of returns N and T over their common denominator.
func (r *root) of(p *board.Position) (n, t int64) {
	return machackSideMaterial(p, board.White) * r.black, machackSideMaterial(p, board.Black) * r.white
}

const (
	machackStartMaterial = 5281 // in points of 1/128 pawn
	pointsAPawn          = 128
	centipawnsAPawn      = 100
	ratioFraction        = 4
	ratioMost            = 1000 // centipawns
)
