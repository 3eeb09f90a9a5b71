package dataset

import "github.com/assay-chess/assay/engine/board"

// keySet is a set of position keys, about 12 bytes a key. Two different positions
// have equal keys by chance only: among n positions about n*n/2^65 times, once in
// 4,000 data sets of 100 million. Keys of any pattern will do, foreign names of games
// too: mix spreads them.
type keySet struct {
	slots []uint64 // open addressing; 0 is empty
	n     int
	zero  bool // whether the key 0 is in the set
}

// add puts the key into the set, and reports whether it is new.
func (s *keySet) add(key uint64) bool {
	if key == 0 {
		isNew := !s.zero
		s.zero = true
		return isNew
	}
	if 4*(s.n+1) > 3*len(s.slots) {
		s.grow()
	}
	if !s.put(key) {
		return false
	}
	s.n++
	return true
}

func (s *keySet) put(key uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := board.SplitMix64(key) & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = key
			return true
		case key:
			return false
		}
	}
}

func (s *keySet) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, 2*len(old)))
	for _, key := range old {
		if key != 0 {
			s.put(key)
		}
	}
}

// len returns the number of keys.
func (s *keySet) len() int {
	if s.zero {
		return s.n + 1
	}
	return s.n
}

// has reports whether the key is in the set.
func (s *keySet) has(key uint64) bool {
	if key == 0 {
		return s.zero
	}
	if len(s.slots) == 0 {
		return false
	}
	mask := uint64(len(s.slots) - 1)
	for i := board.SplitMix64(key) & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			return false
		case key:
			return true
		}
	}
}

// common counts the keys of two sets, and those in both.
func (s *keySet) common(o *keySet) Common {
	c := Common{A: int64(s.len()), B: int64(o.len())}
	if s.zero && o.zero {
		c.Both++
	}
	for _, key := range s.slots {
		if key != 0 && o.has(key) {
			c.Both++
		}
	}
	return c
}
