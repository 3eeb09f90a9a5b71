package convert

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/inorder"
)

// batch is a part of a file, and the rows it becomes.
type batch[R any] struct {
	file    string
	begins  bool // the file
	rows    []R
	refused []*Refusal
	foreign int64 // scores stored as missing: mates, or beyond dataset.MateScore
	err     error // error about the whole file
	parse   func(*batch[R])
}

// refuse notes a row that cannot be read.
func (b *batch[R]) refuse(unit string, number int64, err error) {
	b.refused = append(b.refused, &Refusal{b.file, unit, number, err})
}

// collector writes the rows of batches in order.
type collector[R any] struct {
	*importer
	writer *dataset.Writer[R]
	skip   int64 // rows that an earlier process wrote
	take   func(*batch[R], *R)
	full   bool // writing failed, not reading
}

// run reads, parses and writes at the same time.
func (c *collector[R]) run(ctx context.Context, read func(context.Context, func(*batch[R]) error) error) error {
	return inorder.Run(ctx, inorder.Workers(c.Workers), read, func(_ context.Context, batches iter.Seq[*batch[R]]) error {
		for b := range batches {
			if b.parse != nil { // else it is done already
				b.parse(b)
			}
		}
		return nil
	}, c.add)
}

// hopeless is the number of refused rows, without a good one before, after which an import
// fails: the format is probably wrong.
const hopeless = 1000

// add writes the rows of a batch and reports the refused ones.
func (c *collector[R]) add(b *batch[R]) error {
	if b.begins {
		c.runs.Break()
	}
	for _, r := range b.refused {
		c.counts.Refused++
		if c.Strict {
			return fmt.Errorf("convert: %w", r)
		}
		if c.Refused != nil {
			c.Refused(r)
		}
		if c.counts.Rows == 0 && len(b.rows) == 0 && c.counts.Refused == hopeless {
			return fmt.Errorf("convert: %s: %w: the first %d were refused", quote.Text(b.file), ErrNothing, hopeless)
		}
	}
	if b.err != nil {
		return fmt.Errorf("convert: %s: %w", quote.Text(b.file), b.err)
	}
	c.counts.ForeignScores += b.foreign
	for i := range b.rows {
		c.take(b, &b.rows[i])
		if c.counts.Rows++; c.counts.Rows <= c.skip {
			continue
		}
		if err := c.writer.Append(&b.rows[i]); err != nil {
			c.full = true
			return err
		}
	}
	return nil
}

// errRead wraps an error of reading a file, which ends the import.
func errRead(file string, line int64, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("convert: reading %s after line %d: %w", quote.Text(file), line, err)
}
