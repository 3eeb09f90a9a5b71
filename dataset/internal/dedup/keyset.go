package dedup

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/assay-chess/assay/engine/board"
)

// KeySet is a set of keys in memory, about 12 bytes a key. The zero value is empty. Keys
// may have any pattern, for example ids of games from another program.
type KeySet struct {
	slots []uint64 // open addressing; 0 is empty
	n     int
	zero  bool // whether the key 0 is in the set
}

// Add puts the key into the set, and reports whether it is new.
func (s *KeySet) Add(key uint64) bool {
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

func (s *KeySet) put(key uint64) bool {
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

func (s *KeySet) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, 2*len(old)))
	for _, key := range old {
		if key != 0 {
			s.put(key)
		}
	}
}

// Len returns the number of keys.
func (s *KeySet) Len() int {
	if s.zero {
		return s.n + 1
	}
	return s.n
}

// Has reports whether the key is in the set.
func (s *KeySet) Has(key uint64) bool {
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

// Common returns the number of keys that are in both sets.
func (s *KeySet) Common(o *KeySet) (n int64) {
	if s.zero && o.zero {
		n++
	}
	for _, key := range s.slots {
		if key != 0 && o.Has(key) {
			n++
		}
	}
	return n
}

// GameKey returns a key of a game's first position (a FEN) and moves. Keys of different
// processes cannot be compared: each has a seed of its own.
func GameKey(seed maphash.Seed, start string, moves []board.Move) uint64 {
	doc := []byte(start + "\x00")
	for _, m := range moves {
		doc = binary.LittleEndian.AppendUint16(doc, uint16(m))
	}
	return maphash.Bytes(seed, doc)
}
