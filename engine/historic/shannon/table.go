package shannon

import "github.com/assay-chess/assay/engine/board"

// table remembers what type A found of positions. Entries of other searches stay where
// they are, but under other keys: the keys of a search are mixed with its number.
type table struct {
	entries []entry
	number  uint64 // of the search
}

// entry is a position's value at exactly the depth. Depth 0 marks an empty one.
type entry struct {
	key   uint64
	score int32
	move  board.Move
	depth uint8
	bound int8 // 1: the value is at least the score, -1: at most, 0: it is the score
}

const tableSize = 1 << 17

// next makes the table ready for another search.
func (t *table) next() {
	if t.entries == nil {
		t.entries = make([]entry, tableSize)
	}
	t.number++
}

func (t *table) mixed(key uint64) uint64 { return key ^ t.number*0x9e3779b97f4a7c15 }

// at returns what this search has found of a position, if it has and keeps it.
func (t *table) at(key uint64) (entry, bool) {
	e := t.entries[key%tableSize]
	return e, e.key == t.mixed(key) && e.depth != 0
}

func (t *table) put(key uint64, m board.Move, score, depth int, bound int8) {
	t.entries[key%tableSize] = entry{t.mixed(key), int32(score), m, uint8(depth), bound}
}

// proves reports whether the entry's value, v, settles a search with the window.
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

// In the table mates count from the position, in a search from its root.

func toTable(score, ply int) int { return score + mateShift(score, ply) }

func fromTable(score int32, ply int) int { return int(score) - mateShift(int(score), ply) }

func mateShift(score, ply int) int {
	switch {
	case score >= mates:
		return ply
	case score <= -mates:
		return -ply
	}
	return 0
}
