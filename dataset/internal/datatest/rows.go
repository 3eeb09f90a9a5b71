package datatest

import (
	"iter"
	"testing"

	"github.com/assay-chess/assay/internal/durable"
)

// ReadAll reads a data set to the end, or to the first error.
func ReadAll[R any](r interface{ All() iter.Seq2[R, error] }) (rows []R, err error) {
	for row, err := range r.All() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Write writes rows as a complete data set. The writer comes with the error of making it.
func Write[R any](t testing.TB, w interface {
	Append(*R) error
	Finish(report any) (*durable.Manifest, error)
}, err error, rows []R) {
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
