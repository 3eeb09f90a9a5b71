package dedup

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// spillParts is the number of files that the keys are distributed over. One of them at a
// time is in memory: 6 MB for a hundred million keys.
const spillParts = 256

// Spill holds keys of rows in files until they are compared.
type Spill struct {
	files [spillParts]*os.File
	out   [spillParts]*bufio.Writer
}

// entry is a key and the row that has it.
type entry struct {
	key uint64
	row int64
}

const entrySize = 16

// NewSpill creates the files in dir, and dir if it does not exist.
func NewSpill(dir string) (*Spill, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &Spill{}
	for i := range s.files {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("keys-%03d", i)))
		if err != nil {
			s.Close()
			return nil, err
		}
		s.files[i], s.out[i] = f, bufio.NewWriterSize(f, 32<<10)
	}
	return s, nil
}

// Add adds the key of a row.
func (s *Spill) Add(key uint64, row int64) error {
	var rec [entrySize]byte
	binary.LittleEndian.PutUint64(rec[:], key)
	binary.LittleEndian.PutUint64(rec[8:], uint64(row))
	_, err := s.out[board.SplitMix64(key)%spillParts].Write(rec[:])
	return err
}

// repeats returns the number of rows whose key an earlier row has, and adds them to
// repeated, if that is not nil.
func (s *Spill) repeats(ctx context.Context, repeated *RowSet) (n int64, err error) {
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
func (s *Spill) sorted(i int, entries []entry) ([]entry, error) {
	entries, err := s.read(i, entries)
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row))
	})
	return entries, err
}

func (s *Spill) read(i int, entries []entry) ([]entry, error) {
	if err := s.out[i].Flush(); err != nil {
		return nil, err
	}
	if _, err := s.files[i].Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(s.files[i], 1<<16)
	for {
		var rec [entrySize]byte
		if _, err := io.ReadFull(in, rec[:]); err == io.EOF {
			return entries, nil
		} else if err != nil {
			return nil, err
		}
		entries = append(entries, entry{binary.LittleEndian.Uint64(rec[:]), int64(binary.LittleEndian.Uint64(rec[8:]))})
	}
}

// Close closes the files, and leaves them to the caller to remove. A nil Spill has none.
func (s *Spill) Close() {
	if s == nil {
		return
	}
	for _, f := range s.files {
		if f != nil {
			f.Close()
		}
	}
}
