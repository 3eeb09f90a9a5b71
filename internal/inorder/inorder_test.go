package inorder

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

func count(n int) func(context.Context, func(*int) error) error {
	return func(_ context.Context, send func(*int) error) error {
		for i := range n {
			if err := send(&i); err != nil {
				return err
			}
		}
		return nil
	}
}

func square(_ context.Context, pieces iter.Seq[*int]) error {
	for p := range pieces {
		time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
		*p *= *p
	}
	return nil
}

// Run returns the first error of any function, and leaves no goroutine behind.
func TestRunEndsWithTheFirstError(t *testing.T) {
	failure := errors.New("failure")
	before := runtime.NumGoroutine()
	fail := map[string]func() error{
		"produce": func() error {
			return Run(context.Background(), 2, func(ctx context.Context, send func(*int) error) error {
				if err := count(9)(ctx, send); err != nil {
					return err
				}
				return failure
			}, square, func(*int) error { return nil })
		},
		"work": func() error {
			return Run(context.Background(), 2, count(1000), func(_ context.Context, pieces iter.Seq[*int]) error {
				for p := range pieces {
					if *p == 99 {
						return failure
					}
				}
				return nil
			}, func(p *int) error {
				if *p > 99 {
					t.Errorf("%d is taken", *p)
				}
				return nil
			})
		},
		"take": func() error {
			return Run(context.Background(), 2, count(1000), square, func(p *int) error {
				if *p > 99 {
					return failure
				}
				return nil
			})
		},
	}
	for name, run := range fail {
		if err := run(); !errors.Is(err, failure) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := Run(ctx, 2, count(1000), square, func(p *int) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = Run(context.Background(), 2, count(1000), square, func(*int) error { panic("take") })
	}()
	for tries := 0; runtime.NumGoroutine() > before; tries++ { // one may be about to end
		if tries == 100 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestMergeKeepsOrder(t *testing.T) {
	for _, w := range []int{1, 2, 7} {
		var got []int
		work := func(s *int, i int) error {
			*s = 10 * i
			time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
			return nil
		}
		merge := func(s *int, i int) {
			if *s != 10*i {
				t.Errorf("piece %d came with the result of piece %d", i, *s/10)
			}
			got = append(got, i)
		}
		setup.Check(t, Merge(context.Background(), w, 100, func() *int { return new(int) }, work, merge))
		if len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("%d workers merged %v", w, got)
		}
	}
}

func TestMergeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	merged := 0
	err := Merge(ctx, 3, 1000, func() int { return 0 }, func(_, i int) error {
		if i == 20 {
			cancel()
		}
		return nil
	}, func(_, _ int) { merged++ })
	if !errors.Is(err, context.Canceled) || merged >= 1000 {
		t.Errorf("error %v after %d merges", err, merged)
	}
	if err := Merge(context.Background(), 3, 0, func() int { return 0 }, nil, nil); err != nil {
		t.Errorf("no work at all: %v", err)
	}
	broken := errors.New("broken")
	err = Merge(context.Background(), 3, 1000, func() int { return 0 }, func(_, i int) error {
		if i == 20 {
			return broken
		}
		return nil
	}, func(_, i int) {
		if i >= 20 {
			t.Errorf("piece %d was merged after piece 20 had failed", i)
		}
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v of the work", err)
	}
}
