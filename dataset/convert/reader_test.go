package convert

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/dataset/internal/records"
	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/internal/source"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// through is data as a compressor writes them.
func through(t *testing.T, data []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err == nil {
		_, err = w.Write(data)
		err = errors.Join(err, w.Close())
	}
	setup.Check(t, err)
	return b.Bytes()
}

// packings are all ways to pack a file, by the ending that each adds to its name.
func packings(t *testing.T) map[string]func(name string, data []byte) []byte {
	zst := func(_ string, data []byte) []byte {
		return through(t, data, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	}
	gz := func(_ string, data []byte) []byte {
		return through(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	}
	tarred := func(name string, data []byte) []byte {
		return through(t, data, func(w io.Writer) (io.WriteCloser, error) {
			z := tar.NewWriter(w)
			return z, z.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o666})
		})
	}
	list := map[string]func(string, []byte) []byte{
		"":     func(_ string, data []byte) []byte { return data },
		".zst": zst,
		".pzstd.zst": func(name string, data []byte) (b []byte) { // frames, each behind a skippable one
			half := len(data) / 2
			for i, part := range [][]byte{data[:half], data[half:]} {
				frame := zst(name, part)
				b = append(b, byte(0x50+15*i), 0x2a, 0x4d, 0x18, 4, 0, 0, 0, byte(len(frame)), byte(len(frame)>>8), 0, 0)
				b = append(b, frame...)
			}
			return b
		},
		".gz": gz,
		".xz": func(_ string, data []byte) []byte {
			return through(t, data, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
		},
		".zip": func(name string, data []byte) []byte {
			var z *zip.Writer
			return through(t, data, func(w io.Writer) (io.WriteCloser, error) {
				z = zip.NewWriter(w)
				member, err := z.Create(name)
				return struct {
					io.Writer
					io.Closer
				}{member, z}, err
			})
		},
		".tar":    tarred,
		".tar.gz": func(name string, data []byte) []byte { return gz("", tarred(name, data)) },
	}
	if path, err := exec.LookPath("bzip2"); err == nil { // no package of Go writes it
		list[".bz2"] = func(_ string, data []byte) []byte {
			cmd := exec.Command(path)
			cmd.Stdin = bytes.NewReader(data)
			return setup.Must(cmd.Output())
		}
	}
	return list
}

// readers are a file of each format, by its name.
func readers(t *testing.T) map[string][]byte {
	games := real(t, "../pgn/testdata/lichess.pgn", 40_000)
	games = games[:bytes.LastIndex(games, []byte("[Event "))]
	list, _ := randomList(9, 100)
	var lists [6]bytes.Buffer
	lists[3].Write(lines.AppendHeader(nil, ','))
	lists[4].Write(lines.AppendHeader(nil, '\t'))
	var packed []byte
	for _, r := range list {
		rec := setup.Must(records.AppendBullet(nil, &r))
		packed = append(packed, rec...)
		fmt.Fprintf(&lists[0], "%s;%d;%g\n", r.Board.FEN(), r.Score, r.Result)
		fmt.Fprintf(&lists[1], "%s [%g]\n", r.Board.FEN(), r.Result)
		fmt.Fprintf(&lists[2], "fen %s\nmove e2e4\nscore %d\nply %d\nresult %d\ne\n", r.Board.FEN(), r.Score, r.Ply,
			int(2*r.Result)-1)
		lists[3].Write(lines.AppendRow(nil, &r, ','))
		lists[4].Write(lines.AppendRow(nil, &r, '\t'))
		fmt.Fprintf(&lists[5], "{\"fen\":%q,\"evals\":[{\"pvs\":[{\"cp\":%d}],\"depth\":1}]}\n", r.Board.FEN(), r.Score)
	}
	return map[string][]byte{"x.epd": lists[0].Bytes(), "x.fen": lists[1].Bytes(), "x.txt": lists[1].Bytes(),
		"x.plain": lists[2].Bytes(),
		"x.csv":   lists[3].Bytes(), "x.tsv": lists[4].Bytes(), "x.pgn": games,
		"x.bullet": packed, "x.jsonl": lists[5].Bytes(),
		"x.binpack": real(t, "../internal/records/testdata/games.binpack", 1<<20)}
}

// TestEveryReader imports each format in one of the packings, and in each of them in .ci/long, as a file, as a file
// whose name says nothing, and as a stream: whole, cut at several places, with a NUL inside. The whole file gives the
// rows of the plain one. Nothing is half read: a cut file, and text with a NUL, is an error that names the file, and
// leaves nothing on disk.
func TestEveryReader(t *testing.T) {
	formats, packings := readers(t), packings(t)
	endings := slices.Sorted(maps.Keys(packings))
	for i, name := range slices.Sorted(maps.Keys(formats)) {
		data := formats[name]
		format, _ := FormatOf(name)
		plainDir := filepath.Join(t.TempDir(), "plain")
		plain, refused, err := importFiles(t, plainDir, ImportConfig{}, put(t, name, string(data)))
		if err != nil || refused != nil || plain.Rows < 20 {
			t.Fatalf("%s: %d rows, %q, %v", name, plain.Rows, refused, err)
		}
		nul := append(append(bytes.Clone(data[:2*len(data)/3]), 0), data[2*len(data)/3:]...)
		for j, ending := range endings {
			if !datatest.Soak && ending != "" && i%len(packings) != j {
				continue
			}
			pack := packings[ending]
			whole := pack(name, data)
			for _, as := range []string{name + ending, "noname", "-"} {
				c := ImportConfig{Format: format}
				path := put(t, as, string(whole))
				if as == "-" {
					c.Stdin, path = bytes.NewReader(whole), "-"
				}
				dir := filepath.Join(t.TempDir(), "out")
				if n, refused, err := importFiles(t, dir, c, path); err != nil || refused != nil || n.Rows != plain.Rows {
					t.Errorf("%s as %s: %+v, %q, %v", name+ending, as, n, refused, err)
				} else if onDisk(t, dir) != plain.Rows {
					t.Errorf("%s as %s: other rows on disk", name+ending, as)
				}
			}
			if ending != "" {
				for _, n := range []int{len(whole) / 3, 2 * len(whole) / 3, len(whole) - 1} {
					if ending == ".tar" && n > len(whole)-1024 {
						continue // the zeros at its end
					}
					c := ImportConfig{Format: format}
					path := put(t, name+ending, string(whole[:n]))
					if dir, err := fails(t, c, path); err == nil || !strings.Contains(err.Error(), path) ||
						!strings.Contains(err.Error(), "end early") {
						t.Errorf("%s, %d of %d bytes: %v, left %s", name+ending, n, len(whole), err, dir)
					}
				}
			}
			if format.binary() {
				continue // which has zeros
			}
			path := put(t, name+ending, string(pack(name, nul)))
			if dir, err := fails(t, ImportConfig{Format: format}, path); !errors.Is(err, source.ErrNUL) ||
				!strings.Contains(err.Error(), path) ||
				!strings.Contains(err.Error(), fmt.Sprintf("byte %d is NUL", 2*len(data)/3)) {
				t.Errorf("%s with a NUL: %v, left %s", name+ending, err, dir)
			}
		}
	}
}

// fails imports what must fail, and returns the files left on disk.
func fails(t *testing.T, c ImportConfig, path string) (left string, err error) {
	dir := filepath.Join(t.TempDir(), "out")
	_, _, err = importFiles(t, dir, c, path)
	if _, e := os.Stat(dir); !errors.Is(e, os.ErrNotExist) {
		t.Errorf("%s: %s is left", path, dir)
		return dir, err
	}
	return "nothing", err
}

// dialect is how a program writes positions with labels.
type dialect struct {
	file   string // its ending decides the format
	header string
	line   string // FEN, EPD (four fields of it), SCORE, RESULT and PLY stand for the position's
	spell  string // results of a loss, a draw and a win
	// whose view scores have: mover; ce: mover, unless Comments say otherwise; flag: of ImportConfig; none, if there are
	// no scores
	score  string
	result string // whose view results have: mover; flag: of ImportConfig; none
}

// words and letters are spellings of results.
const (
	words   = "0-1 1/2-1/2 1-0"
	letters = "b d w"
	numbers = "0.0 0.5 1.0"
)

var dialects = []dialect{
	{"a.epd", "", `EPD c9 "RESULT";`, words, "none", "flag"},
	{"a.epd", "", `FEN c9 "RESULT"`, words, "none", "flag"},
	{"a.epd", "", `EPD ce SCORE; c9 "RESULT";`, words, "ce", "flag"},
	{"a.epd", "", `EPD; ce SCORE; c9 "RESULT";`, words, "ce", "flag"},
	{"a.epd", "", "FEN;RESULT", "0 0.5 1", "none", "flag"},
	{"a.epd", "", "FEN;RESULT", letters, "none", "flag"},
	{"a.epd", "", `FEN;"RESULT"`, words, "none", "flag"},
	{"a.epd", "", "FEN; [RESULT]", numbers, "none", "flag"},
	{"a.epd", "", "FEN [RESULT]", numbers, "none", "flag"},
	{"a.epd", "", "FEN RESULT", words, "none", "flag"},
	{"a.epd", "", "FEN [RESULT] SCORE", letters, "flag", "flag"},
	{"a.epd", "", "FEN [RESULT] SCORE;", numbers, "flag", "flag"},
	{"a.epd", "", "RESULT FEN", numbers, "none", "flag"},
	{"a.epd", "", "FEN | SCORE | RESULT", numbers, "flag", "flag"},
	{"a.epd", "", "FEN | RESULT | SCORE", words, "flag", "flag"},
	{"a.epd", "", "FEN ; SCORE ; RESULT", numbers, "flag", "flag"},
	{"a.csv", "fen,score,result", "FEN,SCORE,RESULT", numbers, "flag", "flag"},
	{"a.csv", "result,fen,score", "RESULT,FEN,SCORE", words, "flag", "flag"},
	{"a.csv", "WDL,Eval,FEN", `RESULT,SCORE,"FEN"`, numbers, "flag", "flag"},
	{"a.tsv", "score\tresult\tfen", "SCORE\tRESULT\tFEN", numbers, "flag", "flag"},
	{"a.csv", "", "FEN,SCORE,RESULT", "0 1 2", "mover", "mover"}, // the sample of c-chess-cli
	{"a.plain", "", "fen FEN\nmove e1e2\nscore SCORE\nply PLY\nresult RESULT\ne", "-1 0 1", "ce", "mover"},
	{"a.jsonl", "", `{"fen":"FEN","evals":[{"pvs":[{"cp":SCORE}],"depth":9}]}`, numbers, "flag", "none"}, // Lichess
}

// write writes a row, whose labels are White's.
func (d *dialect) write(r *dataset.PositionRow, c *ImportConfig) string {
	score, result, fen := r.Score, int(2*r.Result), r.Board.FEN()
	if r.Board.SideToMove() == board.Black {
		if d.score == "mover" || d.score == "ce" && c.Comments.View != pgn.White || d.score == "flag" && c.Mover {
			score = -score
		}
		if d.result == "mover" || d.result == "flag" && c.MoverResults {
			result = 2 - result
		}
	}
	return strings.NewReplacer("FEN", fen, "EPD", strings.TrimSuffix(fen, " 3 17"), "SCORE", fmt.Sprint(score),
		"RESULT", strings.Fields(d.spell)[result], "PLY", fmt.Sprint(r.Ply)).Replace(d.line)
}

// TestDialects imports the same positions from each dialect, with labels from White's view and from the mover's.
func TestDialects(t *testing.T) {
	list := []dataset.PositionRow{{Score: 34, Result: 1}, {Score: -120, Result: 0}, {Score: 15, Result: 1},
		{Score: -7, Result: 0.5}, {Score: 0, Result: 0}}
	for i := range list {
		r := &list[i]
		r.Board = setup.Must(board.ParseFEN(fmt.Sprintf("4k3/8/8/8/8/8/4P3/4K3 %c - - 3 17", "wb"[i%2])))
		r.Ply, r.Weight = uint16(r.Board.Ply()), 1
	}
	for _, d := range dialects {
		for _, c := range []ImportConfig{{}, {Mover: true}, {MoverResults: true}, {Mover: true, MoverResults: true},
			{Comments: pgn.Reading{View: pgn.White}}} {
			if c.Mover && d.score != "flag" || c.MoverResults && d.result != "flag" {
				continue
			}
			var text []string
			for i := range list {
				text = append(text, d.write(&list[i], &c))
			}
			dir := filepath.Join(t.TempDir(), "out")
			file := put(t, d.file, strings.TrimPrefix(d.header+"\n"+strings.Join(text, "\n"), "\n"))
			if _, refused, err := importFiles(t, dir, c, file); err != nil || refused != nil {
				t.Errorf("%s, %s: %q, %v", d.file, text[1], refused, err)
				continue
			}
			for i, got := range positions(dir) {
				want := list[i]
				if d.score == "none" {
					want.Score = dataset.NoScore
				}
				if d.result == "none" {
					want.Result = got.Result
				}
				if strings.Contains(d.line, "EPD") { // has no counters
					want.Board = setup.Must(board.ParseFEN(strings.TrimSuffix(want.Board.FEN(), " 3 17")))
					want.Ply = uint16(want.Board.Ply())
				}
				if got != want {
					t.Errorf("%s, %s: %+v, want %+v", d.file, text[i], got, want)
				}
			}
		}
	}
}

// What Stockfish's text lacks is refused, and a score beyond all mates is none.
func TestPlainIsChecked(t *testing.T) {
	file := "fen " + good + "\nmove e1e2\nscore 32002\nply 8\nresult 0\ne\n" +
		"fen " + good + "\nmove e1e2\nscore x\nply 8\nresult 0\ne\nfen " + good + "\nscore 1\nply 1\nresult 1\n"
	dir := filepath.Join(t.TempDir(), "out")
	n, refused, err := importFiles(t, dir, ImportConfig{}, put(t, "x.plain", file))
	if err != nil || n.Rows != 1 || n.ForeignScores != 1 || len(refused) != 2 ||
		!strings.HasPrefix(refused[0], `7: score "x"`) || !strings.HasPrefix(refused[1], "13: the file ends") {
		t.Fatal(n, refused, err)
	}
	if r := positions(dir)[0]; r.Score != dataset.NoScore || r.Result != 0.5 || r.Ply != 8 {
		t.Errorf("%+v", r)
	}
	cut := put(t, "x.plain", file[:strings.Index(file, "e\n")+2]+"fen 4k3/8")
	n, refused, err = importFiles(t, filepath.Join(t.TempDir(), "out"), ImportConfig{}, cut)
	if err != nil || n.Rows != 1 || len(refused) != 1 || !strings.HasPrefix(refused[0], "7: the file ends") {
		t.Errorf("cut in the first line of a position: %+v, %q, %v", n, refused, err)
	}
}

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
