package eval

import "github.com/assay-chess/assay/engine/board"

// MaxPhase is the phase of the middlegame; 0 is the endgame of kings and pawns.
const MaxPhase = 24

// Phase returns how much of the middlegame is left, 0 to MaxPhase: a knight or a
// bishop of either side counts 1, a rook 2, a queen 4.
func Phase(p *board.Position) int {
	minors := p.ByType(board.Knight) | p.ByType(board.Bishop)
	phase := minors.Count() + 2*p.ByType(board.Rook).Count() + 4*p.ByType(board.Queen).Count()
	return min(phase, MaxPhase)
}
