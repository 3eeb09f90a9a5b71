package turing

import (
	"github.com/assay-chess/assay/engine/board"
)

// kingAlone is what a side without other men counts, in hundredths of a pawn.
const kingAlone = 50

// material returns the values of the side's men in hundredths of a pawn.
func (p *Player) material(pos *board.Position, c board.Color) int {
	sum := 0
	for t, v := range p.values {
		sum += v * pos.Pieces(c, board.PieceType(t)).Count()
	}
	return max(sum, kingAlone)
}

// Checkmate is the value of mating; being mated is its inverse.
const Checkmate = 1000

// dead returns the value of a dead position for the machine: the ratio of its men to
// the opponent's, or by option their difference in pawns.
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

// mated returns the value of a mate so many plies from the board.
func (p *Player) mated(machineWins bool, ply int) float64 {
	v := float64(Checkmate - ply)
	switch {
	case machineWins:
		return v
	case p.measure == difference:
		return -v
	}
	return 1 / v
}
