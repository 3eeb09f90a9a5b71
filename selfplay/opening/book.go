package opening

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/source"
)

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
func loadBook(ctx context.Context, path string, spec Spec, seed uint64) (*book, error) {
	b := &book{spec: spec}
	b.spec.Book = path
	f, err := source.Open(ctx, path)
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
		return nil, fmt.Errorf("%s: %w: it has no openings", path, errBook)
	}
	if spec.Skip < 0 || spec.Skip >= len(b.lines) {
		return nil, fmt.Errorf("%s: %w: it has %d openings, too few to skip %d", path, ErrExhausted, len(b.lines),
			spec.Skip)
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
	return b.lines[i].game()
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

func (l line) game() (*board.Game, error) {
	start := board.StartPosition()
	if l.fen != "" {
		var err error
		if start, err = board.ParseFEN(l.fen); err != nil {
			return nil, err
		}
	}
	game := board.NewGame(start)
	for _, m := range l.moves {
		if !game.Position().IsLegal(m) {
			return nil, fmt.Errorf("%s is not legal in %s", m, game.Position().FEN())
		}
		game.Push(m)
	}
	return game, nil
}

// permutation returns the numbers below n in an order that depends on the seed.
func permutation(n int, seed uint64) []uint32 {
	rng := (&randomPlies{Seed: seed}).rng(uint64(n), 0)
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
		return fmt.Errorf("%s: %w: it has positions; only games can end after a number of plies",
			b.spec.Book, errBook)
	}
	seen := map[uint64]bool{}
	for l, err := range lines.Read(r) {
		if err == nil && !seen[l.Board.Key()] {
			if err = b.add(line{fen: l.Board.FEN()}, board.NewGame(l.Board), seen); err != nil {
				err = &lines.LineError{Number: l.Number, Err: err}
			}
		}
		if err != nil {
			return b.errorAt(err)
		}
	}
	return nil
}

// readGames takes the last position of each game as the opening, or that after BookPlies.
func (b *book) readGames(r io.Reader) error {
	seen := map[uint64]bool{}
	games, plies := 0, 0
	for g, err := range pgn.Read(r) {
		if err == nil {
			l := line{fen: g.Row.Start, moves: slices.Clip(g.Row.Moves)}
			if n := b.spec.BookPlies; n > 0 && n < len(l.moves) {
				l.moves = slices.Clone(l.moves[:n])
			}
			games, plies = games+1, plies+len(l.moves)
			var game *board.Game
			if game, err = l.game(); err == nil {
				_, _, over := game.Outcome()
				if over && b.spec.BookPlies > 0 {
					continue // it ended in the opening
				}
				if err = b.add(l, game, seen); over {
					err = fmt.Errorf("%w: %w", ErrWholeGames, err)
				}
			}
			if err != nil {
				err = &pgn.GameError{Line: g.Line, Err: err}
			}
		}
		if err != nil {
			return b.errorAt(err)
		}
	}
	if b.spec.BookPlies == 0 && plies > longestOpening*games {
		return fmt.Errorf("%s: %w: %w, of %d plies on average", b.spec.Book, errBook, ErrWholeGames, plies/games)
	}
	return nil
}

// errorAt adds the file and the line to an error about a book.
func (b *book) errorAt(err error) error {
	var inLine *lines.LineError
	var inGame *pgn.GameError
	switch {
	case errors.As(err, &inLine):
		return fmt.Errorf("%s:%d: %w: %w", b.spec.Book, inLine.Number, errBook, inLine.Err)
	case errors.As(err, &inGame):
		return fmt.Errorf("%s:%d: %w: %w", b.spec.Book, inGame.Line, errBook, inGame.Err)
	}
	return fmt.Errorf("%s: %w", b.spec.Book, err) // the file cannot be read
}
