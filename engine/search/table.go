package search

import (
	"math/bits"
	"runtime/debug"
	"unsafe"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
)

// bound is the meaning of a stored score.
type bound uint8

const (
	noBound    bound = iota
	upperBound       // the true score is not higher
	lowerBound       // the true score is not lower
	exactBound
)

// entry is one position of the transposition table in 16 bytes.
type entry struct {
	// tag has 48 bits of the position's key above 16 bits of the table's epoch. Entries
	// of an earlier epoch match no position and count as empty.
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

// table is the transposition table (Greenblatt 1967). The key selects a bucket of one
// cache line, in which a new entry replaces the shallowest and oldest one.
//
// To clear the table is to start a new epoch, without touching its memory, so a new game
// costs nothing. Entries of earlier epochs behave as empty in every way: a game does not
// depend on those before it.
type table struct {
	buckets [][bucketSize]entry
	epoch   uint16
	age     uint8
}

// resize replaces the table by an empty one of the given size in MiB. It frees a large one
// first, as memory may not suffice for two.
func (t *table) resize(mb int) {
	n := mb << 20 / (bucketSize * 16)
	if old := len(t.buckets); old != n {
		t.buckets = nil
		if old > 1<<24 { // a gigabyte
			debug.FreeOSMemory()
		}
		t.buckets = make([][bucketSize]entry, n)
		adviseHugePages(unsafe.Slice((*byte)(unsafe.Pointer(&t.buckets[0])), mb<<20))
		t.epoch = 0
	}
	t.clear()
}

func (t *table) clear() {
	t.epoch++
	t.age = 0
	if t.epoch == 0 { // memory never written has epoch 0
		clear(t.buckets)
		t.epoch = 1
	}
}

// nextSearch makes entries of earlier searches the first to be replaced.
func (t *table) nextSearch() { t.age = (t.age + 1) & ageMask }

func (t *table) bucket(key uint64) *[bucketSize]entry {
	i, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// prefetch fetches a position's bucket into the cache for a later probe.
func (t *table) prefetch(key uint64) { prefetch(unsafe.Pointer(t.bucket(key))) }

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

// result is what a search of a position found.
type result struct {
	depth, score, eval int // eval: without its correction
	bound              bound
	pv                 bool
	move               board.Move
}

// boundOf returns the meaning of the best score of a search with a window.
func boundOf(best, alpha, beta int) bound {
	switch {
	case best >= beta:
		return lowerBound
	case best > alpha:
		return exactBound
	}
	return upperBound
}

// store stores the result for a position at the ply. An entry of the same position keeps its move if there is no
// new one, and stays if it is of this search and much deeper, unless the new score is
// exact.
func (t *table) store(key uint64, ply int, r result) {
	bucket := t.bucket(key)
	tag := key<<16 | uint64(t.epoch)
	victim := &bucket[0]
	worst := int(^uint(0) >> 1)
	for i := range bucket {
		e := &bucket[i]
		if e.tag == tag {
			if r.move == board.NullMove {
				r.move = e.move
			}
			if r.bound != exactBound && r.depth+4 <= int(e.depth) && e.info>>ageShift == t.age {
				e.move = r.move
				return
			}
			victim = e
			break
		}
		if v := t.value(e); v < worst {
			victim, worst = e, v
		}
	}
	info := t.age<<ageShift | uint8(r.bound)
	if r.pv {
		info |= pvFlag
	}
	*victim = entry{tag: tag, move: r.move, score: int16(toTable(r.score, ply)), eval: int16(r.eval),
		depth: int8(r.depth), info: info}
}

// value returns how valuable an entry is; the least valuable of a bucket is replaced.
func (t *table) value(e *entry) int {
	if uint16(e.tag) != t.epoch {
		return -1 << 16
	}
	return int(e.depth) - 8*int((t.age-e.info>>ageShift)&ageMask)
}

func (e *entry) bound() bound { return bound(e.info & 3) }

// scoreAt converts the entry's score, for a position at the ply: mates count from the root.
func (e *entry) scoreAt(ply int) int { return toTable(int(e.score), -ply) }

// toTable converts a score whose mates count from the root into one whose mates count from
// the position at the ply.
func toTable(s, ply int) int {
	switch {
	case s >= mateBound:
		return s + ply
	case s <= -mateBound:
		return s - ply
	}
	return s
}

// full estimates which part of the table the current search has filled, in per mille.
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

const (
	minHashMB   = 1
	hashLimitMB = 65536
)

// maxHashMB returns the largest size of the transposition table, in MiB: 7/8 of the
// machine's memory. A Go process that runs out of memory dies.
func maxHashMB() int {
	if mb := int(machine.Memory() >> 20); mb > 0 {
		return max(min(mb*7/8, hashLimitMB), minHashMB)
	}
	return hashLimitMB
}
