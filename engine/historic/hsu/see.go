// Package hsu holds what Feng-hsiung Hsu's lecture on chess programs defines exactly
// enough to run: static exchange evaluation, as printed and as meant.
//
// It is a reading of a source and no part of the engine, whose own exchange
// evaluation, with the men behind others, is board.Position.SEE. It is here and not
// in eval because it is not a term: what asks for it is a quiescence search.
//
// Start reading at SEEPrinted.
package hsu

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// values are those of the lecture in pawns, the king's ours.
var values = [6]int{1, 3, 3, 5, 9, 100}

// SEEPrinted returns the material, in pawns, that side c wins by capturing on sq as
// the lecture prints it: all capturers are listed once, the cheapest first, both
// sides take until one has no more, and nobody may stop. Men behind others and pins
// are ignored. It is 0 if nothing of the other side stands on sq or c cannot take.
func SEEPrinted(p *board.Position, c board.Color, sq board.Square) int {
	piece, own, other := capturers(p, c, sq)
	gain := 0
	for len(own) > 0 {
		gain += piece
		piece, own = own[0], own[1:]
		if len(other) == 0 {
			break
		}
		gain -= piece
		piece, other = other[0], other[1:]
	}
	return gain
}

// SEEMinimax is SEEPrinted where either side may stop before any capture.
func SEEMinimax(p *board.Position, c board.Color, sq board.Square) int {
	piece, own, other := capturers(p, c, sq)
	return exchange(piece, own, other)
}

// exchange returns what the owner of the first list wins.
func exchange(piece int, own, other []int) int {
	if len(own) == 0 {
		return 0
	}
	return max(0, piece-exchange(own[0], other, own[1:]))
}

// capturers returns the value of the man of the other side on sq, and the values of
// both sides' men that could capture there, ascending.
func capturers(p *board.Position, c board.Color, sq board.Square) (piece int, own, other []int) {
	victim := p.PieceAt(sq)
	if victim == board.NoPiece || victim.Color() == c {
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
	return values[victim.Type()], own, other
}
