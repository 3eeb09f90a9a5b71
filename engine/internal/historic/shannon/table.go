package shannon

import "github.com/assay-chess/assay/engine/board"

// table is the transposition table of type A. Keys are mixed with the number of the search,
// so that entries of earlier searches are not found.
type table struct {
	entries []entry
	number  uint64 // of the search
}

// entry is the value of a position at exactly the depth. Depth 0 marks an empty entry.
type entry struct {
	key   uint64
	score int32
	move  board.Move
	depth uint8
	bound int8 // 1: the value is at least the score, -1: at most, 0: it is the score
}

const tableSize = 1 << 17

// next prepares the table for the next search.
func (t *table) next() {
	if t.entries == nil {
		t.entries = make([]entry, tableSize)
	}
	t.number++
}

func (t *table) mixed(key uint64) uint64 { return key ^ t.number*0x9e3779b97f4a7c15 }

// at returns the entry of a position, if this search has stored one.
func (t *table) at(key uint64) (entry, bool) {
	e := t.entries[key%tableSize]
	return e, e.key == t.mixed(key) && e.depth != 0
}

func (t *table) put(key uint64, m board.Move, score, depth int, bound int8) {
	t.entries[key%tableSize] = entry{t.mixed(key), int32(score), m, uint8(depth), bound}
}

// proves reports whether the entry, whose value is v, decides a search with the window.
func (e *entry) proves(v, alpha, beta int) bool {
	return e.bound == 0 || e.bound > 0 && v >= beta || e.bound < 0 && v <= alpha
}

func boundOf(v, alpha, beta int) int8 {
	switch {
	case v >= beta:
		return 1
	case v <= alpha:
		return -1
	}
	return 0
}

// In the table the distance to mate counts from the position, in a search from the root.

func toTable(score, ply int) int { return score + mateShift(score, ply) }

func fromTable(score int32, ply int) int { return int(score) - mateShift(int(score), ply) }

func mateShift(score, ply int) int {
	switch {
	case score >= mateBound:
		return ply
	case score <= -mateBound:
		return -ply
	}
	return 0
}
