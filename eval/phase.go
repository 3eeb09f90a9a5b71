package eval

import (
	"fmt"
	"strconv"

	"github.com/assay-chess/assay/engine/board"
)

// MaxPhase is the phase of the middlegame; 0 is the endgame of kings and pawns.
const MaxPhase = 24

// Phase returns the phase of a position, 0 to MaxPhase: each knight or bishop of either
// side counts 1, a rook 2, a queen 4.
func Phase(p *board.Position) int {
	minors := p.ByType(board.Knight) | p.ByType(board.Bishop)
	phase := minors.Count() + 2*p.ByType(board.Rook).Count() + 4*p.ByType(board.Queen).Count()
	return min(phase, MaxPhase)
}

// Band is a range of phases, both ends included.
type Band struct{ Lo, Hi int }

// String returns the band as "18-23", or "24" where it is one phase.
func (b Band) String() string {
	if b.Lo == b.Hi {
		return strconv.Itoa(b.Lo)
	}
	return fmt.Sprintf("%d-%d", b.Lo, b.Hi)
}

// PhaseBands divide the phases, the middlegame first. Statistics by phase use these bands.
var PhaseBands = [...]Band{{24, 24}, {18, 23}, {12, 17}, {6, 11}, {0, 5}}

// PhaseBand returns the index in PhaseBands of a phase from 0 to MaxPhase.
func PhaseBand(phase int) int {
	i := 0
	for phase < PhaseBands[i].Lo {
		i++
	}
	return i
}
