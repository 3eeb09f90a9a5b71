//go:build experiment

package tuner

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/tuner/rows"
)

// realPositions reads up to n positions of the shared set of scored games.
func realPositions(tb testing.TB, n int) []dataset.PositionRow {
	tb.Helper()
	const path = "../../shared/data/sf-scored-435k.tsv.zst"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("the shared data are not here: %v", err)
	}
	return scoredPositions(tb, path, n)
}

func realStore(tb testing.TB, model string, n, workers int) (*rows.Store, []rows.Term) {
	tb.Helper()
	return scoredStore(tb, model, realPositions(tb, n), workers)
}

func TestManyRealGames(t *testing.T) {
	s, terms := realStore(t, "assay", 60000, 2)
	r := learnsChess(t, s, terms, NewConfig())
	if len(r.Tables) < 9 {
		t.Errorf("%d tables found, want 5 of squares and 4 of mobility at least", len(r.Tables))
	}
}
