package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// sieveLimit is how many keys of positions are compared in memory: 128 MiB of them.
const sieveLimit = 3 << 22

// sieveDir holds what waits to be compared or chosen.
const sieveDir = ".sieve"

// sieve drops positions that were there before, and takes a sample of the rest. Its
// memory is bounded: beyond limit keys, rows wait in a data set of their own, and their keys
// in files, by a hash (spill.go). Where a sample is to be taken, all rows wait: how
// many there are is known only at the end.
//
// Rows leave the sieve in the order in which they came.
type sieve struct {
	dir    string
	limit  int
	filter *Filter
	counts *Counts
	safe   func() int64 // rows of the data set that are on disk for good

	seen     keySet
	spool    *Writer[PositionRow] // rows that wait, nil if there are none
	spooled  int64
	keys     *spill // of spooled rows whose key is not in seen
	replaced bitset // spooled rows: candidate.replaced
	twice    bitset // spooled rows: dropped, for another has the key
}

// waiting returns the number of rows whose fate is open.
func (s *sieve) waiting() int64 { return s.spooled }

// add takes a row, and gives it to emit if it is to be kept.
func (s *sieve) add(r *candidate, emit func(*PositionRow) error) error {
	key, open := r.Board.Key(), false
	switch {
	case s.filter.KeepDuplicates:
	case s.seen.len() < s.limit:
		if !s.seen.add(key) {
			s.counts.Duplicate++
			return nil
		}
	case s.seen.has(key):
		s.counts.Duplicate++
		return nil
	default:
		open = true
	}
	if s.spool == nil && !open && !s.filter.samples() {
		s.keep(r.replaced)
		return emit(&r.PositionRow)
	}
	return s.wait(r, key, open)
}

func (s *sieve) keep(replaced bool) {
	s.counts.Kept++
	if replaced {
		s.counts.Replaced++
	}
}

// wait puts a row aside; open says that its key is still to be compared.
func (s *sieve) wait(r *candidate, key uint64, open bool) (err error) {
	if s.spool == nil {
		if err := s.remove(); err != nil { // of a killed process
			return err
		}
		path := filepath.Join(s.dir, sieveDir)
		if s.spool, err = newWriter(path, WriterConfig{}, positionsCodec{}, positionsLayout, memory.NewGoAllocator()); err != nil {
			return err
		}
		s.spool.safe = s.safe
	}
	if open && s.keys == nil {
		if s.keys, err = newSpill(filepath.Join(s.dir, sieveDir)); err != nil {
			return s.told(err)
		}
	}
	if open {
		if err := s.keys.add(key, s.spooled); err != nil {
			return s.told(err)
		}
	}
	s.replaced.append(r.replaced)
	s.spooled++
	return s.spool.Append(&r.PositionRow)
}

// told adds what is safe to an error of the disk.
func (s *sieve) told(err error) error {
	return fmt.Errorf("dataset: %w (%d rows are safely on disk)", err, s.safe())
}

// finish decides about the rows that wait, and gives those to keep to emit.
func (s *sieve) finish(ctx context.Context, emit func(*PositionRow) error, progress func(n, of int64)) error {
	if s.spool == nil {
		return nil
	}
	if _, err := s.spool.Finish(nil); err != nil {
		return err
	}
	s.seen = keySet{}
	s.twice.grow(s.spooled)
	if s.keys != nil {
		n, err := s.keys.duplicates(ctx, &s.twice)
		if err != nil {
			return s.told(err)
		}
		s.counts.Duplicate += n
	}
	r, err := OpenPositions(filepath.Join(s.dir, sieveDir))
	if err != nil {
		return err
	}
	choice, err := s.chooser(ctx, r)
	if err != nil {
		return err
	}
	n := int64(-1)
	note := func(done, of int64, _ string) { progress(done, of) }
	return each(ctx, r, note, "", func(row *PositionRow) error {
		if n++; s.twice.has(n) || !choice.take(row) {
			return nil
		}
		s.keep(s.replaced.has(n))
		return emit(row)
	})
}

// chooser returns who takes the sample: everything, where there is none.
func (s *sieve) chooser(ctx context.Context, r *Reader[PositionRow]) (*chooser, error) {
	c := newChooser(s.filter, s.counts)
	if !s.filter.samples() {
		return c, nil
	}
	n := int64(-1)
	err := each(ctx, r, nil, "", func(row *PositionRow) error {
		if n++; !s.twice.has(n) {
			c.count(row)
		}
		return nil
	})
	c.settle()
	return c, err
}

// remove takes what waited off the disk.
func (s *sieve) remove() error {
	s.keys.close()
	if s.spool != nil {
		s.spool.Close()
	}
	if err := os.RemoveAll(filepath.Join(s.dir, sieveDir)); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}
