package dataset

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

// spillParts is the number of files that keys are dealt to. One of them at a time is in
// memory: 6 MB of it for a hundred million keys.
const spillParts = 256

// spill holds keys of rows on disk until they are compared.
type spill struct {
	files [spillParts]*os.File
	out   [spillParts]*bufio.Writer
}

// spillEntry is a key and the row that has it.
type spillEntry struct {
	key uint64
	row int64
}

const spillEntrySize = 16

// newSpill makes the files in dir, which it makes if need be.
func newSpill(dir string) (*spill, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &spill{}
	for i := range s.files {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("keys-%03d", i)))
		if err != nil {
			s.close()
			return nil, err
		}
		s.files[i], s.out[i] = f, bufio.NewWriterSize(f, 32<<10)
	}
	return s, nil
}

func (s *spill) add(key uint64, row int64) error {
	var rec [spillEntrySize]byte
	binary.LittleEndian.PutUint64(rec[:], key)
	binary.LittleEndian.PutUint64(rec[8:], uint64(row))
	_, err := s.out[board.SplitMix64(key)%spillParts].Write(rec[:])
	return err
}

// duplicates sets the rows whose key an earlier row has, if twice is not nil, and returns
// their number.
func (s *spill) duplicates(ctx context.Context, twice *bitset) (n int64, err error) {
	var entries []spillEntry
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
				if twice != nil {
					twice.set(entries[k].row)
				}
			}
		}
	}
	return n, nil
}

// sorted returns the entries of a file by key, equal ones by row.
func (s *spill) sorted(i int, entries []spillEntry) ([]spillEntry, error) {
	entries, err := s.read(i, entries)
	slices.SortFunc(entries, func(a, b spillEntry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row))
	})
	return entries, err
}

// read returns the entries of a file.
func (s *spill) read(i int, entries []spillEntry) ([]spillEntry, error) {
	if err := s.out[i].Flush(); err != nil {
		return nil, err
	}
	if _, err := s.files[i].Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(s.files[i], 1<<16)
	for {
		var rec [spillEntrySize]byte
		if _, err := io.ReadFull(in, rec[:]); err == io.EOF {
			return entries, nil
		} else if err != nil {
			return nil, err
		}
		entries = append(entries, spillEntry{binary.LittleEndian.Uint64(rec[:]), int64(binary.LittleEndian.Uint64(rec[8:]))})
	}
}

// close lets go of the files; a nil spill has none.
func (s *spill) close() {
	if s == nil {
		return
	}
	for _, f := range s.files {
		if f != nil {
			f.Close()
		}
	}
}
