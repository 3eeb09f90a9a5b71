package turing

import (
	"github.com/assay-chess/assay/engine/board"
)

// kingAlone is the material of a bare king, in hundredths of a pawn.
const kingAlone = 50

// material returns the sum of the side's piece values, in hundredths of a pawn.
func (p *Player) material(pos *board.Position, c board.Color) int {
	sum := 0
	for t, v := range p.values {
		sum += v * pos.Pieces(c, board.PieceType(t)).Count()
	}
	return max(sum, kingAlone)
}

// checkmate is the value of mating. Being mated is its inverse, or its negative where
// material is measured by difference.
const checkmate = 1000

// dead returns the value of a dead position for the machine: the ratio of its material to
// the opponent's, or by option the difference in pawns.
func (p *Player) dead(pos *board.Position, machine board.Color) float64 {
	w, b := p.material(pos, machine), p.material(pos, machine.Other())
	if p.measure == difference {
		return float64(w-b) / 100
	}
	return float64(w) / float64(b)
}

// drawn returns the value of a stalemate.
func (p *Player) drawn() float64 {
	if p.measure == difference {
		return 0
	}
	return 1
}

// mated returns the value of a mate at the given ply.
func (p *Player) mated(machineWins bool, ply int) float64 {
	v := float64(checkmate - ply)
	switch {
	case machineWins:
		return v
	case p.measure == difference:
		return -v
	}
	return 1 / v
}
