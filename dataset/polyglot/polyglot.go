// Package polyglot reads opening books of the Polyglot format (.bin), and yields the lines of moves that such a
// book has from the start position. It writes none, and weights other than zero do not matter here.
//
// A book is a sorted list of entries of 16 bytes, big endian: the key of a position, a move, its weight, and
// four bytes for learning. Positions are not in it: they are found by playing its moves. The format is described
// in M. Van den Bergh, "Polyglot book format" (hgm.nubati.net/book_format.html). Its 781 random numbers are
// those that package chess of corentings carries.
//
// Start reading at Read, then Book.Lines.
//
// No promise of stability.
package polyglot

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/corentings/chess/v2"

	"github.com/assay-chess/assay/engine/board"
)

// ErrBook is wrapped by errors about content that is not a Polyglot book.
var ErrBook = errors.New("not a Polyglot book")

// entrySize is the length of an entry, in bytes.
const entrySize = 16

// queen is the largest promotion; 1 is a knight, and 0 none.
const queen = 4

// longest bounds the plies of a line, because moves of a book may go round in circles.
const longest = 80

// entry is a move with the number of its entry, from 0.
type entry struct {
	move   uint16
	weight uint16
	number int
}

// Book is what a file holds: the moves of each position, by its key.
type Book struct{ moves map[uint64][]entry }

// Read reads a whole book. Moves are checked when Lines plays them.
func Read(r io.Reader) (*Book, error) {
	b := &Book{moves: map[uint64][]entry{}}
	in := bufio.NewReader(r)
	for n := 0; ; n++ {
		var e [entrySize]byte
		if _, err := io.ReadFull(in, e[:]); err == io.EOF {
			return b, nil
		} else if err != nil {
			return nil, fmt.Errorf("%w: entry %d is cut off: %w", ErrBook, n+1, err)
		}
		key := binary.BigEndian.Uint64(e[:])
		b.moves[key] = append(b.moves[key],
			entry{binary.BigEndian.Uint16(e[8:]), binary.BigEndian.Uint16(e[10:]), n})
	}
}

// Lines yields the lines of moves from the start position to where the book ends, or to a number of plies (0: no
// limit), the heaviest moves first. Moves of weight 0, which Polyglot does not play, are left out. A position that is
// reached in two ways goes on in the first line alone. An error, about a move that is not legal, ends the sequence.
func (b *Book) Lines(plies int) iter.Seq2[[]board.Move, error] {
	return func(yield func([]board.Move, error) bool) {
		start := board.StartPosition()
		w := walker{b, plies, map[place]bool{}, yield}
		w.walk(&start, 0, nil)
	}
}

// place is where a line can be. The plies matter only to lines of limited length.
type place struct {
	key   uint64
	plies int
}

type walker struct {
	*Book
	plies int
	seen  map[place]bool
	yield func([]board.Move, error) bool
}

// walk yields the lines that go on from a position after a move, and reports whether more are wanted.
func (w *walker) walk(p *board.Position, last board.Move, line []board.Move) bool {
	at := place{key: p.Key()}
	if w.plies > 0 {
		at.plies = len(line)
	}
	if w.seen[at] {
		return true
	}
	w.seen[at] = true
	var list []entry
	if len(line) < longest && (w.plies == 0 || len(line) < w.plies) {
		list = slices.DeleteFunc(slices.Clone(w.moves[Key(p, last)]), func(e entry) bool { return e.weight == 0 })
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.weight, a.weight) })
	if len(list) == 0 {
		return len(line) == 0 || w.yield(slices.Clone(line), nil)
	}
	for _, e := range list {
		m := decode(e.move)
		if e.move>>12 > queen || !p.IsLegal(m) {
			w.yield(nil, fmt.Errorf("%w: entry %d has the move %v, which is not legal in %s", ErrBook, e.number+1, m, p.FEN()))
			return false
		}
		next := *p
		next.Make(m)
		if !w.walk(&next, m, append(line, m)) {
			return false
		}
	}
	return true
}

// decode returns a move. Castling is the king capturing its own rook here as there.
func decode(m uint16) board.Move {
	from, to := board.Square(m>>6&63), board.Square(m&63)
	if promotion := m >> 12 & 7; promotion > 0 && promotion <= queen {
		return board.NewPromotion(from, to, board.Knight+board.PieceType(promotion-1))
	}
	return board.NewMove(from, to)
}

// random returns the random numbers of the format.
var random = sync.OnceValue(func() (list [781]uint64) {
	for i, text := range chess.GetPolyglotHashes() {
		list[i], _ = strconv.ParseUint(text, 16, 64) // the keys of the tests need all of them
	}
	return list
})

// Where the parts of the table begin.
const castlingAt, epAt, turnAt = 768, 772, 780

// Key returns the key of a position after the last move, of which the file of a pawn that can be taken en passant
// is part even if its capture would leave the king in check; after no move it is that of the position.
func Key(p *board.Position, last board.Move) (key uint64) {
	r := random()
	for s := board.Square(0); s < 64; s++ {
		if piece := p.PieceAt(s); piece.Type() != board.NoPieceType {
			kind := 2*int(piece.Type()-board.Pawn) + 1 - int(piece.Color())
			key ^= r[64*kind+int(s)]
		}
	}
	for i, side := range []board.Color{board.White, board.Black} {
		for rook := p.Castling() & p.ByColor(side); rook != 0; rook &= rook - 1 {
			queenside := 0
			if rook.First() < p.KingSquare(side) {
				queenside = 1
			}
			key ^= r[castlingAt+2*i+queenside]
		}
	}
	if file := enPassant(p, last); file >= 0 {
		key ^= r[epAt+file]
	}
	if p.SideToMove() == board.White {
		key ^= r[turnAt]
	}
	return key
}

// enPassant returns the file of a pawn that was moved two squares beside an enemy pawn, or -1.
func enPassant(p *board.Position, last board.Move) int {
	if ep := p.EnPassant(); ep != board.NoSquare {
		return ep.File()
	}
	from, to := last.From(), last.To()
	if p.PieceAt(to).Type() != board.Pawn || int(from)-int(to) != 16 && int(to)-int(from) != 16 {
		return -1
	}
	takers := p.Pieces(p.SideToMove(), board.Pawn)
	if to.File() > 0 && takers&(to-1).Bitboard() != 0 || to.File() < 7 && takers&(to+1).Bitboard() != 0 {
		return to.File()
	}
	return -1
}
