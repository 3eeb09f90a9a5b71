package opening

import (
	"fmt"

	"github.com/assay-chess/assay/engine/board"
)

// DefaultPlies is the fewest random plies where nothing else is asked: 8 or 9.
const DefaultPlies = 8

// Spec says where openings come from: a book, or chance.
type Spec struct {
	Book   string // path of a book; empty for random openings
	Random bool   // play the book's lines in a random order
	Skip   int    // begin after so many lines of the book
	Plies  int    // plies of random openings, or one more; 0 for DefaultPlies
}

// Source proposes openings, and can say what they are.
type Source interface {
	// Propose implements selfplay.Openings.
	Propose(number uint64, try int) (*board.Game, error)
	// Len returns how many openings there are, 0 for more than anybody can play.
	Len() uint64
	// Describe returns what decides the openings, for a run's configuration.
	Describe() Description
}

// Description is what decides the openings of a run, seed apart. It names no folder.
type Description struct {
	Plies  int    `json:"random_plies,omitempty"`
	Book   string `json:"book,omitempty"`        // name of the file
	SHA256 string `json:"book_sha256,omitempty"` // of the file
	Lines  int    `json:"book_lines,omitempty"`  // that are openings, repeated ones counted once
	Order  string `json:"book_order,omitempty"`  // "random" or "sequential"
	Skip   int    `json:"book_skip,omitempty"`
}

// Open returns the openings, which depend on the seed where there is chance in them.
func (s Spec) Open(seed uint64) (Source, error) {
	if s.Book != "" {
		if s.Plies != 0 {
			return nil, fmt.Errorf("opening: book %s and %d random plies: want one or the other", s.Book, s.Plies)
		}
		return LoadBook(s.Book, s, seed)
	}
	if s.Random || s.Skip != 0 {
		return nil, fmt.Errorf("opening: the order of lines is asked for, but there is no book")
	}
	plies := s.Plies
	if plies == 0 {
		plies = DefaultPlies
	}
	return NewRandom(plies, seed)
}

// Len implements Source: random openings do not run out before chance does.
func (r *Random) Len() uint64 { return 0 }

// Describe implements Source.
func (r *Random) Describe() Description { return Description{Plies: r.MinPlies} }
