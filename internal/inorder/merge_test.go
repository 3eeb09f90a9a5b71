package inorder

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

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
