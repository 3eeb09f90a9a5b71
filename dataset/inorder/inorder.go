// Package inorder runs work on several goroutines and passes on the results in the order of
// the input, so that the output does not depend on the number of goroutines.
//
// The number of pieces need not be known. tuner/rows.Ordered is for sums over a known number
// of pieces, whose large results are reused.
//
// Start reading at Run.
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

// Run calls produce, which sends pieces of work; n workers, each of which takes pieces in
// no particular order; and take, once for each piece, in the order of sending, after the
// worker has asked for its next piece. The first error cancels the context of the
// functions, and Run returns it once all of them have returned. At most 3n pieces are in
// progress.
func Run[T any](ctx context.Context, n int,
	produce func(ctx context.Context, send func(T) error) error,
	work func(ctx context.Context, pieces iter.Seq[T]) error,
	take func(T) error) error {
	g, ctx := errgroup.WithContext(ctx)
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
	g.Go(func() error {
		for it := range queue {
			select {
			case <-it.done:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if err := take(it.value); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}
