package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// put writes a file of a test and returns its path.
func put(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// importFiles imports, and returns what was refused as "number: reason".
func importFiles(t testing.TB, dir string, c ImportConfig, paths ...string) (*Imported, []string, error) {
	t.Helper()
	var refused []string
	c.Refused = func(r *Refusal) { refused = append(refused, fmt.Sprintf("%d: %v", r.Number, r.Err)) }
	_, n, err := Import(t.Context(), paths, dir, c)
	return n, refused, err
}

func positions(dir string) []dataset.PositionRow {
	return setup.Must(datatest.ReadAll(setup.Must(dataset.OpenPositions(dir))))
}

func gamesIn(dir string) []dataset.GameRow {
	return setup.Must(datatest.ReadAll(setup.Must(dataset.OpenGames(dir))))
}

// randomList returns positions in game order as rows and as lines of a list.
func randomList(seed uint64, n int) (rows []dataset.PositionRow, text string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b []byte
	for len(rows) < n {
		p := board.StartPosition()
		result := float32(rng.IntN(3)) / 2
		for range 20 + rng.IntN(100) {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 || len(rows) == n {
				break
			}
			r := dataset.PositionRow{Board: p, Ply: uint16(p.Ply()), Score: int16(rng.IntN(3000) - 1500), Result: result,
				Weight: 1}
			rows = append(rows, r)
			b = fmt.Appendf(b, "%s;%d;%g%s\n", p.FEN(), r.Score, r.Result, strings.Repeat(" ", rng.IntN(20)))
			p.Make(moves[rng.IntN(len(moves))])
		}
	}
	return rows, string(b)
}

// Rows come in order, whatever the number of goroutines and wherever chunks end; an
// import that was interrupted ends up the same.
func TestImportKeepsOrder(t *testing.T) {
	want, text := randomList(3, 20_000)
	path := put(t, "list.epd", text)
	one, two, cut := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two"), filepath.Join(t.TempDir(),
		"cut")
	n, refused, err := importFiles(t, one, ImportConfig{InferGames: true, Workers: 1}, path)
	if err != nil || refused != nil || n.Rows != 20_000 || !n.Inferred {
		t.Fatal(n, refused, err)
	}
	runs, games := dataset.GameRuns{}, map[uint64]bool{}
	got := positions(one)
	for i := range got {
		runs.Next(&want[i])
		games[got[i].Game] = true
		want[i].Game = got[i].Game
		if got[i] != want[i] {
			t.Fatalf("row %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if n.Games != runs.Games || len(games) != int(n.Games) {
		t.Errorf("%d games, %d ids, want %d", n.Games, len(games), runs.Games)
	}

	ctx, cancel := context.WithCancel(t.Context())
	c := ImportConfig{InferGames: true, Workers: 5, Progress: func(done, _ int64, _ string) {
		if done > int64(len(text)/2) {
			cancel()
		}
	}}
	if _, _, err := Import(ctx, []string{path}, cut, c); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, dir := range []string{cut, two} {
		if _, _, err := importFiles(t, dir, ImportConfig{InferGames: true, Workers: 5}, path); err != nil {
			t.Fatal(err)
		}
		same(t, one, dir)
	}
	if n, _, err := importFiles(t, two, ImportConfig{InferGames: true}, path); !errors.Is(err, dataset.ErrComplete) ||
		n.Rows != 20_000 {
		t.Error(n, err)
	}
}

// An import that is interrupted behind its first shards keeps them, and continues behind them.
func TestImportResumesBehindShards(t *testing.T) {
	_, text := randomList(4, 40_000)
	path, whole, cut := put(t, "list.epd", text), filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "cut")
	c := ImportConfig{InferGames: true, Workers: 2, writer: []dataset.WriterOption{dataset.ShardRows(500, 2000)}}
	if _, _, err := importFiles(t, whole, c, path); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	broken := c
	broken.Progress = func(done, _ int64, _ string) {
		if kept, _ := filepath.Glob(filepath.Join(cut, "*.arrow")); len(kept) > 1 {
			cancel()
		}
	}
	if _, _, err := Import(ctx, []string{path}, cut, broken); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(cut, "*.arrow"))
	if err != nil || len(kept) < 2 || len(kept) > 19 {
		t.Fatalf("an interrupted import left %v, %v", kept, err)
	}
	before := setup.Must(os.Stat(kept[0]))
	if _, _, err := importFiles(t, cut, c, path); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(kept[0]); err != nil || !os.SameFile(before, after) {
		t.Errorf("the first shard was written again: %v", err)
	}
	if shards, err := filepath.Glob(filepath.Join(whole, "*.arrow")); err != nil || len(shards) != 20 {
		t.Errorf("%d shards, %v", len(shards), err)
	}
	same(t, whole, cut)
}

func same(t *testing.T, one, two string) {
	t.Helper()
	if !reflect.DeepEqual(datatest.Files(t, one), datatest.Files(t, two)) {
		t.Errorf("%s and %s differ", one, two)
	}
}

const (
	good = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
	c960 = "bnrbnkrq/pppppppp/8/8/8/8/PPPPPPPP/BNRBNKRQ w CGcg - 0 1"
)

// Lines that cannot be read are reported, and all others are imported.
func TestLinesThatCannotBeRead(t *testing.T) {
	text := "\ufeff" + good + " [1.0] -M2\r\n" + // 1
		"\r\n# a comment\n" + // 2, 3
		"8/8/8/8/8/8/8/8 w - - 0 1 [0.5]\n" + // 4
		good + " [1.0] c9 \"0-1\";\n" + // 5
		good + "\n" + // 6
		strings.Repeat("x", 10<<20) + "\n" + // 7
		strings.Repeat("y", 100<<10) + "\n" + // 8
		c960 + " | 1/2-1/2\n" + // 9
		"4k3/8/8/8/8/8/4P3/4K3 w - - - - [0.0]\n" + // 10
		"\x01\xff\xfe binary\n" + // 11
		good + ";0;0.5" // 12, no newline
	n, refused, err := importFiles(t, filepath.Join(t.TempDir(), "out"), ImportConfig{}, put(t, "bad.txt", text))
	if err != nil || n.Rows != 4 || n.Refused != 6 || n.ForeignScores != 1 {
		t.Fatal(n, refused, err)
	}
	for i, want := range []string{"4: ", "5: contradictory results", "6: no result", "7: the line is longer",
		"8: the line is longer", "11: "} {
		if !strings.HasPrefix(refused[i], want) {
			t.Errorf("refused %q, want %q", refused[i], want)
		}
	}
	dir := filepath.Join(t.TempDir(), "strict")
	var r *Refusal
	if _, _, err := importFiles(t, dir, ImportConfig{Strict: true}, put(t, "bad.txt", text)); !errors.As(err, &r) ||
		r.Number != 4 {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left behind: %v", dir, err)
	}
}

// Long lines anywhere in a text cost their own line only.
func TestChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 40 {
		var text strings.Builder
		var want []int64 // lengths; -1 if too long for a chunk
		for range rng.IntN(60) {
			n := rng.IntN(30)
			if rng.IntN(8) == 0 {
				n = rng.IntN(3 * chunkSize)
			}
			text.WriteString(strings.Repeat("x", n) + "\n")
			want = append(want, int64(n))
		}
		var got []int64
		if _, err := readChunks(strings.NewReader(text.String()), func(c chunk) error {
			if c.first != int64(len(got))+1 {
				t.Fatalf("line %d comes after %d", c.first, len(got))
			}
			if c.long {
				got = append(got, -1)
			}
			for line := range strings.Lines(c.text) {
				got = append(got, int64(len(line)-1))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] == -1 && want[i] > chunkSize/2 {
				got[i] = want[i]
			}
		}
		if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("lines of %v, want %v", got, want)
		}
	}
}

// A wrong file is an error, and leaves nothing behind.
func TestWrongFiles(t *testing.T) {
	whole := new(bytes.Buffer)
	z, _ := zstd.NewWriter(whole)
	_, text := randomList(5, 500)
	_, _ = io.WriteString(z, text)
	z.Close()
	shuffled := strings.SplitAfter(text, "\n")
	rand.New(rand.NewPCG(6, 6)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	for name, c := range map[string]struct {
		path   string
		config ImportConfig
		want   error
	}{
		"cut":       {put(t, "cut.epd.zst", whole.String()[:whole.Len()/2]), ImportConfig{}, io.ErrUnexpectedEOF},
		"noheader":  {put(t, "x.csv", good+",5,1\n"), ImportConfig{}, lines.ErrHeader},
		"scale":     {put(t, "x.csv", "fen,result\n"+good+",1\n"+good+",-1\n"), ImportConfig{}, lines.ErrResultScale},
		"points":    {put(t, "x.epd", good+";5;1\n"+good+";5;2\n"), ImportConfig{}, lines.ErrHalfPoints},
		"empty":     {put(t, "x.epd", "\n"), ImportConfig{}, ErrNothing},
		"all bad":   {put(t, "x.epd", "x\ny\n"), ImportConfig{}, ErrNothing},
		"hopeless":  {put(t, "x.epd", strings.Repeat("x\n", 5*hopeless)), ImportConfig{}, ErrNothing},
		"unknown":   {put(t, "x.doc", good), ImportConfig{}, ErrFormat},
		"unordered": {put(t, "x.epd", strings.Join(shuffled, "")), ImportConfig{InferGames: true}, ErrUnordered},
		"missing":   {"/nowhere/x.epd", ImportConfig{}, os.ErrNotExist},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		_, refused, err := importFiles(t, dir, c.config, c.path)
		if len(refused) > hopeless {
			t.Errorf("%s: %d rows were refused", name, len(refused))
		}
		if !errors.Is(err, c.want) || c.path != "" && !strings.Contains(err.Error(), filepath.Base(c.path)) &&
			c.want != ErrNothing && c.want != ErrUnordered {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is left behind", name, dir)
		}
	}
	epd, pgn := put(t, "a.epd", good+" [1.0]"), put(t, "a.pgn", "1. e4 1-0")
	if _, _, err := importFiles(t, filepath.Join(t.TempDir(), "out"), ImportConfig{}, epd, pgn); !errors.Is(err,
		ErrMixed) {
		t.Error(err)
	}
}

// The same file twice is noticed.
func TestSameFile(t *testing.T) {
	one, two := put(t, "a.pgn", "1. e4 1-0"), put(t, "b.pgn", "1. e4 1-0")
	var same []string
	n, refused, err := importFiles(t, filepath.Join(t.TempDir(), "out"), ImportConfig{Notice: func(kind, text string) {
		same = append(same, kind, text)
	}}, one, two)
	if err != nil || n.Rows != 2 || n.Schema != dataset.GamesFormat || len(refused) != 0 {
		t.Fatal(n, refused, err)
	}
	if !slices.Equal(same, []string{"warning", two + " has the same bytes as " + one + "; its rows will occur twice"}) {
		t.Errorf("the notices are %q", same)
	}
}

// Standard input starts over, and is not taken for what was imported before.
func TestStreams(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	c := ImportConfig{Format: formatEPD, Stdin: strings.NewReader(good + " [1.0]\n")}
	if n, _, err := importFiles(t, dir, c, "-"); err != nil || n.Rows != 1 {
		t.Fatal(n, err)
	}
	c.Stdin = strings.NewReader(good + " [1.0]\n")
	if _, _, err := importFiles(t, dir, c, "-"); !errors.Is(err, ErrStream) {
		t.Error(err)
	}
}

func TestGames(t *testing.T) {
	const text = "[Event \"?\"]\n\n1. e4 {nice {or not} ( variation ) e5 $1 2. f4 (2. Nf3 (2. Nc3)) 1-0\n\n" +
		"[Event \"?\"]\n\n1. d4 *\n\n[Event \"?\"]\n\n1. e5 1-0\n\n[Event \"?\"]\n[Result \"0-1\"]\n\n1. e4 " +
		"1-0\n\n[Event \"?\"]\n\n% escaped\n1. c4 c5"
	dir := filepath.Join(t.TempDir(), "out")
	n, refused, err := importFiles(t, dir, ImportConfig{OpeningPlies: 2}, put(t, "x.pgn", text))
	if err != nil || n.Rows != 1 || len(refused) != 4 {
		t.Fatal(n, refused, err)
	}
	for i, want := range []string{"5: the game has no result (*)", "11: ply 0", "16: the result is",
		"21: the game has no result at its end"} {
		if !strings.HasPrefix(refused[i], want) {
			t.Errorf("refused %q, want %q", refused[i], want)
		}
	}
	start := board.StartPosition()
	for _, g := range gamesIn(dir) {
		if len(g.Moves) != 3 || g.OpeningPlies != 2 || g.Opening == start.Key() || g.Game == 0 {
			t.Errorf("%+v", g)
		}
	}
}

var scoredColumns = ImportConfig{Columns: []string{"fen", "score", "result", "ply", "_", "_"},
	Results: []string{"-1", "0", "1"}, InferGames: true}

// Real data are imported whole: awk and uniq count the same in them.
func TestRealData(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	n, refused, err := importFiles(t, dir, scoredColumns, "../testdata/scored.tsv.zst")
	if err != nil || refused != nil || n.Rows != 11970 {
		t.Fatalf("%+v %v %v", n, refused, err)
	}
	s, err := arrange.Summarize(t.Context(), dir, nil)
	if err != nil || s.Rows != 11970 || s.Results.White != 3157 || s.Results.Draw != 4624 || s.Results.Black != 4189 ||
		s.Duplicates != 599 || s.Games != n.Games || s.GamesInferred {
		t.Errorf("%+v %v", s, err)
	}
}

func BenchmarkImportEPD(b *testing.B) {
	_, text := randomList(7, 100_000)
	path := put(b, "list.epd", text)
	for i := 0; b.Loop(); i++ {
		if n, _, err := importFiles(b, filepath.Join(b.TempDir(), fmt.Sprint(i)), ImportConfig{Workers: 1},
			path); err != nil || n.Rows != 100_000 {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
