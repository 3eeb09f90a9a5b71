//go:build experiment

package opening

import (
	"archive/zip"
	"io"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// TestRealBooks reads three books in common use from ../shared/data/books beside the project.
// In one, 531 lines differ from another only by an en-passant square without a capture.
func TestRealBooks(t *testing.T) {
	for name, want := range map[string]uint64{"2moves_v1.epd": 40457, "8moves_v3.pgn": 34700, "UHO_4060_v3.epd": 241670} {
		path := filepath.Join("..", "..", "..", "shared", "data", "books", name+".zip")
		z := setup.Must(zip.OpenReader(path))
		defer z.Close()
		f := setup.Must(z.Open(name))
		defer f.Close()
		text := setup.Must(io.ReadAll(f))
		b := load(t, Spec{Book: writeBook(t, name, string(text)), Random: true}, 1)
		if b.Len() != want {
			t.Errorf("%s: %d openings, want %d", name, b.Len(), want)
		}
		if _, err := b.Propose(b.Len()-1, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
