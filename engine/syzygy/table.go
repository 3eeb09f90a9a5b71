package syzygy

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine/board"
	"golang.org/x/exp/mmap"
)

// table is the two files of one material.
type table struct {
	name      string        // such as KRPvKR
	men       []board.Piece // White is the side before the v
	symmetric bool          // both sides have the same men: only White to move is stored
	lead      board.Color   // whose pawns lead
	pawns     [2]int        // of the leading side and of the other
	wdl, dtz  file
}

func newTable(white, black string) *table {
	t := &table{name: white + "v" + black, symmetric: white == black}
	for side, men := range []string{white, black} {
		for _, l := range men {
			t.men = append(t.men, board.NewPiece(board.Color(side), board.PieceType(strings.IndexRune(letters, l))))
		}
	}
	t.pawns = [2]int{strings.Count(white, "P"), strings.Count(black, "P")}
	if t.pawns[0] == 0 || t.pawns[1] > 0 && t.pawns[1] < t.pawns[0] { // the side with fewer pawns leads
		t.lead = board.Black
		t.pawns[0], t.pawns[1] = t.pawns[1], t.pawns[0]
	}
	slices.Sort(t.men)
	return t
}

// file is a .rtbw or .rtbz file, opened at its first use.
type file struct {
	path string // empty: there is none
	once sync.Once
	src  *mmap.ReaderAt
	err  error

	// By the file of the leading pawn (0 without pawns) and, with outcome, by the side to move.
	parts [4][2]part
}

// part is the values of the positions that one layout numbers.
type part struct {
	*layout
	pairs
	flags  byte
	ranges [4][]uint16 // of DTZ with flag mapped: what the values stand for; see part.plies
}

// Flags of a part with DTZ. The first is also one of a whole file.
const (
	blackMoves = 1 << iota // the values are for Black to move
	mapped
	winPlies // plies, not moves, to the zeroing of a win
	lossPlies
	wide // mapped to 16 bits
)

// Flags of a file.
const (
	twoSided = 1 << iota
	withPawns
)

// guarded calls f, and returns an error if the file cannot be read any more where it is mapped, as after another
// program truncated it.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(interface{ Addr() uintptr })
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("it changed while it was read: fault at %#x", fault.Addr())
		}
	}()
	return f()
}

// open reads the file's header, once.
func (f *file) open(t *table, dtz bool) error {
	if f.path == "" {
		return fmt.Errorf("syzygy: %w: %s%s", errMissing, t.name, map[bool]string{true: ".rtbz", false: ".rtbw"}[dtz])
	}
	f.once.Do(func() {
		if f.src, f.err = mmap.Open(f.path); f.err == nil {
			f.err = guarded(func() error { return f.parse(t, dtz) })
		}
		f.err = f.damaged(f.err)
	})
	return f.err
}

// damaged returns an error about the file's content that names the file.
func (f *file) damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("syzygy: %s is damaged or no table: %w", f.path, err)
}

// parse reads the header: magic and flags; the layouts; of each, how its values are compressed; for DTZ the maps;
// and where the three regions of each part are.
func (f *file) parse(t *table, dtz bool) error {
	r := &cursor{src: f.src}
	magic, sides := uint32(0x5d23e871), 2
	if dtz {
		magic = 0xa50c66d7
	}
	if dtz || t.symmetric {
		sides = 1
	}
	files := 1
	if t.pawns[0] > 0 {
		files = 4
	}
	if got := r.uint32(); r.err == nil && got != magic {
		return fmt.Errorf("it begins with %#x, not %#x", got, magic)
	}
	flags := r.byte()
	if r.err == nil && ((flags&withPawns != 0) != (files == 4) || (flags&twoSided != 0) == t.symmetric) {
		return fmt.Errorf("its flags %#x do not fit %s", flags, t.name)
	}
	if err := f.parseLayouts(r, t, files, sides); err != nil {
		return err
	}
	r.align(2)
	for i := range f.parts[:files] {
		for j := range f.parts[i][:sides] {
			p := &f.parts[i][j]
			var err error
			if p.flags, err = p.pairs.parse(r, p.size, dtz); err != nil {
				return err
			}
		}
	}
	if dtz {
		for i := range f.parts[:files] {
			f.parts[i][0].parseRanges(r)
		}
		r.align(2)
	}
	return f.place(r, files, sides)
}

// parseLayouts reads the order of the men for each file and side: both sides share bytes, White in the lower half.
func (f *file) parseLayouts(r *cursor, t *table, files, sides int) error {
	for i := range files {
		order, order2 := r.byte(), byte(0xff)
		if t.pawns[1] > 0 {
			order2 = r.byte()
		}
		codes := r.bytes(len(t.men))
		if r.err != nil {
			return r.err
		}
		for j := range sides {
			shift := 4 * j
			men := make([]board.Piece, len(codes))
			for k, c := range codes {
				men[k] = board.Piece(c>>shift&15) - 1 // 1 to 6 and 9 to 14
			}
			sorted := slices.Sorted(slices.Values(men))
			if !slices.Equal(sorted, t.men) || t.pawns[0] > 0 && men[0] != board.NewPiece(t.lead, board.Pawn) {
				return fmt.Errorf("its pieces are not %s", t.name)
			}
			l, err := newLayout(men, t.pawns[0], t.pawns[1], i, int(order>>shift&15), int(order2>>shift&15))
			if err != nil {
				return err
			}
			f.parts[i][j].layout = l
		}
	}
	return nil
}

// parseRanges reads what the values of a part stand for, if they are mapped: for wins, losses, cursed wins and
// blessed losses.
func (p *part) parseRanges(r *cursor) {
	if p.flags&mapped == 0 {
		return
	}
	if p.flags&wide != 0 {
		r.align(2)
	}
	for i := range p.ranges {
		if p.flags&wide == 0 {
			for _, b := range r.bytes(int(r.byte())) {
				p.ranges[i] = append(p.ranges[i], uint16(b))
			}
			continue
		}
		words := r.bytes(2 * int(r.uint16()))
		for ; len(words) > 0; words = words[2:] {
			p.ranges[i] = append(p.ranges[i], binary.LittleEndian.Uint16(words))
		}
	}
}

// place computes where the regions of each part are, and whether the file ends with the last and its checksum
// of 16 bytes.
func (f *file) place(r *cursor, files, sides int) error {
	for region := range 3 {
		for i := range f.parts[:files] {
			for j := range f.parts[i][:sides] {
				p := &f.parts[i][j].pairs
				if region == 2 {
					r.align(64)
				}
				p.regions[region] = r.offset
				r.offset += p.lengths[region]
			}
		}
	}
	if r.err != nil {
		return r.err
	}
	r.align(64)
	if want := r.offset + 16; int64(f.src.Len()) != want {
		return fmt.Errorf("it has %d bytes, not %d", f.src.Len(), want)
	}
	return nil
}

// cursor reads a header. After an error it reads zeros.
type cursor struct {
	src    *mmap.ReaderAt
	offset int64
	err    error
}

func (r *cursor) bytes(n int) []byte {
	b := make([]byte, n)
	if r.err == nil {
		_, r.err = r.src.ReadAt(b, r.offset)
	}
	r.offset += int64(n)
	return b
}

func (r *cursor) byte() byte     { return r.bytes(1)[0] }
func (r *cursor) uint16() uint16 { return binary.LittleEndian.Uint16(r.bytes(2)) }
func (r *cursor) uint32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }

// align moves to the next multiple of n.
func (r *cursor) align(n int64) { r.offset += (n - r.offset%n) % n }

// number returns the part of the file that has the position, and its number there. A DTZ file may be for the other
// side to move: then ok is false.
func (f *file) number(e entry, p *board.Position, dtz bool) (found *part, n uint64, ok bool) {
	swap := board.White
	if e.symmetric {
		swap = p.SideToMove()
	} else if e.swapped {
		swap = board.Black
	}
	side := p.SideToMove() ^ swap
	var buf [maxMen]board.Square
	i := 0
	if e.pawns[0] > 0 {
		i = firstPawn(squaresOf(p, f.parts[0][0].men[:e.pawns[0]], swap, buf[:0]))
	}
	found = &f.parts[i][0]
	switch {
	case !dtz:
		found = &f.parts[i][side]
	case !e.symmetric && board.Color(found.flags&blackMoves) != side:
		return nil, 0, false
	}
	return found, found.index(squaresOf(p, found.men, swap, buf[:0])), true
}

// squaresOf appends the squares of the men, in their order; with swap Black the other color's men, on the
// mirrored board.
func squaresOf(p *board.Position, men []board.Piece, swap board.Color, squares []board.Square) []board.Square {
	for i, m := range men {
		if i > 0 && m == men[i-1] {
			continue
		}
		for set := p.Pieces(m.Color()^swap, m.Type()); set != 0; {
			squares = append(squares, set.PopFirst().Relative(swap))
		}
	}
	return squares
}
