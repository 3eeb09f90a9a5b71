// Package dedup finds equal keys among many, in bounded memory: positions that occur
// twice, and games that do.
//
//   - A KeySet holds keys in memory, 12 bytes a key.
//   - A Finder says which keys came before. It has room for Limit keys; the keys
//     beyond that wait in files, and are compared at the end.
//
// A key is a 64-bit hash. Two different positions have equal keys by chance only: among n
// positions about n*n/2^65 times, once in 4,000 data sets of 100 million.
//
// Start reading at Finder.
package dedup

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// Limit is how many keys a Finder holds in memory unless it is given another limit:
// 128 MiB of them.
const Limit = 3 << 22

// Answer is what a Finder knows of a key when it is added.
type Answer int

const (
	New      Answer = iota // no earlier row has the key
	Repeated               // an earlier row has the key
	unknown                // Finish finds out
)

// Finder finds the rows whose key an earlier row has, in bounded memory. Call Close at
// the end.
type Finder struct {
	Limit int    // keys in memory; 0 is the constant Limit. It changes no result
	Dir   string // for files, made when they are needed; empty is a new temporary folder

	seen  KeySet
	spill *spill // of keys that were not in seen when it was full; nil if there are none
}

// Add adds the key of a row. The rows whose answer is Unknown must have different
// numbers that rise.
func (f *Finder) Add(key uint64, row int64) (Answer, error) {
	if f.seen.Len() < cmp.Or(f.Limit, Limit) {
		if f.seen.Add(key) {
			return New, nil
		}
		return Repeated, nil
	}
	if f.seen.Has(key) {
		return Repeated, nil
	}
	if f.spill == nil {
		if err := f.open(); err != nil {
			return unknown, err
		}
	}
	return unknown, f.spill.add(key, row)
}

// open creates the files.
func (f *Finder) open() (err error) {
	if f.Dir == "" {
		f.Dir, err = os.MkdirTemp("", "assay-keys-")
	} else {
		err = os.MkdirAll(f.Dir, 0o777)
	}
	f.spill = &spill{}
	for i := 0; i < spillParts && err == nil; i++ {
		f.spill.files[i], err = os.Create(filepath.Join(f.Dir, fmt.Sprintf("keys-%03d", i)))
		f.spill.out[i] = bufio.NewWriterSize(f.spill.files[i], 32<<10)
	}
	return err
}

// Finish decides about the rows whose answer was Unknown: it returns how many repeat an
// earlier key, and adds them to repeated, if that is not nil. No key can be added
// afterwards.
func (f *Finder) Finish(ctx context.Context, repeated *RowSet) (int64, error) {
	f.seen = KeySet{}
	if f.spill == nil {
		return 0, nil
	}
	return f.spill.repeats(ctx, repeated)
}

// Close removes the files.
func (f *Finder) Close() {
	if f.spill == nil {
		return
	}
	for _, file := range f.spill.files {
		file.Close() // if it was created
	}
	_ = os.RemoveAll(f.Dir) // scratch data; the caller or the system removes what we cannot
}

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

var gameSeed = maphash.MakeSeed()

// GameKey returns a key of a game's first position (a FEN) and moves. Keys of different
// processes cannot be compared: each has a seed of its own.
func GameKey(start string, moves []board.Move) uint64 {
	doc := []byte(start + "\x00")
	for _, m := range moves {
		doc = binary.LittleEndian.AppendUint16(doc, uint16(m))
	}
	return maphash.Bytes(gameSeed, doc)
}

// RowSet is a set of row numbers, one bit a row. The zero value has room for no row.
type RowSet struct {
	words []uint64
	n     int64
}

// Append makes room for one more row, and adds it if in is true.
func (s *RowSet) Append(in bool) {
	s.Grow(s.n + 1)
	if in {
		s.Add(s.n - 1)
	}
}

// Grow makes room for the rows 0 to n-1.
func (s *RowSet) Grow(n int64) {
	for int64(len(s.words))*64 < n {
		s.words = append(s.words, 0)
	}
	s.n = n
}

// Add adds row i, for which there must be room.
func (s *RowSet) Add(i int64) { s.words[i/64] |= 1 << (i % 64) }

// Has reports whether row i, for which there must be room, is in the set.
func (s *RowSet) Has(i int64) bool { return s.words[i/64]>>(i%64)&1 != 0 }

// spillParts is the number of files that the keys are distributed over. One of them at a
// time is in memory: 12 MB for a hundred million keys.
const spillParts = 256

// spill holds keys of rows in files until they are compared.
type spill struct {
	files [spillParts]*os.File
	out   [spillParts]*bufio.Writer
}

// entry is a key and the row that has it.
type entry struct {
	key uint64
	row int64
}

const entrySize = 16

// add adds the key of a row.
func (s *spill) add(key uint64, row int64) error {
	var rec [entrySize]byte
	binary.LittleEndian.PutUint64(rec[:], key)
	binary.LittleEndian.PutUint64(rec[8:], uint64(row))
	_, err := s.out[board.SplitMix64(key)%spillParts].Write(rec[:])
	return err
}

// repeats returns the number of rows whose key an earlier row has, and adds them to
// repeated, if that is not nil.
func (s *spill) repeats(ctx context.Context, repeated *RowSet) (n int64, err error) {
	var entries []entry
	for i := range s.files {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if entries, err = s.sorted(i, entries[:0]); err != nil {
			return n, err
		}
		for k := 1; k < len(entries); k++ {
			if entries[k].key == entries[k-1].key {
				n++
				if repeated != nil {
					repeated.Add(entries[k].row)
				}
			}
		}
	}
	return n, nil
}

// sorted appends the entries of file i, sorted by key, then by row.
func (s *spill) sorted(i int, entries []entry) ([]entry, error) {
	if err := s.out[i].Flush(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(s.files[i].Name())
	if err != nil {
		return nil, err
	}
	for rec := range slices.Chunk(data, entrySize) {
		entries = append(entries, entry{binary.LittleEndian.Uint64(rec), int64(binary.LittleEndian.Uint64(rec[8:]))})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row))
	})
	return entries, nil
}
