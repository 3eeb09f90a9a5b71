//go:build experiment

package epd

import (
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
}
