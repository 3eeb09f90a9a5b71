package rows

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// workers returns the number of goroutines to use for n pieces of work.
func workers(want, n int) int {
	if want <= 0 {
		want = runtime.GOMAXPROCS(0)
	}
	return max(1, min(want, n))
}

// Ordered does work on pieces 0..n-1 with several goroutines and merges their
// results strictly in order of number, so that floating-point sums do not
// depend on the number of goroutines. A piece's result stays in a scratch
// value until its turn has come; scratch values are then used again. There
// are two for each goroutine, so that none need wait for a slower one at once.
// It returns the context's error if that ended the work early, and the error of
// the first piece that failed.
//
// Package dataset/inorder serves streams of unknown length, where each piece
// brings its own memory and a goroutine merges. Here the number of pieces is known, and
// results of megabytes are reused: a few scratch values serve thousands of pieces.
func Ordered[T any](ctx context.Context, want, n int, scratch func() T, work func(scratch T, piece int) error, merge func(scratch T, piece int)) error {
	w := workers(want, n)
	free := make(chan T, 2*w)
	for range min(2*w, n) {
		free <- scratch()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := inOrder[T]{pending: make(map[int]T, 2*w), free: free, merge: merge}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range w {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n > 0 {
				// The scratch comes first: a goroutine that holds a number can finish.
				s := <-free
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					free <- s
					return
				}
				if err := work(s, i); err != nil {
					cancel(err)
					free <- s
					return
				}
				o.put(s, i)
			}
		}()
	}
	wg.Wait()
	if o.turn < n {
		return context.Cause(ctx)
	}
	return nil
}

// inOrder merges results in order of number.
type inOrder[T any] struct {
	mu      sync.Mutex
	turn    int
	pending map[int]T
	free    chan T
	merge   func(T, int)
}

// put takes the result of piece i and merges all whose turn has come.
func (o *inOrder[T]) put(s T, i int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending[i] = s
	for {
		s, ok := o.pending[o.turn]
		if !ok {
			return
		}
		delete(o.pending, o.turn)
		o.merge(s, o.turn)
		o.turn++
		o.free <- s
	}
}
