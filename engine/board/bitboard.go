package board

import "math/bits"

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
