// Package historic is what the programs of the documents have in common, each of
// which has a package of its own below this one, named after its author or its place.
//
// It plays nothing itself. Start reading at Explainer, then at Budget and Options, by
// which every program keeps to its limits and tells its settings.
package historic

import (
	"io"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// Explainer is a player that can tell why it plays what it plays.
type Explainer interface {
	// Explain writes what the program computes about the position for the side to
	// move, in the words of its paper: lists, lines and values as plain text, ended
	// by a newline. It changes nothing that a later search could notice. The errors
	// are those of w, and those that say why a position cannot be explained.
	Explain(w io.Writer, p *board.Position) error
}

// Line writes moves from a position as SAN. A null move, a side that does not move, is
// two dashes.
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
