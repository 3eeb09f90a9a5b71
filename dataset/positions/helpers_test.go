package positions

import (
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/internal/setup"
)

// gamesIn writes games as a data set with many shards and opens it.
func gamesIn(t testing.TB, games []dataset.GameRow) *dataset.Reader[dataset.GameRow] {
	t.Helper()
	dir := t.TempDir()
	w, err := dataset.NewGameWriter(dir, dataset.WriterConfig{Seed: 7}, dataset.ShardRows(5, 10))
	datatest.Write(t, w, err, games)
	r := setup.Must(dataset.OpenGames(dir))
	return r
}
