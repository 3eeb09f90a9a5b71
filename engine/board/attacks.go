package board

import "math/bits"

// Attacks of knights, kings and pawns come from tables by square. Bishops and rooks
// are looked up line by line (kindergarten bitboards, Bishop 2007): a multiplication gathers
// the occupied inner squares of a rank, file or diagonal into six bits, the index into a
// table of attacks along any such line. Magic bitboards need as many instructions and 860 kB
// of tables, which displace the transposition table and the histories from the caches; these
// tables have 11 kB.

// slider has the lines through one square, without the square.
type slider struct {
	diagonal, antidiagonal, rank, file Bitboard
	fileMagic                          uint64 // gathers the file's bits
}

var (
	sliders = newSliders()
	// alongRank has, by the file of a piece and the occupied inner squares of its rank, the
	// files that it attacks, alongFile the same with ranks and files swapped.
	alongRank, alongFile = newLineAttacks()

	knightAttacks = newStepTable([][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
	kingAttacks   = newStepTable([][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}})
	pawnAttacks   = [2][64]Bitboard{
		newStepTable([][2]int{{-1, 1}, {1, 1}}),
		newStepTable([][2]int{{-1, -1}, {1, -1}}),
	}

	// bishopRays and rookRays are the attacks on an empty board.
	bishopRays, rookRays = newRays(bishopDirections), newRays(rookDirections)

	// between[a][b] has the squares strictly between a and b, line[a][b] the whole line
	// through both. They are empty if a and b share no rank, file or diagonal.
	between, line = newLineTables()
)

var (
	bishopDirections = [][2]int{{1, 1}, {-1, -1}, {-1, 1}, {1, -1}} // file and rank
	rookDirections   = [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
)

// KnightAttacks returns the squares a knight on s attacks.
func KnightAttacks(s Square) Bitboard { return knightAttacks[s&63] }

// KingAttacks returns the squares a king on s attacks.
func KingAttacks(s Square) Bitboard { return kingAttacks[s&63] }

// PawnAttacks returns the squares a pawn of the side on s attacks.
func PawnAttacks(c Color, s Square) Bitboard { return pawnAttacks[c&1][s&63] }

// BishopAttacks returns the squares that a bishop on s attacks: on each diagonal, up to
// and including the first piece.
func BishopAttacks(s Square, occupied Bitboard) Bitboard {
	l, along := &sliders[s&63], &alongRank[s&7]
	return along[uint64((occupied&l.diagonal)*FileB)>>58]&l.diagonal |
		along[uint64((occupied&l.antidiagonal)*FileB)>>58]&l.antidiagonal
}

// RookAttacks returns the squares that a rook on s attacks: in each direction, up to and
// including the first piece.
func RookAttacks(s Square, occupied Bitboard) Bitboard {
	l := &sliders[s&63]
	return alongRank[s&7][uint64((occupied&l.rank)*FileB)>>58]&l.rank |
		alongFile[s>>3&7][uint64(occupied&l.file)*l.fileMagic>>58]&l.file
}

// QueenAttacks returns the squares a queen on s attacks.
func QueenAttacks(s Square, occupied Bitboard) Bitboard {
	return BishopAttacks(s, occupied) | RookAttacks(s, occupied)
}

// Rays returns the squares that a queen on s attacks on an empty board, a bishop's
// and a rook's apart.
func Rays(s Square) (diagonal, straight Bitboard) { return bishopRays[s&63], rookRays[s&63] }

// Attacks returns the squares that a piece of the type on s attacks. For pawns, whose
// attacks depend on their color, use PawnAttacks.
func Attacks(t PieceType, s Square, occupied Bitboard) Bitboard {
	switch t {
	case Knight:
		return KnightAttacks(s)
	case Bishop:
		return BishopAttacks(s, occupied)
	case Rook:
		return RookAttacks(s, occupied)
	case Queen:
		return QueenAttacks(s, occupied)
	case King:
		return KingAttacks(s)
	}
	return 0
}

// Between returns the squares strictly between a and b if they share a rank, file or
// diagonal, and otherwise the empty set.
func Between(a, b Square) Bitboard { return between[a&63][b&63] }

// lineThrough returns the whole rank, file or diagonal through a and b, and the empty set if they
// share none.
func lineThrough(a, b Square) Bitboard { return line[a&63][b&63] }

func newStepTable(steps [][2]int) (t [64]Bitboard) {
	for s := A1; s <= H8; s++ {
		for _, d := range steps {
			if to, ok := step(s, d); ok {
				t[s] |= to.Bitboard()
			}
		}
	}
	return t
}

// step returns the square one step away, and false if that is off the board.
func step(s Square, d [2]int) (Square, bool) {
	f, r := s.File()+d[0], s.Rank()+d[1]
	if f < 0 || f > 7 || r < 0 || r > 7 {
		return NoSquare, false
	}
	return NewSquare(f, r), true
}

// walk returns the squares in the directions, up to and including the first occupied one.
// It is slow, and only fills the tables.
func walk(s Square, directions [][2]int, occupied Bitboard) (b Bitboard) {
	for _, d := range directions {
		for to, ok := step(s, d); ok; to, ok = step(to, d) {
			b |= to.Bitboard()
			if occupied.Has(to) {
				break
			}
		}
	}
	return b
}

func newRays(directions [][2]int) (t [64]Bitboard) {
	for s := A1; s <= H8; s++ {
		t[s] = walk(s, directions, 0)
	}
	return t
}

// fileMagic gathers the inner squares of the a-file into the upper six bits of a product.
const fileMagic = 0x0080402010080400

func newSliders() (t [64]slider) {
	for s := A1; s <= H8; s++ {
		t[s] = slider{
			diagonal:     walk(s, bishopDirections[:2], 0),
			antidiagonal: walk(s, bishopDirections[2:], 0),
			rank:         walk(s, rookDirections[:2], 0),
			file:         walk(s, rookDirections[2:], 0),
			fileMagic:    fileMagic >> s.File(),
		}
	}
	return t
}

func newLineAttacks() (alongRank, alongFile [8][64]Bitboard) {
	for i := range 8 {
		for inner := range Bitboard(64) {
			onRank := walk(NewSquare(i, 0), rookDirections[:2], inner<<1)
			alongRank[i][inner] = onRank * FileA // on every rank
			file := Bitboard(0)
			for b := inner << 1; b != 0; {
				file |= NewSquare(0, int(b.PopFirst())).Bitboard()
			}
			onFile := walk(NewSquare(0, i), rookDirections[2:], file)
			alongFile[i][uint64(file)*fileMagic>>58] = onFile * Rank1 // on every file
		}
	}
	return alongRank, alongFile
}

func newLineTables() (between, line *[64][64]Bitboard) {
	between, line = new([64][64]Bitboard), new([64][64]Bitboard)
	for a := A1; a <= H8; a++ {
		for _, d := range append(append([][2]int{}, bishopDirections...), rookDirections...) {
			whole := walk(a, [][2]int{d, {-d[0], -d[1]}}, 0) | a.Bitboard()
			path := Bitboard(0)
			for b, ok := step(a, d); ok; b, ok = step(b, d) {
				between[a][b], line[a][b] = path, whole
				path |= b.Bitboard()
			}
		}
	}
	return between, line
}

// Bitboard is a set of squares: bit n stands for Square n.
type Bitboard uint64

// Files, ranks, and squares by color.
const (
	FileA Bitboard = 0x0101010101010101
	FileB          = FileA << 1
	FileC          = FileA << 2
	FileD          = FileA << 3
	FileE          = FileA << 4
	FileF          = FileA << 5
	FileG          = FileA << 6
	FileH          = FileA << 7

	Rank1 Bitboard = 0xff
	Rank2          = Rank1 << 8
	Rank3          = Rank1 << 16
	Rank4          = Rank1 << 24
	Rank5          = Rank1 << 32
	Rank6          = Rank1 << 40
	Rank7          = Rank1 << 48
	Rank8          = Rank1 << 56

	DarkSquares  Bitboard = 0xaa55aa55aa55aa55
	LightSquares          = ^DarkSquares
)

// Count returns the number of squares in the set.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// First returns the lowest square of the set, or NoSquare if it is empty.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// PopFirst removes the lowest square from the set and returns it. The set must
// not be empty.
func (b *Bitboard) PopFirst() Square {
	s := Square(bits.TrailingZeros64(uint64(*b)))
	*b &= *b - 1
	return s
}

// Has reports whether the square is in the set.
func (b Bitboard) Has(s Square) bool { return b>>(s&63)&1 != 0 }

// Many reports whether the set has more than one square.
func (b Bitboard) Many() bool { return b&(b-1) != 0 }

// Forward moves every square one rank forward from the side's view.
func (b Bitboard) Forward(c Color) Bitboard {
	if c == White {
		return b << 8
	}
	return b >> 8
}

// East moves every square one file towards the h-file.
func (b Bitboard) East() Bitboard { return b &^ FileH << 1 }

// West moves every square one file towards the a-file.
func (b Bitboard) West() Bitboard { return b &^ FileA >> 1 }

// Mirror returns the set with its ranks mirrored: a1 becomes a8.
func (b Bitboard) Mirror() Bitboard { return Bitboard(bits.ReverseBytes64(uint64(b))) }

// PawnAttackSet returns every square that the side's pawns on the squares of b attack.
func PawnAttackSet(c Color, b Bitboard) Bitboard {
	f := b.Forward(c)
	return f.East() | f.West()
}
