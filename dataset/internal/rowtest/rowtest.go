// Package rowtest reads and writes rows for tests of the packages below dataset. Tests of
// dataset itself use datatest.
package rowtest

import (
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
)

// Games returns the random games of datatest as rows.
func Games(seed uint64, n int) []dataset.GameRow {
	var rows []dataset.GameRow
	for _, g := range datatest.Games(seed, n) {
		rows = append(rows, dataset.GameRow(g))
	}
	return rows
}

// ReadAll reads a data set to the end, or to the first error.
func ReadAll[R any](r *dataset.Reader[R]) (rows []R, err error) {
	for row, err := range r.All() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Write writes rows as a complete data set. The writer comes with the error of making it.
func Write[R any](t testing.TB, w *dataset.Writer[R], err error, rows []R) {
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
