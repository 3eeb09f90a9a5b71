package opening

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

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

	Variant string // of random openings: Standard, Chess960 or DFRC; empty for Standard
}

// Variants say where random openings start.
const (
	Standard = "standard"
	Chess960 = "chess960" // one of 960 starts, the same for both sides
	DFRC     = "dfrc"     // one of 960 for each side: double Fischer random chess
)

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

	Variant string `json:"variant,omitempty"` // of random openings, if not Standard
}

// Open returns the openings. Random ones, and a random order, depend on the seed.
func (s Spec) Open(ctx context.Context, seed uint64) (Source, error) {
	if s.Book != "" {
		if s.Plies != 0 {
			return nil, fmt.Errorf("book %s and %d random plies: want one or the other", s.Book, s.Plies)
		}
		if s.Variant != "" && s.Variant != Standard {
			return nil, fmt.Errorf("book %s and random openings of %s: want one or the other", s.Book, s.Variant)
		}
		return loadBook(ctx, s.Book, s, seed)
	}
	if s.Random || s.Skip != 0 || s.BookPlies != 0 {
		return nil, fmt.Errorf("a random order, Skip and BookPlies need a book")
	}
	plies := s.Plies
	if plies == 0 {
		plies = DefaultPlies
	}
	r, err := newRandom(plies, seed)
	if err != nil {
		return nil, err
	}
	switch s.Variant {
	case "", Standard:
	case Chess960, DFRC:
		r.Variant = s.Variant
	default:
		return nil, fmt.Errorf("variant %.40q: want %s, %s or %s", s.Variant, Standard, Chess960, DFRC)
	}
	return r, nil
}

// Len implements Source: random openings have no end.
func (r *randomPlies) Len() uint64 { return 0 }

// Describe implements Source.
func (r *randomPlies) Describe() Description {
	return Description{Plies: r.MinPlies, Variant: r.Variant}
}

// MaxRandomPlies bounds the number of random plies: with more, most games are decided
// before they start.
const MaxRandomPlies = 40

// randomPlies proposes openings of random legal moves.
type randomPlies struct {
	Start    board.Position
	Variant  string // if not Standard: Start is drawn
	MinPlies int    // fewest plies
	MaxPlies int    // most plies; each length from MinPlies on is equally likely
	Seed     uint64
}

// newRandom returns openings of plies or plies + 1 random moves from the start
// position of standard chess, so that either side begins half of the games.
func newRandom(plies int, seed uint64) (*randomPlies, error) {
	if plies < 1 || plies >= MaxRandomPlies {
		return nil, fmt.Errorf("%d random plies: want 1 to %d", plies, MaxRandomPlies-1)
	}
	return &randomPlies{Start: board.StartPosition(), MinPlies: plies, MaxPlies: plies + 1, Seed: seed}, nil
}

// deadEnds is how often Propose starts again because random moves ended the game, before
// it gives up on the start position.
const deadEnds = 1000

// Propose implements selfplay.Openings. The game is not over after the opening; the
// opening may be unbalanced, and another number may have the same one.
func (r *randomPlies) Propose(number uint64, try int) (*board.Game, error) {
	rng := r.rng(number, try)
	start := r.Start
	switch r.Variant {
	case Chess960:
		n := rng.IntN(fischerStarts)
		start = fischer(n, n)
	case DFRC:
		start = fischer(rng.IntN(fischerStarts), rng.IntN(fischerStarts))
	}
	plies := r.MinPlies + rng.IntN(r.MaxPlies-r.MinPlies+1)
	for range deadEnds {
		if game, ok := walk(start, plies, rng); ok {
			return game, nil
		}
	}
	return nil, fmt.Errorf("%d random plies from %s always end the game", plies, start.FEN())
}

// rng returns the random numbers of one try.
func (r *randomPlies) rng(number uint64, try int) *rand.Rand {
	var doc [24]byte
	binary.LittleEndian.PutUint64(doc[0:], r.Seed)
	binary.LittleEndian.PutUint64(doc[8:], number)
	binary.LittleEndian.PutUint64(doc[16:], uint64(try))
	return rand.New(rand.NewChaCha8(sha256.Sum256(doc[:])))
}

// walk plays random moves. It fails where the rules end the game.
func walk(start board.Position, plies int, rng *rand.Rand) (*board.Game, bool) {
	game := board.NewGame(start)
	var buf [board.MaxMoves]board.Move
	for range plies {
		moves := game.Position().LegalMoves(buf[:0])
		if len(moves) == 0 {
			return nil, false
		}
		game.Push(moves[rng.IntN(len(moves))])
	}
	_, _, over := game.Outcome()
	return game, !over
}
