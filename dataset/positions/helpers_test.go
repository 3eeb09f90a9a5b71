package positions

import (
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
)

func randomGames(seed uint64, n int) []dataset.GameRow {
	var rows []dataset.GameRow
	for _, g := range datatest.Games(seed, n) {
		rows = append(rows, dataset.GameRow(g))
	}
	return rows
}

// readAll reads a data set to the end, or to the first error.
func readAll[R any](r *dataset.Reader[R]) (rows []R, err error) {
	for row, err := range r.All() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// write writes rows as a complete data set.
func write[R any](t testing.TB, w *dataset.Writer[R], err error, rows []R) {
	t.Helper()
	for i := range rows {
		if err == nil {
			err = w.Append(&rows[i])
		}
	}
	if err == nil {
		_, err = w.Finish(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// gamesIn writes games as a data set with many shards and opens it.
func gamesIn(t testing.TB, games []dataset.GameRow) *dataset.Reader[dataset.GameRow] {
	t.Helper()
	dir := t.TempDir()
	w, err := dataset.NewGameWriter(dir, dataset.WriterConfig{Seed: 7}, dataset.ShardRows(5, 10))
	write(t, w, err, games)
	r, err := dataset.OpenGames(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
