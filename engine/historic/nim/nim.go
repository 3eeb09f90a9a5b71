package nim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// What the universal computer's program allowed.
const (
	MaxHeaps = 8
	MaxHeap  = 31
)

// ErrPosition is wrapped by the errors of Rules.Check.
var ErrPosition = errors.New("nim")

// Rules say which game is played.
type Rules struct {
	K        int  // most heaps that one move may alter
	LastWins bool // who takes the last match wins; else loses
}

// Case is the chapter's case of a position.
type Case byte

// The cases: (a) k+1 heaps or more hold more than one match, (b) fewer do, (c) none
// does, (d) all are empty.
const (
	CaseA Case = 'a' + iota
	CaseB
	CaseC
	CaseD
)

// Check reports whether the program can play the position.
func (r Rules) Check(heaps []int) error {
	switch {
	case len(heaps) < 2 || len(heaps) > MaxHeaps:
		return fmt.Errorf("%w: %d heaps; the program takes 2 to %d", ErrPosition, len(heaps), MaxHeaps)
	case r.K < 1 || r.K >= len(heaps):
		return fmt.Errorf("%w: a move may alter at most %d of %d heaps; it must be at least 1 and fewer than all", ErrPosition, r.K, len(heaps))
	}
	for i, n := range heaps {
		if n < 0 || n > MaxHeap {
			return fmt.Errorf("%w: heap %d has %d matches; the program takes 0 to %d", ErrPosition, i+1, n, MaxHeap)
		}
	}
	return nil
}

// Case returns the case that the position is.
func (r Rules) Case(heaps []int) Case {
	big, units := count(heaps)
	switch {
	case big > r.K:
		return CaseA
	case big > 0:
		return CaseB
	case units > 0:
		return CaseC
	}
	return CaseD
}

// Safe reports whether the position is safe to leave: the chapter's "winning position".
func (r Rules) Safe(heaps []int) bool {
	if c := r.Case(heaps); c == CaseA || r.LastWins {
		for bit := range 5 {
			if r.excess(heaps, bit) != 0 {
				return false
			}
		}
		return true
	}
	big, units := count(heaps)
	return big == 0 && units%(r.K+1) == 1
}

// Sums returns the sums of the binary columns, the most significant of the five first.
func Sums(heaps []int) (sums [5]int) {
	for _, n := range heaps {
		for i := range sums {
			sums[i] += n >> (4 - i) & 1
		}
	}
	return sums
}

// Move returns the heaps that the program leaves; found is false where no move leaves
// a safe position, and the move was chosen with chance. In case (d) there is no move
// and nothing is returned.
func (r Rules) Move(heaps []int, rng *rand.Rand) (left []int, found bool) {
	c := r.Case(heaps)
	switch {
	case c == CaseD:
		return nil, false
	case r.Safe(heaps):
		return r.random(heaps, rng), false
	case c == CaseA || r.LastWins:
		return r.normal(heaps), true
	}
	return r.units(heaps), true
}

// normal is the normal routine: column by column from the most significant, a 1 is
// taken out of a heap, and all its lower digits made 1, until the column's sum is
// divisible by k+1. An altered heap has a 1 in every column still to come, and so is
// altered again before a fresh one; at most k are altered in all.
func (r Rules) normal(heaps []int) []int {
	left := slices.Clone(heaps)
	altered := make([]bool, len(heaps))
	for bit := 4; bit >= 0; bit-- {
		for r.excess(left, bit) != 0 {
			i := choose(left, altered, bit)
			altered[i] = true
			left[i] = left[i]&^(1<<bit) | (1<<bit - 1)
		}
	}
	return left
}

// excess returns a column's sum modulo k+1.
func (r Rules) excess(heaps []int, bit int) int {
	sum := 0
	for _, n := range heaps {
		sum += n >> bit & 1
	}
	return sum % (r.K + 1)
}

// choose returns the heap with a 1 in the column to alter: one already altered, else
// any.
func choose(heaps []int, altered []bool, bit int) int {
	fresh := -1
	for i := len(heaps) - 1; i >= 0; i-- {
		if heaps[i]>>bit&1 == 0 {
			continue
		}
		if altered[i] {
			return i
		}
		fresh = max(fresh, i)
	}
	return fresh
}

// units is the move of cases (b) and (c): leave r(k+1)+1 heaps of one match and no
// larger one.
func (r Rules) units(heaps []int) []int {
	big, units := count(heaps)
	// Every larger heap is altered, to one match or none; the moves left over take
	// single matches.
	want := units + big
	for want%(r.K+1) != 1%(r.K+1) {
		want--
	}
	left := slices.Clone(heaps)
	for i, n := range left { // first the larger heaps go, then single matches
		if n > 1 {
			left[i] = 0
			if units < want {
				left[i] = 1
				units++
			}
		}
	}
	for i := len(left) - 1; units > want; i-- {
		if heaps[i] == 1 {
			left[i] = 0
			units--
		}
	}
	return left
}

// random takes some matches from some heaps, at most k.
func (r Rules) random(heaps []int, rng *rand.Rand) []int {
	var full []int
	for i, n := range heaps {
		if n > 0 {
			full = append(full, i)
		}
	}
	rng.Shuffle(len(full), func(i, j int) { full[i], full[j] = full[j], full[i] })
	left := slices.Clone(heaps)
	for _, i := range full[:1+rng.IntN(min(r.K, len(full)))] {
		left[i] = rng.IntN(left[i])
	}
	return left
}

// count returns the numbers of heaps of more than one match and of exactly one.
func count(heaps []int) (big, units int) {
	for _, n := range heaps {
		if n > 1 {
			big++
		} else {
			units += n
		}
	}
	return big, units
}
