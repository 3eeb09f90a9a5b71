package shannon

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine/board"
)

// bookText holds our choice of what section 7 asks for: "a number of the standard
// openings stored in a slow-speed memory", by which the machine plays until the
// opponent deviates or the line ends. "Perhaps a few hundred would be satisfactory."
//
//go:embed book.txt
var bookText string

// book holds for each position the moves of the lines that pass through it, one for
// every line, so that a move that many lines play is played more often.
type book map[uint64][]board.Move

var ownBook = sync.OnceValues(func() (book, error) { return parseBook(bookText) })

func parseBook(text string) (book, error) {
	b := book{}
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

// bookMove returns one of the book's moves that the list allows.
func bookMove(p *board.Position, list []board.Move, chance *rand.Rand) (board.Move, bool) {
	b, err := ownBook()
	if err != nil { // a test reads the whole book
		return board.NullMove, false
	}
	var moves []board.Move
	for _, m := range b[p.Key()] {
		if slices.Contains(list, m) {
			moves = append(moves, m)
		}
	}
	if len(moves) == 0 {
		return board.NullMove, false
	}
	return moves[chance.IntN(len(moves))], true
}
