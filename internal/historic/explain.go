// Package historic holds what the programs of the papers have in common: limits, options,
// minimax, an opening book, weights, a hash table, explanations, the printed games and an exchange evaluation. Each
// program has a package of its own below this one, named after its author or
// place; README.md lists them.
//
// It does not play. No promise of stability. Start reading at Explainer, then at Budget and Options.
package historic

import (
	"io"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// Explainer is a player that can explain its choice of a move.
type Explainer interface {
	// Explain writes, as plain text, what the program computes about the position for the
	// side to move, in the terms of its paper. It does not affect later searches. It
	// fails if w does, or if the position cannot be explained.
	Explain(w io.Writer, p *board.Position) error
}

// Line writes the moves of a line that starts in the position as SAN. A null move is
// written as two dashes.
func Line(p *board.Position, moves []board.Move) string {
	pos, words := *p, make([]string, len(moves))
	for i, m := range moves {
		if m == board.NullMove {
			words[i] = "--"
			pos.MakeNull()
			continue
		}
		words[i] = pos.SAN(m)
		pos.Make(m)
	}
	return strings.Join(words, " ")
}
