package shannon

import (
	_ "embed"
	"sync"

	"github.com/assay-chess/assay/internal/historic"
)

// bookText is our choice of the openings that section 7 asks for: "a number of the standard
// openings stored in a slow-speed memory", followed until the opponent deviates or the
// line ends. "Perhaps a few hundred would be satisfactory."
//
//go:embed book.txt
var bookText string

var ownBook = sync.OnceValues(func() (historic.Book, error) { return historic.ParseBook(bookText) })
