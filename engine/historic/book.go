package historic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// Book is a table of opening moves: for each position those of the lines that pass
// through it, one for every line, so that what many lines play is played more often.
type Book map[uint64][]board.Move

// ParseBook reads lines of play in SAN, one a row, each behind its name and a colon.
// Empty rows and those that begin with # are comments.
func ParseBook(text string) (Book, error) {
	b := Book{}
	for i, row := range strings.Split(text, "\n") {
		row = strings.TrimSpace(row)
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		name, line, ok := strings.Cut(row, ":")
		if !ok {
			return nil, fmt.Errorf("book, line %d: %q has no name before a colon", i+1, row)
		}
		p := board.StartPosition()
		for n, san := range strings.Fields(line) {
			m, err := p.ParseSAN(san)
			if err != nil {
				return nil, fmt.Errorf("book, line %d, %s: move %d: %w", i+1, name, n/2+1, err)
			}
			b[p.Key()] = append(b[p.Key()], m)
			p.Make(m)
		}
	}
	return b, nil
}

// Move returns one of the book's moves that the list allows.
func (b Book) Move(p *board.Position, list []board.Move, rng *rand.Rand) (board.Move, bool) {
	var moves []board.Move
	for _, m := range b[p.Key()] {
		if slices.Contains(list, m) {
			moves = append(moves, m)
		}
	}
	if len(moves) == 0 {
		return board.NullMove, false
	}
	return moves[rng.IntN(len(moves))], true
}
