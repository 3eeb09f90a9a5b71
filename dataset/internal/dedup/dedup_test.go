package dedup

import (
	"os"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// The repeats are the same whether keys are compared in memory or in files, and no file
// is left behind.
func TestFinder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, limit := range []int{0, 1, 500} {
		rng := datatest.Rand(26)
		f := Finder{Limit: limit}
		n := int64(0)
		want := map[uint64]bool{}
		for row := range int64(20000) {
			key := rng.Uint64N(7000) * board.SplitMix64Gamma
			want[key] = true
			answer := setup.Must(f.Add(key, row))
			if answer == Repeated {
				n++
			}
		}
		more, err := f.Finish(t.Context(), nil)
		if n += more; err != nil || n != int64(20000-len(want)) {
			t.Errorf("limit %d: %d, %v; want %d", limit, n, err, 20000-len(want))
		}
		f.Close()
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
			t.Errorf("limit %d leaves %v, %v", limit, left, err)
		}
	}
}

func TestKeySet(t *testing.T) {
	rng := datatest.Rand(25)
	var s KeySet
	want := map[uint64]bool{}
	for i := range 50000 {
		key := rng.Uint64N(30000) << 40
		if i%1000 == 1 {
			key = 0
		}
		if has := s.Has(key); has != want[key] || s.Add(key) == has || !s.Has(key) {
			t.Fatalf("key %#x: had is %v", key, want[key])
		}
		want[key] = true
	}
	if s.Len() != len(want) {
		t.Errorf("%d keys, want %d", s.Len(), len(want))
	}
}
