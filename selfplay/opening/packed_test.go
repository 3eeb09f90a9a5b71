package opening

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

const (
	packedList = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 " +
		"1\nrnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n"
	packedGames = "[Event \"x\"]\n\n1. e4 *\n\n[Event \"x\"]\n\n1. d4 *\n"
)

func zipped(t *testing.T, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err == nil {
			_, err = w.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A packed book has the openings, and the checksum, of the book in it. What cannot be read is
// named.
func TestPackedBooks(t *testing.T) {
	var gz, xzs bytes.Buffer
	w := gzip.NewWriter(&gz)
	_, err := w.Write([]byte(packedGames))
	x, err2 := xz.NewWriter(&xzs)
	if err = errors.Join(err, w.Close(), err2); err != nil {
		t.Fatal(err)
	}
	_, err = x.Write([]byte(packedList))
	if err = errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	load := func(name, content string) (*book, error) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return loadBook(path, Spec{}, 1)
	}
	for name, plain := range map[string]string{packedList: "plain.epd", packedGames: "plain.pgn"} {
		want, err := load(plain, name)
		if err != nil {
			t.Fatal(err)
		}
		packed := map[string]string{"b.epd.zip": zipped(t, "b.epd", packedList), "b.epd.xz": xzs.String(), "c": packedList}
		if plain == "plain.pgn" {
			packed = map[string]string{"b.pgn.zip": zipped(t, "b.pgn", packedGames), "b.pgn.gz": gz.String(),
				"b.txt": packedGames, "c.zip": zipped(t, "x", packedGames)}
		}
		for file, content := range packed {
			b, err := load(file, content)
			if err != nil || b.Len() != 2 || b.Describe().SHA256 != want.Describe().SHA256 {
				t.Fatalf("%s: %v, %v", file, b, err)
			}
			for i := range uint64(2) {
				g, err := b.Propose(i, 1)
				w, _ := want.Propose(i, 1)
				if err != nil || g.Position().FEN() != w.Position().FEN() {
					t.Errorf("%s, opening %d: %v", file, i, err)
				}
			}
		}
	}
	for want, content := range map[string]string{
		"holds a.epd, b.epd":        zipped(t, "a.epd", packedList, "b.epd", packedList),
		"the xz data end early":     xzs.String()[:xzs.Len()-9],
		"a Parquet file":            "PAR1",
		"byte 117 is NUL":           packedList[:117] + "\x00" + packedList,
		"bad.x:2: not a book: want": packedList[:59] + "8/8\n",
	} {
		if b, err := load("bad.x", content); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "bad.x") {
			t.Errorf("%v, %v, want %q", b, err, want)
		}
	}
}
