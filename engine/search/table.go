package search

import (
	"math/bits"
	"unsafe"

	"github.com/assay-chess/assay/engine/board"
)

// bound says what a stored score means.
type bound uint8

const (
	noBound    bound = iota
	upperBound       // the true score is not above
	lowerBound       // the true score is not below
	exactBound
)

// entry is one position of the transposition table in 16 bytes.
type entry struct {
	// tag holds 48 bits of the position's key above the 16 of the game's epoch: an
	// entry of an earlier game matches nothing and counts as empty.
	tag   uint64
	move  board.Move
	score int16 // mates counted from this position
	eval  int16
	depth int8
	info  uint8 // age<<3 | pv<<2 | bound
}

const (
	bucketSize = 4
	pvFlag     = 4
	ageShift   = 3
	ageMask    = 1<<(8-ageShift) - 1
)

// table is the transposition table (Greenblatt 1967): buckets of one cache line,
// found by the key, in which the shallowest and oldest entry gives way.
//
// Clearing it starts a new epoch instead of touching its memory, so that a new game
// costs nothing; what an earlier epoch left behaves as empty in every way, and games
// do not depend on those before them.
type table struct {
	buckets [][bucketSize]entry
	epoch   uint16
	age     uint8
}

// resize makes the table empty and of the given size in megabytes.
func (t *table) resize(mb int) {
	n := mb << 20 / (bucketSize * 16)
	if len(t.buckets) != n {
		t.buckets = nil // let the old one go first
		t.buckets = make([][bucketSize]entry, n)
		adviseHugePages(unsafe.Slice((*byte)(unsafe.Pointer(&t.buckets[0])), mb<<20))
		t.epoch = 0
	}
	t.clear()
}

func (t *table) clear() {
	t.epoch++
	t.age = 0
	if t.epoch == 0 { // epoch 0 is that of memory never written
		clear(t.buckets)
		t.epoch = 1
	}
}

// nextSearch makes entries of earlier searches the first to give way.
func (t *table) nextSearch() { t.age = (t.age + 1) & ageMask }

func (t *table) bucket(key uint64) *[bucketSize]entry {
	i, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// prefetch has the memory of a position's bucket on its way before probe asks for it.
func (t *table) prefetch(key uint64) { prefetch(unsafe.Pointer(t.bucket(key))) }

// probe returns the entry of the position.
func (t *table) probe(key uint64) (entry, bool) {
	b := t.bucket(key)
	tag := key<<16 | uint64(t.epoch)
	for i := range b {
		if b[i].tag == tag {
			return b[i], true
		}
	}
	return entry{}, false
}

// store remembers a position. An entry of the same position keeps its move if there
// is no new one, and stays if it is exact or much deeper than what would replace it.
func (t *table) store(key uint64, depth, ply, score, eval int, b bound, pv bool, move board.Move) {
	bucket := t.bucket(key)
	tag := key<<16 | uint64(t.epoch)
	victim := &bucket[0]
	worst := int(^uint(0) >> 1)
	for i := range bucket {
		e := &bucket[i]
		if e.tag == tag {
			if move == board.NullMove {
				move = e.move
			}
			if b != exactBound && depth+4 <= int(e.depth) && e.info>>ageShift == t.age {
				e.move = move
				return
			}
			victim = e
			break
		}
		if worth := t.worth(e); worth < worst {
			victim, worst = e, worth
		}
	}
	info := t.age<<ageShift | uint8(b)
	if pv {
		info |= pvFlag
	}
	*victim = entry{tag: tag, move: move, score: int16(toTable(score, ply)), eval: int16(eval), depth: int8(depth), info: info}
}

// worth orders the entries of a bucket by what is lost with them.
func (t *table) worth(e *entry) int {
	if uint16(e.tag) != t.epoch {
		return -1 << 16
	}
	return int(e.depth) - 8*int((t.age-e.info>>ageShift)&ageMask)
}

func (e *entry) bound() bound { return bound(e.info & 3) }

// scoreAt returns the entry's score as seen from the root, with the position at ply.
func (e *entry) scoreAt(ply int) int {
	s := int(e.score)
	switch {
	case s >= mateBound:
		return s - ply
	case s <= -mateBound:
		return s + ply
	}
	return s
}

// toTable turns a score seen from the root into one seen from the position at ply.
func toTable(s, ply int) int {
	switch {
	case s >= mateBound:
		return s + ply
	case s <= -mateBound:
		return s - ply
	}
	return s
}

// full estimates the share of the table that the current search has filled, in per
// mille.
func (t *table) full() int {
	sample := min(len(t.buckets), 1000/bucketSize)
	n := 0
	for i := range t.buckets[:sample] {
		for j := range t.buckets[i] {
			e := &t.buckets[i][j]
			if uint16(e.tag) == t.epoch && e.info>>ageShift == t.age {
				n++
			}
		}
	}
	return n * 1000 / (sample * bucketSize)
}
