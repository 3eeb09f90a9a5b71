package nim

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// The limits of the universal computer's program.
const (
	MaxHeaps = 8  // heaps
	MaxHeap  = 31 // matches in a heap
)

// Rules are the rules of a game.
type Rules struct {
	K        int  // number of heaps that one move may take from
	LastWins bool // the player that takes the last match wins, otherwise loses
}

// Case is the case, in the chapter's terms, that a position belongs to.
type Case byte

// The cases: (a) more than k heaps have more than one match, (b) some, but at most k, (c)
// none, (d) all heaps are empty.
const (
	caseA Case = 'a' + iota
	caseB
	caseC
	caseD
)

// Check returns an error if the program cannot play the position.
func (r Rules) Check(heaps []int) error {
	switch {
	case len(heaps) < 2 || len(heaps) > MaxHeaps:
		return fmt.Errorf("nim: %d heaps; the program allows 2 to %d", len(heaps), MaxHeaps)
	case r.K < 1 || r.K >= len(heaps):
		return fmt.Errorf("nim: a move may take from %d of %d heaps; it must be at least 1 and fewer than all", r.K,
			len(heaps))
	}
	for i, n := range heaps {
		if n < 0 || n > MaxHeap {
			return fmt.Errorf("nim: heap %d has %d matches; the program allows 0 to %d", i+1, n, MaxHeap)
		}
	}
	return nil
}

// Case returns the case that the position belongs to.
func (r Rules) Case(heaps []int) Case {
	big, units := count(heaps)
	switch {
	case big > r.K:
		return caseA
	case big > 0:
		return caseB
	case units > 0:
		return caseC
	}
	return caseD
}

// Safe reports whether the position is safe to leave to the opponent: the chapter's "winning
// position".
func (r Rules) Safe(heaps []int) bool {
	if c := r.Case(heaps); c == caseA || r.LastWins {
		sums := Sums(heaps)
		return !slices.ContainsFunc(sums[:], func(sum int) bool { return sum%(r.K+1) != 0 })
	}
	big, units := count(heaps)
	return big == 0 && units%(r.K+1) == 1
}

// Sums returns the sums of the five binary columns, the most significant first.
func Sums(heaps []int) (sums [5]int) {
	for _, n := range heaps {
		for i := range sums {
			sums[i] += n >> (4 - i) & 1
		}
	}
	return sums
}

// Move returns the heaps that the program leaves. found is false if no move leaves a safe
// position; the move is then random. In case (d) there is no move, and left is nil.
func (r Rules) Move(heaps []int, rng *rand.Rand) (left []int, found bool) {
	c := r.Case(heaps)
	switch {
	case c == caseD:
		return nil, false
	case r.Safe(heaps):
		return r.random(heaps, rng), false
	case c == caseA || r.LastWins:
		return r.normal(heaps), true
	}
	return r.units(heaps), true
}

// normal is the normal routine. Column by column, the most significant first, it removes a 1
// from a heap and sets all lower digits of that heap to 1, until the sum of the column is
// divisible by k+1. A changed heap has a 1 in every column still to come, and is changed
// again before another one; so at most k heaps are changed.
func (r Rules) normal(heaps []int) []int {
	left := slices.Clone(heaps)
	changed := make([]bool, len(heaps))
	for bit := 4; bit >= 0; bit-- {
		for r.excess(left, bit) != 0 {
			i := choose(left, changed, bit)
			changed[i] = true
			left[i] = left[i]&^(1<<bit) | (1<<bit - 1)
		}
	}
	return left
}

// excess returns the sum of a column modulo k+1.
func (r Rules) excess(heaps []int, bit int) int {
	return Sums(heaps)[4-bit] % (r.K + 1)
}

// choose returns the index of a heap with a 1 in the column: one already changed, otherwise
// the last.
func choose(heaps []int, changed []bool, bit int) int {
	fresh := -1
	for i := len(heaps) - 1; i >= 0; i-- {
		if heaps[i]>>bit&1 == 0 {
			continue
		}
		if changed[i] {
			return i
		}
		fresh = max(fresh, i)
	}
	return fresh
}

// units is the move of cases (b) and (c): leave r(k+1)+1 heaps of one match and no larger
// heap.
func (r Rules) units(heaps []int) []int {
	big, units := count(heaps)
	// Every larger heap is reduced to one match or none. If heaps may still be changed,
	// single matches are taken.
	want := units + big
	for want%(r.K+1) != 1%(r.K+1) {
		want--
	}
	left := slices.Clone(heaps)
	for i, n := range left { // first the larger heaps, then single matches
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

// random takes a random number of matches from each of 1 to k random heaps.
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

// count returns the number of heaps with more than one match, and with exactly one.
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
