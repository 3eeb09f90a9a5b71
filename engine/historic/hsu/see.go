// Package hsu implements what Feng-hsiung Hsu's lecture on chess programs defines exactly
// enough to run: static exchange evaluation, as printed and as meant.
//
// It documents a source. The engine's own exchange evaluation, which also counts pieces
// behind others, is board.Position.SEE. It is not in eval because it is not a term of an
// evaluation: a quiescence search uses it.
//
// Start reading at SEEPrinted.
package hsu

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// values are those of the lecture, in pawns. The king's is ours.
var values = [6]int{1, 3, 3, 5, 9, 100}

// SEEPrinted returns the material, in pawns, that side c wins by capturing on sq, as the
// lecture prints it: all attackers are listed once, the least valuable first, and both sides
// capture until one has no attacker left; neither may stop. Pieces behind others and pins
// are ignored. It is 0 if there is no enemy piece on sq or c cannot capture it.
func SEEPrinted(p *board.Position, c board.Color, sq board.Square) int {
	victim, own, other := attackers(p, c, sq)
	gain := 0
	for len(own) > 0 {
		gain += victim
		victim, own = own[0], own[1:]
		if len(other) == 0 {
			break
		}
		gain -= victim
		victim, other = other[0], other[1:]
	}
	return gain
}

// SEEMinimax is like SEEPrinted, but either side may stop before any capture.
func SEEMinimax(p *board.Position, c board.Color, sq board.Square) int {
	victim, own, other := attackers(p, c, sq)
	return exchange(victim, own, other)
}

// exchange returns what the side that captures first wins.
func exchange(victim int, own, other []int) int {
	if len(own) == 0 {
		return 0
	}
	return max(0, victim-exchange(own[0], other, own[1:]))
}

// attackers returns the value of the enemy piece on sq, and the values of both sides' pieces
// that attack sq, ascending.
func attackers(p *board.Position, c board.Color, sq board.Square) (victim int, own, other []int) {
	on := p.PieceAt(sq)
	if on == board.NoPiece || on.Color() == c {
		return 0, nil, nil
	}
	for b := p.AttackersTo(sq, p.Occupied()); b != 0; {
		piece := p.PieceAt(b.PopFirst())
		if piece.Color() == c {
			own = append(own, values[piece.Type()])
		} else {
			other = append(other, values[piece.Type()])
		}
	}
	slices.Sort(own)
	slices.Sort(other)
	return values[on.Type()], own, other
}
