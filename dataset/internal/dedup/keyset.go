package dedup

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/assay-chess/assay/engine/board"
)

// KeySet is a set of keys in memory, about 12 bytes a key: a map takes twice that. The zero value
// is empty. Keys may have any pattern, for example ids of games from another program.
type KeySet struct {
	slots []uint64 // open addressing; 0 is empty
	n     int
}

// zeroKey is stored in place of the key 0.
const zeroKey = 0x6a09e667f3bcc909

// slot returns where the key is, or the empty slot where it belongs.
func (s *KeySet) slot(key uint64) *uint64 {
	mask := uint64(len(s.slots) - 1)
	for i := board.SplitMix64(key) & mask; ; i = (i + 1) & mask {
		if at := &s.slots[i]; *at == 0 || *at == key {
			return at
		}
	}
}

// Add puts the key into the set, and reports whether it is new.
func (s *KeySet) Add(key uint64) bool {
	if 4*(s.n+1) > 3*len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(1024, 2*len(old)))
		for _, key := range old {
			if key != 0 {
				*s.slot(key) = key
			}
		}
	}
	if key == 0 {
		key = zeroKey
	}
	at := s.slot(key)
	if *at == key {
		return false
	}
	*at = key
	s.n++
	return true
}

// Len returns the number of keys.
func (s *KeySet) Len() int { return s.n }

// Has reports whether the key is in the set.
func (s *KeySet) Has(key uint64) bool {
	if key == 0 {
		key = zeroKey
	}
	return s.n > 0 && *s.slot(key) == key
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
