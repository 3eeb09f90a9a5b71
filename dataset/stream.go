package dataset

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
)

// streamBlock is the number of rows decoded at once. Only a few blocks are decoded ahead of
// the reader, whatever the size of the record batches.
const streamBlock = 2048

// rowBlock is a run of rows of one record batch on its way to the reader, or an error
// about a file.
type rowBlock[R any] struct {
	fetch  func(int, *R) error
	lo, hi int          // rows of the record batch
	batch  arrow.Record // to release after this block, the last of its batch; or nil
	file   string
	first  int64 // number in its file of the batch's first row
	rows   []R   // decoded, up to the first bad row
	err    error // of the row after them, or of the file
	done   chan struct{}
}

// All yields every row in order. The first error, about a file or a *rowError, is yielded
// with a zero row and ends the sequence: without an error, there were Len rows and all of
// them passed their Check.
//
// Rows are decoded ahead, by one goroutine per core.
func (r *Reader[R]) All() iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		n := runtime.GOMAXPROCS(0)
		s := &stream[R]{
			Reader: r,
			todo:   make(chan *rowBlock[R], 2*n),
			queue:  make(chan *rowBlock[R], 2*n),
			free:   make(chan []R, 4*n),
			stop:   make(chan struct{}),
		}
		s.start(n)
		defer s.end()
		var zero R
		for b := range s.queue {
			<-b.done
			for i := range b.rows {
				if !yield(b.rows[i], nil) {
					b.release()
					return
				}
			}
			b.release()
			if b.err != nil {
				yield(zero, b.err)
				return
			}
			s.recycle(b.rows)
		}
		for i := range r.more {
			if !yield(r.more[i], nil) {
				return
			}
		}
	}
}

// stream is the state of one All. One goroutine reads files and decompresses record
// batches, one divides them into blocks, and others decode the rows; the caller receives
// them in order.
type stream[R any] struct {
	*Reader[R]
	todo, queue chan *rowBlock[R]
	free        chan []R
	stop        chan struct{}
	running     sync.WaitGroup
}

func (s *stream[R]) start(workers int) {
	batches := make(chan *rowBlock[R])
	s.running.Go(func() { s.load(batches) })
	s.running.Go(func() { s.cut(batches) })
	for range workers {
		s.running.Go(func() {
			for b := range s.todo {
				b.decode()
				close(b.done)
			}
		})
	}
}

// end stops the goroutines and waits for them.
func (s *stream[R]) end() {
	close(s.stop)
	s.running.Wait()
	for b := range s.queue {
		b.release()
	}
}

// load sends the record batches of all files, each as one block: one is decompressed while the
// rows of the one before it are decoded.
func (s *stream[R]) load(batches chan<- *rowBlock[R]) {
	defer close(batches)
	offer := func(b *rowBlock[R]) bool { // reports whether the reader still wants it
		select {
		case batches <- b:
			return true
		case <-s.stop:
			b.release()
			return false
		}
	}
	for i, f := range s.files {
		row := int64(0)
		more, err := s.batches(i, func(rec arrow.Record, fetch func(int, *R) error) bool {
			b := &rowBlock[R]{batch: rec, fetch: fetch, hi: int(rec.NumRows()), file: f.path, first: row}
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

// cut divides batches into blocks and sends them. A batch is released after its last block.
func (s *stream[R]) cut(batches <-chan *rowBlock[R]) {
	defer close(s.queue)
	defer close(s.todo)
	for l := range batches {
		if l.err != nil {
			l.done = make(chan struct{})
			close(l.done)
			s.send(l)
			continue // it is the last
		}
		if l.hi == 0 {
			l.release()
		}
		for lo := 0; lo < l.hi; lo += streamBlock {
			b := *l
			b.lo, b.hi, b.rows, b.done = lo, min(lo+streamBlock, l.hi), s.room(), make(chan struct{})
			if b.hi < l.hi {
				b.batch = nil
			}
			if !s.send(&b) {
				l.release()
				break
			}
		}
	}
}

// send queues a block for the reader and for a goroutine that decodes it. It reports
// whether the reader still wants it.
func (s *stream[R]) send(b *rowBlock[R]) bool {
	select {
	case s.queue <- b:
	case <-s.stop:
		return false
	}
	if b.fetch != nil {
		s.todo <- b // workers do not stop before todo is closed
	}
	return true
}

// room returns memory for a block, of an earlier one if possible.
func (s *stream[R]) room() []R {
	select {
	case rows := <-s.free:
		return rows[:0]
	default:
		return make([]R, 0, streamBlock)
	}
}

func (s *stream[R]) recycle(rows []R) {
	select {
	case s.free <- rows:
	default:
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

func (b *rowBlock[R]) release() {
	if b.batch != nil {
		b.batch.Release()
		b.batch = nil
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
