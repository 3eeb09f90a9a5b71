//go:build experiment

package search

import (
	"flag"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
)

var (
	wacTime    = flag.Duration("wac", time.Second, "time for each position of TestAllOfWAC")
	wacWeights = flag.String("wac-weights", "assay", "weight file or embedded weights of TestAllOfWAC")
	wacSolved  = flag.Int("wac-solved", 0, "positions that TestAllOfWAC must solve")
)

// TestAllOfWAC counts the positions of Win at Chess (Reinfeld 1945) that are solved in a
// given time each: go test -tags experiment ./engine/search -run AllOfWAC -v -wac 1s.
func TestAllOfWAC(t *testing.T) {
	list := problems(t, "testdata/wac.epd")
	if solved := solve(t, *wacWeights, list, engine.Limits{MoveTime: *wacTime}); solved < *wacSolved {
		t.Errorf("only %d of %d solved, want %d", solved, len(list), *wacSolved)
	}
}
