package convert

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/dataset"
)

// Whatever a file holds, an import ends with a data set whose rows and refusals are
// reported, or with an error and nothing on disk.
func FuzzImport(f *testing.F) {
	f.Add([]byte(good+" [0.5]\n\nx\n"+good+";1;0"), "x.epd")
	f.Add([]byte("fen,result\n"+good+",1\n"), "x.csv")
	f.Add([]byte("[Event \"?\"]\n\n1. e4 {a} (1. d4) e5 1-0\n\n[Event \"?\"]\n\n1. d4 *\n"), "x.pgn")
	f.Add(make([]byte, 64), "x.bullet")
	f.Add([]byte(`{"fen":"`+good+`","evals":[{"pvs":[{"cp":1}],"depth":1}]}`), "x.jsonl")
	f.Add([]byte("BINP\x22\x00\x00\x00"+string(make([]byte, 34))), "x.binpack")
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0}, "x.epd")
	f.Add([]byte("fen "+good+"\nmove e2e4\nscore 7\nply 3\nresult -1\ne\n"), "x.plain")
	f.Add([]byte("fen\tresult\tcp\n"+good+"\t1\t-7\n"), "x.tsv")
	f.Add([]byte("\x28\xb5\x2f\xfd\x00"), "x.txt")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if _, ok := FormatOf(name); !ok || name != filepath.Base(name) || len(name) > 40 {
			return
		}
		dir := t.TempDir()
		path, out := filepath.Join(dir, name), filepath.Join(dir, "out")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return // not a name of a file
		}
		n, refused, err := importFiles(t, out, ImportConfig{}, path)
		if err != nil {
			if _, err := os.Stat(out); err == nil {
				t.Fatal("an import that failed is on disk")
			}
			return
		}
		v, err := dataset.Verify(t.Context(), out, nil, nil)
		if err != nil || !v.OK() || v.Rows != n.Rows || int64(len(refused)) != n.Refused || n.Rows == 0 {
			t.Fatalf("%+v, %d refused, %+v, %v", n, len(refused), v, err)
		}
	})
}
