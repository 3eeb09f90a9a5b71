// Package inorder runs work on several goroutines and passes on the results in the order of
// the input, so that the output does not depend on the number of goroutines: Run for a stream
// of unknown length, Merge for numbered pieces whose large results are reused.
//
// No promise of stability.
package inorder

import (
	"context"
	"iter"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// item is a piece of work; done is closed when it is finished.
type item[T any] struct {
	value T
	done  chan struct{}
}

// Workers is n, or the number of cores if n is 0 or less.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Run calls produce, which sends pieces of work; Workers(n) workers, which take pieces
// in no particular order; and take, once for each piece, in the order of sending, after the
// worker has asked for its next piece. The caller's goroutine takes, so take may yield. The
// first error cancels the context of the functions. Run returns it, or that of the piece being
// taken then, once all of them have returned. At most three pieces per worker are in progress.
func Run[T any](ctx context.Context, n int,
	produce func(ctx context.Context, send func(T) error) error,
	work func(ctx context.Context, pieces iter.Seq[T]) error,
	take func(T) error) error {
	n = Workers(n)
	ctx, stop := context.WithCancelCause(ctx)
	g, ctx := errgroup.WithContext(ctx)
	defer func() { stop(nil); _ = g.Wait() }()
	todo, queue := make(chan item[T]), make(chan item[T], 2*n)
	g.Go(func() error {
		defer close(queue)
		defer close(todo)
		return produce(ctx, func(v T) error {
			it := item[T]{v, make(chan struct{})}
			for _, to := range []chan<- item[T]{queue, todo} { // first the queue, which keeps the order
				select {
				case to <- it:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			return nil
		})
	})
	pieces := func(yield func(T) bool) {
		for it := range todo {
			if !yield(it.value) {
				return
			}
			close(it.done)
		}
	}
	for range n {
		g.Go(func() error { return work(ctx, pieces) })
	}
	for it := range queue {
		var err error
		select {
		case <-it.done:
			err = take(it.value)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		if err != nil {
			stop(err)
			return err
		}
	}
	return g.Wait()
}

// Merge does work on pieces 0 to n-1 with Workers(workers) goroutines and merges their results
// in order of number, so that floating-point sums do not depend on the number of goroutines. The
// result of a piece stays in a scratch value until it is merged; then the value is used again.
// There are two for each goroutine, so that one need not wait for a slower one at once.
// Merge returns the first error of work, or the context's.
func Merge[T any](ctx context.Context, workers, n int,
	scratch func() T, work func(scratch T, piece int) error, merge func(scratch T, piece int)) error {
	type piece struct {
		scratch T
		number  int
	}
	workers = max(1, min(Workers(workers), n))
	free := make(chan T, 2*workers)
	for range min(2*workers, n) {
		free <- scratch()
	}
	number := func(ctx context.Context, send func(piece) error) error {
		for i := range n {
			select {
			case s := <-free:
				if err := send(piece{s, i}); err != nil {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	}
	return Run(ctx, workers, number, func(_ context.Context, pieces iter.Seq[piece]) error {
		for p := range pieces {
			if err := work(p.scratch, p.number); err != nil {
				return err
			}
		}
		return nil
	}, func(p piece) error {
		merge(p.scratch, p.number)
		free <- p.scratch
		return nil
	})
}
