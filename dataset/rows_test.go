package dataset

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/dataset/internal/guard"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/klauspost/compress/zstd"
)

func randomGames(seed uint64, n int) []GameRow { return datatest.Games[GameRow](seed, n) }

// positionsOf returns all positions of games, with labels of every kind.
func positionsOf(games []GameRow) (rows []PositionRow) {
	for _, g := range games {
		for i, game := range g.Replay() {
			p := *game.Position()
			r := PositionRow{Board: p, Ply: uint16(p.Ply()), Score: NoScore, Result: ResultOf(g.Result), Weight: 1}
			if i < len(g.Scores) {
				r.Score = g.Scores[i]
			}
			if i%7 != 0 {
				r.Game, r.Opening = g.Game, g.Opening
			}
			if i%5 == 0 {
				r.Weight = 0.25
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func TestGameID(t *testing.T) {
	// Computed with hashlib and struct in Python.
	if got := GameID("run", 1); got != 0x215125baac000001 {
		t.Errorf("GameID = %#x", got)
	}
	seen := map[uint64]bool{}
	for _, run := range []string{"", "a", "a\x00", "b"} {
		for n := range uint64(2000) {
			seen[GameID(run, n)] = true
		}
	}
	if len(seen) != 8000 {
		t.Errorf("%d ids of 8000", len(seen))
	}
}

func TestGameCheck(t *testing.T) {
	base := GameRow{Variant: Standard, Result: 1, Termination: "x"}
	for _, s := range strings.Fields("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7") {
		base.Moves = append(base.Moves, board.NewMove(squareOf(s[:2]), squareOf(s[2:])))
		base.Scores = append(base.Scores, NoScore)
	}
	setup.Check(t, base.Check())
	for want, spoil := range map[string]func(g *GameRow){
		"variant":             func(g *GameRow) { g.Variant = "atomic" },
		"start":               func(g *GameRow) { g.Start = "8/8/8/8/8/8/8/8 w - - 0 1" },
		"castling rights":     func(g *GameRow) { g.Start = datatest.Starts[5] },
		"ends 1-0":            func(g *GameRow) { g.Result = 0 },
		"not -1, 0 or 1":      func(g *GameRow) { g.Result = 2 },
		"6 scores":            func(g *GameRow) { g.Scores = g.Scores[1:] },
		"ply 2: score 32001":  func(g *GameRow) { g.Scores[2] = 32001 },
		"opening plies":       func(g *GameRow) { g.OpeningPlies = 8 },
		"ply 1: move 0":       func(g *GameRow) { g.Moves[1] = 0 },
		"ply 2: move 65535":   func(g *GameRow) { g.Moves[2] = 0xffff },
		"not UTF-8":           func(g *GameRow) { g.White = "\xff" },
		"too long":            func(g *GameRow) { g.Black = strings.Repeat("x", guard.MaxText+1) },
		"16385 moves are mor": func(g *GameRow) { g.Moves = make([]board.Move, MaxPlies+1) },
	} {
		g := base
		g.Moves, g.Scores = append([]board.Move(nil), base.Moves...), append([]int16(nil), base.Scores...)
		spoil(&g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func squareOf(s string) board.Square { return board.NewSquare(int(s[0]-'a'), int(s[1]-'1')) }

func TestReplay(t *testing.T) {
	for _, g := range randomGames(3, 50) {
		n := 0
		for i, game := range g.Replay() {
			if i != n || len(game.Moves()) != i {
				t.Fatalf("step %d: ply %d, %d moves", n, i, len(game.Moves()))
			}
			if i == int(g.OpeningPlies) && i < len(g.Moves) && game.Position().Key() != g.Opening {
				t.Errorf("opening key differs")
			}
			n++
		}
		if n != len(g.Moves)+1 {
			t.Errorf("%d steps for %d moves", n, len(g.Moves))
		}
	}
	bad := GameRow{Variant: Standard, Moves: []board.Move{0, 0}}
	for i := range bad.Replay() {
		if i > 0 {
			t.Error("played an illegal move")
		}
	}
}

func TestNewGameRow(t *testing.T) {
	for _, want := range randomGames(4, 50) {
		var last *board.Game
		for _, last = range want.Replay() {
		}
		got := setup.Must(NewGameRow(last))
		if err := got.Check(); err != nil {
			t.Error(err)
		}
		if len(got.Moves) != len(want.Moves) || got.Variant != want.Variant || got.Start != want.Start &&
			want.Variant == Standard {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestPositionCheck(t *testing.T) {
	good := PositionRow{Board: board.StartPosition(), Result: 0.5, Weight: 1, Score: NoScore}
	setup.Check(t, good.Check())
	nan := float32(0)
	nan /= nan
	for name, spoil := range map[string]func(*PositionRow){
		"zero board":      func(p *PositionRow) { p.Board = board.Position{} },
		"result":          func(p *PositionRow) { p.Result = 1.01 },
		"NaN":             func(p *PositionRow) { p.Result = nan },
		"weight":          func(p *PositionRow) { p.Weight = -1 },
		"NaN weight":      func(p *PositionRow) { p.Weight = nan },
		"score":           func(p *PositionRow) { p.Score = -32001 },
		"negative result": func(p *PositionRow) { p.Result = -0.5 },
	} {
		p := good
		if spoil(&p); p.Check() == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// All yields what the files hold one after the other, shard by shard, wherever the
// reader stops; and it leaves no goroutine behind.
func TestAllIsEveryShardInOrder(t *testing.T) {
	dir := t.TempDir()
	rows := positionsOf(randomGames(60, 120))
	writeAll(t, dir, positionsCodec, layout{PositionsFormat, "positions", 2500, 6000}, rows)
	r := setup.Must(OpenPositions(dir))
	if r.Shards() < 2 {
		t.Fatalf("%d rows are too few for this test", len(rows))
	}
	var want []PositionRow
	for i := range r.files {
		_, err := r.batches(i, func(rec arrow.Record, fetch func(int, *PositionRow) error) bool {
			for k := range int(rec.NumRows()) {
				var row PositionRow
				setup.Check(t, fetchRow(fetch, k, &row))
				want = append(want, row)
			}
			return true
		})
		setup.Check(t, err)
	}
	before := runtime.NumGoroutine()
	for _, stop := range []int{0, 1, 2047, 2048, 2499, 2500, 5999, 6001, len(rows)} {
		var got []PositionRow
		for row, err := range r.All() {
			setup.Check(t, err)
			got = append(got, row)
			if len(got) == max(stop, 1) {
				break
			}
		}
		if !reflect.DeepEqual(got, want[:max(stop, 1)]) {
			t.Fatalf("the first %d rows differ", stop)
		}
	}
	for range 500 { // one that has answered may still be on its way out
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// FORMAT.md is what outsiders implement: its tables are the schemas.
func TestFormatDescribesTheSchemas(t *testing.T) {
	data := setup.Must(os.ReadFile("FORMAT.md"))
	text := string(data)
	features := func(set FeatureSet) *arrow.Schema {
		set.Version, set.Unit = 2, 100
		codec := setup.Must(newFeaturesCodec(set))
		return codec.schema
	}
	for _, tt := range []struct {
		format string
		schema *arrow.Schema
	}{
		{GamesFormat, gamesCodec.schema},
		{PositionsFormat, positionsCodec.schema},
		{FeaturesFormat, features(FeatureSet{Evaluation: Evaluation{BySide: true}})},
	} {
		format, schema := tt.format, tt.schema
		_, section, found := strings.Cut(text, "\n## "+format+"\n")
		if !found {
			t.Errorf("no section for %s", format)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		var got []string
		for line := range strings.Lines(section) {
			if strings.HasPrefix(line, "| `") {
				cells := strings.SplitN(line, "|", 4)
				got = append(got, strings.TrimSpace(cells[1])+" "+strings.TrimSpace(cells[2]))
			}
		}
		var want []string
		for _, f := range schema.Fields() {
			want = append(want, "`"+f.Name+"` "+typeText(f.Type)+nullText(f))
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("%s is described as\n%s\nbut is\n%s", format, g, w)
		}
	}
	for _, l := range []layout{gamesCodec.layout, positionsCodec.layout, featuresLayout(FeaturesFormat)} {
		limits := fmt.Sprintf("| %d rows | %d rows |", l.shardRows, l.batchRows)
		if !strings.Contains(text, "| `"+l.format+"` |") || !strings.Contains(strings.ReplaceAll(text, ",", ""), limits) {
			t.Errorf("the layout of %s is not described", l.format)
		}
	}
}

func typeText(t arrow.DataType) string {
	if l, ok := t.(*arrow.ListType); ok {
		return "list<" + typeText(l.Elem()) + ">"
	}
	return t.Name()
}

func nullText(f arrow.Field) string {
	if l, ok := f.Type.(*arrow.ListType); ok && l.ElemField().Nullable {
		return ", null items"
	}
	if f.Nullable {
		return ", null"
	}
	return ""
}

// realRows returns up to n scored positions of real games, in their order. The sample is
// the first 125 games of a file of 435,000 positions.
func realRows(t testing.TB, path string, n int) []PositionRow {
	t.Helper()
	f := setup.Must(os.Open(path))
	defer f.Close()
	z := setup.Must(zstd.NewReader(f))
	defer z.Close()
	var rows []PositionRow
	game, last := uint64(1), 0
	for lines := bufio.NewScanner(z); lines.Scan() && len(rows) < n; {
		cells := strings.Split(lines.Text(), "\t")
		p := setup.Must(board.ParseFEN(cells[0]))
		score, _ := strconv.Atoi(cells[1])
		result, _ := strconv.Atoi(cells[2])
		ply, _ := strconv.Atoi(cells[3])
		if ply <= last {
			game++
		}
		last = ply
		rows = append(rows, PositionRow{Board: p, Ply: uint16(ply), Score: int16(max(-MaxScore, min(MaxScore, score))),
			Result: ResultOf(int8(result)), Game: GameID("x", game), Opening: GameID("y", game), Weight: 1})
	}
	return rows
}

// size returns how many bytes a row takes on disk.
func size(t testing.TB, rows []PositionRow, opts ...WriterOption) float64 {
	t.Helper()
	bytes := int64(0)
	for _, s := range writeAll(t, t.TempDir(), positionsCodec, positionsCodec.layout, rows, opts...).Shards {
		bytes += s.Size
	}
	return float64(bytes) / float64(len(rows))
}

const sampleFile = "testdata/scored.tsv.zst"

// TestSizeOfRealPositions checks how many bytes a row takes in game order, and as arrange.Shuffle writes
// it. About 4.7 of the latter are the ids of game and opening.
func TestSizeOfRealPositions(t *testing.T) {
	rows := realRows(t, sampleFile, 150_000)
	ordered := size(t, rows)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	shuffled := size(t, rows, Packed())
	t.Logf("%.2f bytes a row in game order, %.2f shuffled", ordered, shuffled)
	if ordered > 14 || shuffled > 30 {
		t.Error("want 14 and 30 at most")
	}
}

func BenchmarkReadPositions(b *testing.B) {
	rows := realRows(b, sampleFile, 300_000)
	dir := b.TempDir()
	writeAll(b, dir, positionsCodec, positionsCodec.layout, rows)
	n := 0
	for b.Loop() {
		r := setup.Must(OpenPositions(dir))
		for _, err := range r.All() {
			setup.Check(b, err)
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
