package convert

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/assay-chess/assay/dataset"
)

// batch is a piece of a file on its way to becoming rows.
type batch[R any] struct {
	file    string
	begins  bool // the file
	rows    []R
	refused []*Refusal
	foreign int64 // rows with a number for a score that is none
	err     error // the file is not what it should be
	parse   func(*batch[R])
	done    chan struct{} // closed when parsed
}

// refuse notes a row that is not taken.
func (b *batch[R]) refuse(unit string, number int64, err error) {
	b.refused = append(b.refused, &Refusal{b.file, unit, number, err})
}

// pipe takes batches from the goroutine that reads, has others parse them, and keeps
// their order.
type pipe[R any] struct {
	todo, queue chan *batch[R]
}

// send passes a batch on. Without parse it is done already.
func (p *pipe[R]) send(ctx context.Context, b *batch[R]) error {
	b.done = make(chan struct{})
	if b.parse == nil {
		close(b.done)
	}
	select {
	case p.queue <- b:
	case <-ctx.Done():
		return ctx.Err()
	}
	if b.parse == nil {
		return nil
	}
	select {
	case p.todo <- b:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// collector writes the rows of batches in their order.
type collector[R any] struct {
	*importer
	writer *dataset.Writer[R]
	skip   int64 // rows that were on disk before
	take   func(*batch[R], *R)
	full   bool // writing failed, not reading
}

// run reads, parses and writes at the same time.
func (c *collector[R]) run(ctx context.Context, read func(context.Context, *pipe[R]) error) error {
	n := c.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	p := &pipe[R]{make(chan *batch[R]), make(chan *batch[R], 2*n)}
	g.Go(func() error {
		defer close(p.todo)
		defer close(p.queue)
		return read(ctx, p)
	})
	for range n {
		g.Go(func() error {
			for b := range p.todo {
				b.parse(b)
				close(b.done)
			}
			return nil
		})
	}
	g.Go(func() error {
		for b := range p.queue {
			select {
			case <-b.done:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := c.add(b); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return g.Wait()
}

// hopeless is how many rows are refused, and none taken, until the files are taken for
// something else than what they were called.
const hopeless = 1000

// add writes the rows of a batch, and tells what it refused.
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
			return fmt.Errorf("convert: %s: %w: the first %d were refused", b.file, ErrNothing, hopeless)
		}
	}
	if b.err != nil {
		return fmt.Errorf("convert: %s: %w", b.file, b.err)
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

// errRead marks trouble with reading a file, which ends the import.
func errRead(file string, line int64, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("convert: reading %s behind line %d: %w", file, line, err)
}
