//go:build experiment

package opening

import (
	"archive/zip"
	"io"
	"path/filepath"
	"testing"
)

// TestRealBooks reads three books in common use from ../shared/data/books beside the project.
// In one, 531 lines differ from another only by an en-passant square without a capture.
func TestRealBooks(t *testing.T) {
	for name, want := range map[string]uint64{"2moves_v1.epd": 40457, "8moves_v3.pgn": 34700, "UHO_4060_v3.epd": 241670} {
		path := filepath.Join("..", "..", "..", "shared", "data", "books", name+".zip")
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		b := load(t, Spec{Book: writeBook(t, name, string(text)), Random: true}, 1)
		if b.Len() != want {
			t.Errorf("%s: %d openings, want %d", name, b.Len(), want)
		}
		if _, err := b.Propose(b.Len()-1, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
