// Package opening proposes the positions that games begin with: a few random legal plies
// from a start of chess, Chess960 or double Chess960, or the lines of a book.
//
// An opening depends on its number alone and on nothing that happened before, so games can
// be played on any machine in any order. selfplay.Series decides which proposals are
// balanced and new enough to be played; this package does not search or play.
//
// Start reading at Spec.Open.
//
// No promise of stability.
package opening

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/source"
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
		return loadBook(ctx, s, seed)
	}
	if s.Random || s.Skip != 0 || s.BookPlies != 0 {
		return nil, fmt.Errorf("a random order, Skip and BookPlies need a book")
	}
	r := &randomPlies{plies: cmp.Or(s.Plies, DefaultPlies), seed: seed}
	if r.plies < 1 || r.plies >= MaxRandomPlies {
		return nil, fmt.Errorf("%d random plies: want 1 to %d", r.plies, MaxRandomPlies-1)
	}
	switch s.Variant {
	case "", Standard:
	case Chess960, DFRC:
		r.variant = s.Variant
	default:
		return nil, fmt.Errorf("variant %.40q: want %s, %s or %s", s.Variant, Standard, Chess960, DFRC)
	}
	return r, nil
}

// Len implements Source: random openings have no end.
func (r *randomPlies) Len() uint64 { return 0 }

// Describe implements Source.
func (r *randomPlies) Describe() Description {
	return Description{Plies: r.plies, Variant: r.variant}
}

// MaxRandomPlies bounds the number of random plies: with more, most games are decided
// before they start.
const MaxRandomPlies = 40

// randomPlies proposes openings of that many random legal moves, or one more, so that either side begins half of the
// games.
type randomPlies struct {
	variant string // where they start; empty: Standard
	plies   int
	seed    uint64
}

// deadEnds is how often Propose starts again because random moves ended the game, before
// it gives up on the start position.
const deadEnds = 1000

// Propose implements selfplay.Openings. The game is not over after the opening; the
// opening may be unbalanced, and another number may have the same one.
func (r *randomPlies) Propose(number uint64, try int) (*board.Game, error) {
	rng := r.rng(number, try)
	start := board.StartPosition()
	switch r.variant {
	case Chess960:
		n := rng.IntN(fischerStarts)
		start = fischer(n, n)
	case DFRC:
		start = fischer(rng.IntN(fischerStarts), rng.IntN(fischerStarts))
	}
	plies := r.plies + rng.IntN(2)
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
	binary.LittleEndian.PutUint64(doc[0:], r.seed)
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

// ErrExhausted says that a book has no openings left.
var ErrExhausted = errors.New("the book has no more openings")

// errBook says that a file is not a valid book.
var errBook = errors.New("not a book")

// ErrWholeGames says that the games of a book go on after the opening, and the spec does not say where to stop.
var ErrWholeGames = errors.New("its games are whole games and not openings")

// longestOpening is how many plies the games of a book may have on average, without BookPlies. Books of openings in
// use have up to 40.
const longestOpening = 60

// book is a file of openings. Lines that lead to a position already in the book are
// left out, so that no opening is played twice.
type book struct {
	spec   Spec
	sha256 string
	lines  []line
	order  []uint32 // index of the line for each number; nil: in the order of the file
}

// line is one opening of a book: a position, or the moves that lead to one.
type line struct {
	fen   string // of the first position; empty: the start position
	moves []board.Move
}

// loadBook reads a book of positions (EPD or FEN, one a line) or of games (PGN), packed or not, in the order that the
// spec says. Every line is checked: an error names the file and the line.
func loadBook(ctx context.Context, spec Spec, seed uint64) (*book, error) {
	b := &book{spec: spec}
	f, err := source.Open(ctx, spec.Book)
	read := b.readPositions
	if err == nil && (f.PGN() || filepath.Ext(source.BaseName(f.Name)) == ".pgn") {
		read = b.readGames
	}
	if err == nil {
		sum := sha256.New() // of the unpacked book
		err = errors.Join(read(&bookReader{r: io.TeeReader(f, sum)}), f.Close())
		b.sha256 = hex.EncodeToString(sum.Sum(nil))
	}
	if err != nil {
		return nil, err
	}
	if len(b.lines) == 0 {
		return nil, fmt.Errorf("%s: %w: it has no openings", spec.Book, errBook)
	}
	if spec.Skip < 0 || spec.Skip >= len(b.lines) {
		return nil, fmt.Errorf("%s: %w: it has %d openings, too few to skip %d", spec.Book, ErrExhausted,
			len(b.lines), spec.Skip)
	}
	if spec.Random {
		b.order = permutation(len(b.lines), seed)
	}
	return b, nil
}

// maxBook bounds a book, in bytes unpacked. The largest in use have a fifth of it.
const maxBook = 1 << 30

// bookReader ends with an error behind maxBook.
type bookReader struct {
	r io.Reader
	n int64
}

func (b *bookReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.n += int64(n); b.n > maxBook {
		return 0, fmt.Errorf("%w: it has more than %d MiB unpacked", errBook, maxBook>>20)
	}
	return n, err
}

// add takes a line of the file, which leads to the game, unless the book has the position.
func (b *book) add(l line, game *board.Game, seen map[uint64]bool) error {
	if _, why, over := game.Outcome(); over {
		return fmt.Errorf("the game is over: %s", why)
	}
	key := game.Position().Key()
	if !seen[key] {
		seen[key] = true
		b.lines = append(b.lines, l)
	}
	return nil
}

// Propose implements selfplay.Openings: each number has its own line. There is no second
// try.
func (b *book) Propose(number uint64, try int) (*board.Game, error) {
	if try > 1 {
		return nil, fmt.Errorf("%s: opening %d was played before", b.spec.Book, number)
	}
	if number >= b.Len() {
		return nil, fmt.Errorf("%w: %s has %d, and all were played", ErrExhausted, b.spec.Book, b.Len())
	}
	i := number + uint64(b.spec.Skip)
	if b.order != nil {
		i = uint64(b.order[i])
	}
	return b.lines[i].game(), nil
}

// Len implements Source: the openings after the skipped ones.
func (b *book) Len() uint64 { return uint64(len(b.lines) - b.spec.Skip) }

// Describe implements Source.
func (b *book) Describe() Description {
	d := Description{Book: filepath.Base(b.spec.Book), SHA256: b.sha256, Lines: len(b.lines), Order: "sequential",
		Skip: b.spec.Skip, BookPlies: b.spec.BookPlies}
	if b.spec.Random {
		d.Order = "random"
	}
	return d
}

// game plays the line, whose position and moves the reader of the file has checked.
func (l line) game() *board.Game {
	start := board.StartPosition()
	if l.fen != "" {
		start, _ = board.ParseFEN(l.fen)
	}
	game := board.NewGame(start)
	for _, m := range l.moves {
		game.Push(m)
	}
	return game
}

// permutation returns the numbers below n in an order that depends on the seed.
func permutation(n int, seed uint64) []uint32 {
	rng := (&randomPlies{seed: seed}).rng(uint64(n), 0)
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// readPositions takes each line as an opening.
func (b *book) readPositions(r io.Reader) error {
	if b.spec.BookPlies != 0 {
		return fmt.Errorf("%s: %w: it has positions; only games can end after a number of plies", b.spec.Book, errBook)
	}
	in, seen := bufio.NewReaderSize(source.Text(r), lines.MaxLine), map[uint64]bool{}
	for number, more := 1, true; more; number++ {
		text, err := source.ReadLine(in, lines.MaxLine)
		if more = err == nil; err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, source.ErrLong) {
			return fmt.Errorf("%s: line %d: %w", b.spec.Book, number, err)
		}
		s := strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff"))
		switch {
		case errors.Is(err, source.ErrLong):
		case s == "" || s[0] == '#':
			continue
		default:
			l, unread := lines.Parse(s)
			if err = unread; err == nil && !seen[l.Board.Key()] {
				err = b.add(line{fen: l.Board.FEN()}, board.NewGame(l.Board), seen)
			}
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w: %w", b.spec.Book, number, errBook, err)
		}
	}
	return nil
}

// readGames takes the last position of each game as the opening, or that after BookPlies.
func (b *book) readGames(r io.Reader) error {
	seen := map[uint64]bool{}
	games, plies := 0, 0
	for g, err := range pgn.Read(r) {
		if err != nil {
			return b.errorAt(err)
		}
		l := line{fen: g.Row.Start, moves: slices.Clip(g.Row.Moves)}
		if n := b.spec.BookPlies; n > 0 && n < len(l.moves) {
			l.moves = slices.Clone(l.moves[:n])
		}
		games, plies = games+1, plies+len(l.moves)
		game := l.game()
		_, _, over := game.Outcome()
		if over && b.spec.BookPlies > 0 {
			continue // it ended in the opening
		}
		if err := b.add(l, game, seen); err != nil { // it is over
			return b.errorAt(&pgn.GameError{Line: g.Line, Err: fmt.Errorf("%w: %w", ErrWholeGames, err)})
		}
	}
	if b.spec.BookPlies == 0 && plies > longestOpening*games {
		return fmt.Errorf("%s: %w: %w, of %d plies on average", b.spec.Book, errBook, ErrWholeGames, plies/games)
	}
	return nil
}

// errorAt adds the file and the line to an error about a book of games.
func (b *book) errorAt(err error) error {
	if inGame := new(pgn.GameError); errors.As(err, &inGame) {
		return fmt.Errorf("%s:%d: %w: %w", b.spec.Book, inGame.Line, errBook, inGame.Err)
	}
	return fmt.Errorf("%s: %w", b.spec.Book, err) // the file cannot be read
}

// fischerStarts is how many starts there are for a side.
const fischerStarts = 960

// fischer returns the start in which the pieces stand as Scharnagl numbers them; 518 is standard chess.
func fischer(white, black int) board.Position {
	p, err := board.ParseFEN(strings.ToLower(backRank(black)) + "/pppppppp/8/8/8/8/PPPPPPPP/" + backRank(white) +
		" w KQkq - 0 1")
	if err != nil {
		panic(err) // a number is not below fischerStarts
	}
	return p
}

// afterQueen are the pieces on the squares that bishops and queen leave free.
var afterQueen = [...]string{"NNRKR", "NRNKR", "NRKNR", "NRKRN", "RNNKR", "RNKNR", "RNKRN", "RKNNR", "RKNRN", "RKRNN"}

// backRank has a bishop on a light and one on a dark square, then the queen on a free square, then the others.
func backRank(n int) string {
	row := make([]byte, 8)
	row[2*(n%4)+1], row[2*(n/4%4)] = 'B', 'B'
	rest := afterQueen[n/96]
	queen := n / 16 % 6
	rest = rest[:queen] + "Q" + rest[queen:]
	for i := range row {
		if row[i] == 0 {
			row[i], rest = rest[0], rest[1:]
		}
	}
	return string(row)
}
