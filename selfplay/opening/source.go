package opening

import (
	"fmt"

	"github.com/assay-chess/assay/engine/board"
)

// DefaultPlies is the default length of random openings: 8 plies, or 9.
const DefaultPlies = 8

// Spec says where openings come from: a book or random plies.
type Spec struct {
	Book   string // path of a book; empty for random openings
	Random bool   // play the book's lines in a random order
	Skip   int    // lines of the book to skip
	Plies  int    // plies of random openings, or one more; 0 for DefaultPlies

	BookPlies int // plies of each game of a book of games; 0 for all
}

// Source proposes openings, and can say what they are.
type Source interface {
	// Propose implements selfplay.Openings.
	Propose(number uint64, try int) (*board.Game, error)
	// Len returns how many openings there are, 0 if there is no end.
	Len() uint64
	// Describe returns what decides the openings, for a run's configuration.
	Describe() Description
}

// Rounds proposes the same opening for all pairs of a round.
type Rounds struct {
	Source
	Pairs uint64 // of a round
}

// Propose implements selfplay.Openings.
func (r Rounds) Propose(number uint64, try int) (*board.Game, error) {
	return r.Source.Propose(number/r.Pairs, try)
}

// Description is what decides the openings of a run, without the seed. It names no folder.
type Description struct {
	Plies  int    `json:"random_plies,omitempty"`
	Book   string `json:"book,omitempty"`        // name of the file
	SHA256 string `json:"book_sha256,omitempty"` // of the file
	Lines  int    `json:"book_lines,omitempty"`  // different openings
	Order  string `json:"book_order,omitempty"`  // "random" or "sequential"
	Skip   int    `json:"book_skip,omitempty"`

	BookPlies int `json:"book_plies,omitempty"` // of each game, if not all
}

// Open returns the openings. Random ones, and a random order, depend on the seed.
func (s Spec) Open(seed uint64) (Source, error) {
	if s.Book != "" {
		if s.Plies != 0 {
			return nil, fmt.Errorf("book %s and %d random plies: want one or the other", s.Book, s.Plies)
		}
		return loadBook(s.Book, s, seed)
	}
	if s.Random || s.Skip != 0 || s.BookPlies != 0 {
		return nil, fmt.Errorf("Random, Skip and BookPlies need a book")
	}
	plies := s.Plies
	if plies == 0 {
		plies = DefaultPlies
	}
	return newRandom(plies, seed)
}

// Len implements Source: random openings have no end.
func (r *randomPlies) Len() uint64 { return 0 }

// Describe implements Source.
func (r *randomPlies) Describe() Description { return Description{Plies: r.MinPlies} }
