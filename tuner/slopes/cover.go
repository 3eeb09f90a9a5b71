package slopes

import (
	"math/bits"

	"github.com/assay-chess/assay/engine/board"
)

// A trait is something that positions have or lack, and that may say where a number counts: a piece of a type on a
// square, rank or file of its owner's view, a type at all. Every position has the first one.
const (
	traitType     = 1                // type
	traitRank     = traitType + 6    // type, rank
	traitFile     = traitRank + 6*8  // type, file counted from the edge
	traitHalf     = traitFile + 6*4  // type, file counted from the edge, rank
	traitSquare   = traitHalf + 6*32 // type, square
	traits        = traitSquare + 6*64
	traitsOfPiece = 5
)

// bitset is a set of positions.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// without counts the members of b that c lacks.
func (b bitset) without(c bitset) (n int) {
	for i, w := range b {
		n += bits.OnesCount64(w &^ c[i])
	}
	return n
}

// list returns the members, ascending.
func (b bitset) list() []int32 {
	var out []int32
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			out = append(out, int32(64*i+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// traitsOf returns the positions that have each trait.
func traitsOf(positions []*board.Position) []bitset {
	out := make([]bitset, traits)
	for t := range out {
		out[t] = newBitset(len(positions))
	}
	for i, p := range positions {
		out[0].add(i)
		for c := board.White; c <= board.Black; c++ {
			for t := range 6 {
				for b := p.Pieces(c, board.PieceType(t)); b != 0; {
					s := int(b.PopFirst())
					if c == board.Black {
						s ^= 56
					}
					file := min(s%8, 7-s%8)
					for _, trait := range [traitsOfPiece]int{traitType + t, traitRank + 8*t + s/8, traitFile + 4*t + file,
						traitHalf + 32*t + 8*file + s/8, traitSquare + 64*t + s} {
						out[trait].add(i)
					}
				}
			}
		}
	}
	return out
}

// cover says where a number of a group is likely to count: where positions have a trait, or where a number of the
// group before it counts. Wrong ones cost evaluations, and nothing else.
type cover struct {
	trait int // -1: none
	after int // index in the group; -1: none
}

// searchCost is about how many evaluations it takes to find a number that counts somewhere unexpectedly.
const searchCost = 8

// chooseCover returns the cover of the cheapest search: it evaluates all positions that it covers, and looks for the
// number in others where that counts. Where is where the number counts in the sample, before the same for the numbers
// before it in its group.
func chooseCover(where bitset, traits, before []bitset) cover {
	best, none := searchCost*where.count(), cover{-1, -1}
	out := none
	try := func(b bitset, c cover) {
		if cost := b.count() + searchCost*where.without(b); cost < best {
			best, out = cost, c
		}
	}
	for i, b := range before {
		try(b, cover{-1, i})
	}
	for i, b := range traits {
		try(b, cover{i, -1})
	}
	return out
}
