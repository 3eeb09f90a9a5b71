package shannon

import (
	_ "embed"
	"math/rand/v2"
	"sync"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
)

// bookText holds our choice of what section 7 asks for: "a number of the standard
// openings stored in a slow-speed memory", by which the machine plays until the
// opponent deviates or the line ends. "Perhaps a few hundred would be satisfactory."
//
//go:embed book.txt
var bookText string

var ownBook = sync.OnceValues(func() (historic.Book, error) { return historic.ParseBook(bookText) })

// bookMove returns one of the book's moves that the list allows.
func bookMove(p *board.Position, list []board.Move, chance *rand.Rand) (board.Move, bool) {
	b, err := ownBook()
	if err != nil { // a test reads the whole book
		return board.NullMove, false
	}
	return b.Move(p, list, chance)
}
