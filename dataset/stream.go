package dataset

import (
	"context"
	"errors"
	"iter"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/assay-chess/assay/internal/inorder"
)

// streamBlock is the number of rows decoded at once. Only a few blocks are decoded ahead of
// the reader, whatever the size of the record batches.
const streamBlock = 2048

// rowBlock is a run of rows of one record batch on its way to the reader, or an error
// about a file.
type rowBlock[R any] struct {
	fetch  func(int, *R) error
	lo, hi int // rows of the record batch
	file   string
	first  int64 // number in its file of the batch's first row
	rows   []R   // decoded, up to the first bad row
	err    error // of the row after them, or of the file
}

// errEnough ends a stream whose reader wants no more rows.
var errEnough = errors.New("enough")

// All yields every row in order. The first error, about a file or a *rowError, is yielded
// with a zero row and ends the sequence: without an error, there were Len rows and all of
// them passed their Check.
//
// Rows are decoded ahead, by one goroutine per core.
func (r *Reader[R]) All() iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		free := make(chan []R, 4*inorder.Workers(0)) // memory of blocks, to be used again
		cut := func(ctx context.Context, send func(*rowBlock[R]) error) error { return r.cut(ctx, free, send) }
		decode := func(_ context.Context, blocks iter.Seq[*rowBlock[R]]) error {
			for b := range blocks {
				b.decode()
			}
			return nil
		}
		err := inorder.Run(context.Background(), 0, cut, decode, func(b *rowBlock[R]) error {
			for i := range b.rows {
				if !yield(b.rows[i], nil) {
					return errEnough
				}
			}
			select {
			case free <- b.rows[:0]:
			default:
			}
			return b.err
		})
		if err != nil {
			if !errors.Is(err, errEnough) {
				var zero R
				yield(zero, err)
			}
			return
		}
		for i := range r.more {
			if !yield(r.more[i], nil) {
				return
			}
		}
	}
}

// cut divides record batches into blocks and sends them. While their rows are decoded, another goroutine decompresses
// the next batch.
func (r *Reader[R]) cut(ctx context.Context, free <-chan []R, send func(*rowBlock[R]) error) error {
	batches := make(chan *rowBlock[R])
	go r.load(ctx, batches)
	defer func() {
		for range batches { // until it has ended
		}
	}()
	for whole := range batches {
		if whole.err != nil {
			return send(whole) // it is the last
		}
		for lo := 0; lo < whole.hi; lo += streamBlock {
			b := *whole
			b.lo, b.hi = lo, min(lo+streamBlock, whole.hi)
			select {
			case b.rows = <-free:
			default:
				b.rows = make([]R, 0, streamBlock)
			}
			if err := send(&b); err != nil {
				return err
			}
		}
	}
	return nil
}

// load sends the record batches of all files, each as one block, until the context ends.
func (r *Reader[R]) load(ctx context.Context, batches chan<- *rowBlock[R]) {
	defer close(batches)
	offer := func(b *rowBlock[R]) bool {
		select {
		case batches <- b:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for i, f := range r.files {
		row := int64(0)
		more, err := r.batches(i, func(rec arrow.Record, fetch func(int, *R) error) bool {
			b := &rowBlock[R]{fetch: fetch, hi: int(rec.NumRows()), file: f.path, first: row}
			row += rec.NumRows()
			return offer(b)
		})
		if err != nil {
			offer(&rowBlock[R]{err: err})
		}
		if !more {
			return
		}
	}
}

func (b *rowBlock[R]) decode() {
	b.rows = b.rows[:b.hi-b.lo]
	for i := range b.rows {
		if err := fetchRow(b.fetch, b.lo+i, &b.rows[i]); err != nil {
			b.err = &rowError{File: b.file, Row: b.first + int64(b.lo+i), Err: err}
			b.rows = b.rows[:i]
			return
		}
	}
}

// Progress is called from time to time with the number of rows done, their total (0 if
// unknown) and a note on the current step.
type Progress = func(done, total int64, note string)

// progressEvery is the number of rows between two calls of a Progress.
const progressEvery = 4096

// Each calls visit with every row of r in order, and progress (if not nil) from time to
// time. It stops at the first error: the reader's, the context's or visit's. The row is
// valid until visit returns.
func Each[R any](ctx context.Context, r *Reader[R], progress Progress, note string, visit func(*R) error) error {
	w := watch{ctx: ctx, progress: progress, note: note, total: r.Len()}
	for row, err := range r.All() {
		if err == nil {
			err = w.row()
		}
		if err == nil {
			err = visit(&row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// watch checks a context and reports progress while rows are read.
type watch struct {
	ctx      context.Context
	progress Progress // or nil
	note     string
	done     int64 // rows
	total    int64
}

// row counts a row. The error is the context's.
func (w *watch) row() error {
	if w.done%progressEvery == 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.progress != nil {
			w.progress(w.done, w.total, w.note)
		}
	}
	w.done++
	return nil
}
