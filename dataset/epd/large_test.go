//go:build experiment

package epd

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Real files are read whole, and their results add up.
func TestLargeLists(t *testing.T) {
	f, err := os.Open("../../../shared/data/lichess-64k.book.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := float32(0), 0
	for l, err := range Read(bytes.NewReader(text)) {
		if err != nil || !l.HasResult {
			t.Fatal(l.Number, err)
		}
		sum += l.Result
		n++
	}
	want := float32(bytes.Count(text, []byte("[1.0]"))) + float32(bytes.Count(text, []byte("[0.5]")))/2
	if n != 64000 || sum != want {
		t.Errorf("%d positions, sum of results %v, want 64000 and %v", n, sum, want)
	}
	for name, want := range map[string]int{"UHO_4060_v3.epd.zip": 242201, "noob_3moves.epd.zip": 150932,
		"2moves_v1.epd.zip": 40457} {
		if n := countBook(t, "../../../shared/data/books/"+name); n != want {
			t.Errorf("%s: %d positions, want %d", name, n, want)
		}
	}
}

func countBook(t *testing.T, path string) (n int) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	for l, err := range Read(f) {
		if err != nil {
			t.Fatal(path, l.Number, err)
		}
		n++
	}
	return n
}
