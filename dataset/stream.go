package dataset

import (
	"fmt"
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
	first  int64 // number in its file of row lo
	rows   []R   // decoded, up to the first bad row
	err    error // of the row after them, or of the file
	done   chan struct{}
}

// All yields every row in order. The first error, about a file or a *RowError, is yielded
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

// From is All from a row on, counted from 0. Files that end before it are not read.
func (r *Reader[R]) From(first int64) iter.Seq2[R, error] {
	rest := *r
	for len(rest.files) > 0 && first >= rest.files[0].rows {
		first -= rest.files[0].rows
		rest.files = rest.files[1:]
	}
	return func(yield func(R, error) bool) {
		row := int64(0)
		for v, err := range rest.All() {
			if row++; err == nil && row <= first {
				continue
			}
			if !yield(v, err) {
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
	batches := make(chan loaded[R])
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

// loaded is a record batch, decompressed, or an error about a file.
type loaded[R any] struct {
	batch arrow.Record
	fetch func(int, *R) error
	file  string
	first int64 // number in its file of the batch's first row
	err   error
}

// load sends the record batches of all files: one is decompressed while the rows of
// the one before it are decoded.
func (s *stream[R]) load(batches chan<- loaded[R]) {
	defer close(batches)
	for i := range s.files {
		more, err := s.loadFile(i, batches)
		if err != nil {
			path := s.files[i].path
			s.offer(batches, loaded[R]{file: path, err: fmt.Errorf("dataset: %s: %w", path, err)})
		}
		if err != nil || !more {
			return
		}
	}
}

// loadFile sends the record batches of file i and reports whether the reader wants more.
func (s *stream[R]) loadFile(i int, batches chan<- loaded[R]) (more bool, err error) {
	f, done, err := s.openFile(i)
	if err != nil {
		return false, err
	}
	defer done()
	if err := s.checkFile(f); err != nil {
		return false, err
	}
	row := int64(0)
	for k := range f.blocks {
		rec, fetch, err := bindBatch(f, k, s.codec)
		if err != nil {
			return false, err
		}
		n := rec.NumRows()
		if !s.offer(batches, loaded[R]{batch: rec, fetch: fetch, file: s.files[i].path, first: row}) {
			rec.Release()
			return false, nil
		}
		row += n
	}
	return true, nil
}

// offer sends a batch if the reader still wants it.
func (s *stream[R]) offer(batches chan<- loaded[R], l loaded[R]) bool {
	select {
	case batches <- l:
		return true
	case <-s.stop:
		return false
	}
}

// cut divides batches into blocks and sends them.
func (s *stream[R]) cut(batches <-chan loaded[R]) {
	defer close(s.queue)
	defer close(s.todo)
	for l := range batches {
		if l.err != nil {
			b := &rowBlock[R]{err: l.err, done: make(chan struct{})}
			close(b.done)
			s.send(b)
			continue // it is the last
		}
		s.blocks(&l)
	}
}

// blocks sends the rows of a batch. The batch is released after its last block.
func (s *stream[R]) blocks(l *loaded[R]) {
	n := int(l.batch.NumRows())
	for lo := 0; lo < n; lo += streamBlock {
		b := &rowBlock[R]{fetch: l.fetch, lo: lo, hi: min(lo+streamBlock, n), file: l.file, first: l.first + int64(lo), done: make(chan struct{})}
		if b.hi == n {
			b.batch = l.batch
		}
		b.rows = s.room()
		if !s.send(b) {
			l.batch.Release()
			return
		}
	}
	if n == 0 {
		l.batch.Release()
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

// room returns memory for a block, reusing that of an earlier one if possible.
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
			b.err = &RowError{File: b.file, Row: b.first + int64(i), Err: err}
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
