package dataset

import (
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// All yields what the files hold one after the other, shard by shard, wherever the
// reader stops; and it leaves no goroutine behind.
func TestAllIsEveryShardInOrder(t *testing.T) {
	dir := t.TempDir()
	rows := positionsOf(randomGames(60, 120))
	writeAll(t, dir, positionsCodec, layout{PositionsFormat, "positions", 2500, 6000}, rows)
	r := setup.Must(OpenPositions(dir))
	if r.Shards() < 2 {
		t.Fatalf("%d rows are too few for this test", len(rows))
	}
	var want []PositionRow
	for i := range r.Shards() {
		shard := setup.Must(readShard(r, i))
		want = append(want, shard...)
	}
	before := runtime.NumGoroutine()
	for _, stop := range []int{0, 1, 2047, 2048, 2499, 2500, 5999, 6001, len(rows)} {
		var got []PositionRow
		for row, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row)
			if len(got) == max(stop, 1) {
				break
			}
		}
		if !reflect.DeepEqual(got, want[:max(stop, 1)]) {
			t.Fatalf("the first %d rows differ", stop)
		}
	}
	for _, first := range []int{0, 1, 2047, 2499, 2500, 5999, len(rows) - 1, len(rows), len(rows) + 9} {
		var got []PositionRow
		for row, err := range r.From(int64(first)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row)
		}
		if rest := want[min(first, len(want)):]; len(got) != len(rest) || len(rest) > 0 &&
			!reflect.DeepEqual(got, rest) {
			t.Fatalf("from row %d: %d rows, want %d", first, len(got), len(rest))
		}
	}
	for range 500 { // one that has answered may still be on its way out
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
