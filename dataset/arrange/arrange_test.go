package arrange

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// namedPositions are positions of games, each with its game and an opening of two games.
func namedPositions(seed uint64, games int) []dataset.PositionRow {
	var rows []dataset.PositionRow
	for i, g := range datatest.Games[dataset.GameRow](seed, games) {
		for _, r := range positionsOf([]dataset.GameRow{g}) {
			r.Game, r.Opening = g.Game+seed, 1+uint64(i/2)
			rows = append(rows, r)
		}
	}
	return rows
}

func readPositions(t testing.TB, path string) []dataset.PositionRow {
	t.Helper()
	r := setup.Must(dataset.OpenPositions(path))
	return setup.Must(datatest.ReadAll(r))
}

// Rows come in the order of the parents, whose numbers of rows the manifest has, also after an interruption.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	var want []dataset.PositionRow
	var counts []int64
	for i := range 3 {
		path, rows := filepath.Join(dir, fmt.Sprint(i)), namedPositions(uint64(i+1), 4+i)
		writePositions(t, path, rows)
		paths, want, counts = append(paths, path), append(want, rows...), append(counts, int64(len(rows)))
	}
	out := filepath.Join(dir, "out")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Merge(ctx, paths, out, Config{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	setup.Check(t, Merge(t.Context(), paths, out, Config{}))
	if got := readPositions(t, out); !reflect.DeepEqual(got, want) {
		t.Error("the rows differ")
	}
	var report mergeReport
	m, err := durable.LoadReport(out, &report)
	if err != nil || len(m.Parents) != 3 || !slices.Equal(report.ParentRows, counts) {
		t.Errorf("%v, %v, %v; want %v", m, report, err, counts)
	}
	if err := Merge(t.Context(), paths, out, Config{}); !errors.Is(err, dataset.ErrComplete) {
		t.Error(err)
	}
}

func TestMergeRefuses(t *testing.T) {
	dir := t.TempDir()
	one, games, x := filepath.Join(dir, "one"), filepath.Join(dir, "games"), filepath.Join(dir, "x")
	writePositions(t, one, namedPositions(1, 5))
	writeGames(t, games, datatest.Games[dataset.GameRow](1, 5), dataset.ShardRows(5, 10))
	if err := Merge(t.Context(), []string{one, games}, x, Config{}); !errors.Is(err, ErrSchemas) {
		t.Error(err)
	}
	if err := Merge(t.Context(), []string{games, games}, x, Config{}); !errors.Is(err, dataset.ErrDuplicate) {
		t.Error(err)
	}
	if _, err := os.Stat(x); !errors.Is(err, os.ErrNotExist) {
		t.Error("a failed merge is left behind")
	}
}

func TestMergeWantsTheSameFeatures(t *testing.T) {
	var paths []string
	for _, name := range []string{"a", "b"} {
		set := dataset.FeatureSet{Model: "m", Terms: []dataset.FeatureTerm{{Name: name}}}
		dir := filepath.Join(t.TempDir(), name)
		w, err := dataset.NewFeatureWriter(dir, set, dataset.WriterConfig{})
		datatest.Write(t, w, err, []dataset.FeatureRow{{Terms: []uint16{0}, Counts: []float32{2}, Scale: 1,
			Eval: dataset.NoEval, Score: dataset.NoScore, Weight: 1}})
		paths = append(paths, dir)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := Merge(t.Context(), paths, out, Config{}); !errors.Is(err, ErrSchemas) {
		t.Error(err)
	}
	if err := Shuffle(t.Context(), []string{paths[0], paths[0]}, out, Config{}); !errors.Is(err, dataset.ErrDuplicate) {
		t.Error(err)
	}
	setup.Check(t, Merge(t.Context(), paths[:1], out, Config{}))
	if m, err := durable.LoadManifest(out); err != nil || m.Rows != 1 {
		t.Error(m, err)
	}
}

// Each game is whole in one part; the parts together are all; where a game goes does not
// depend on the others; shares come out about right.
func TestSplit(t *testing.T) {
	dir := t.TempDir()
	rows := namedPositions(3, 200)
	data := filepath.Join(dir, "data")
	writePositions(t, data, rows)
	parts := []Part{{"train", 8}, {"valid", 2}}
	for _, by := range []string{ByGame, ByOpening} {
		out := filepath.Join(dir, by)
		setup.Check(t, Split(t.Context(), []string{data}, out, parts, by, Config{Seed: 5}))
		where, next := map[uint64]string{}, map[string][]dataset.PositionRow{}
		for _, p := range parts {
			next[p.Name] = readPositions(t, filepath.Join(out, p.Name))
			for _, r := range next[p.Name] {
				key := r.Game
				if by == ByOpening {
					key = r.Opening
				}
				if w, ok := where[key]; ok && w != p.Name {
					t.Fatalf("%s %d is in %s and in %s", by, key, w, p.Name)
				}
				where[key] = p.Name
			}
		}
		if n := len(next["train"]) + len(next["valid"]); n != len(rows) {
			t.Fatalf("%d rows of %d", n, len(rows))
		}
		valid := 0
		for _, name := range where {
			if name == "valid" {
				valid++
			}
		}
		if share := float64(valid) / float64(len(where)); share < 0.1 || share > 0.3 {
			t.Errorf("by %s: %.2f of all are in valid", by, share)
		}
		for _, r := range rows { // in their order
			key := r.Game
			if by == ByOpening {
				key = r.Opening
			}
			list := next[where[key]]
			if list[0] != r {
				t.Fatal("the order differs")
			}
			next[where[key]] = list[1:]
		}
		if err := Split(t.Context(), []string{data}, out, parts, by, Config{Seed: 5}); !errors.Is(err, dataset.ErrComplete) {
			t.Error(err)
		}
	}
	s := &splitting{parts: parts, by: ByGame, seed: 5}
	half := filepath.Join(dir, "half")
	writePositions(t, half, rows[len(rows)/2:])
	setup.Check(t, Split(t.Context(), []string{half}, filepath.Join(dir, "halves"), parts, ByGame, Config{Seed: 5}))
	for i, p := range parts {
		for _, r := range readPositions(t, filepath.Join(dir, "halves", p.Name)) {
			if s.part(dataset.GameNumber(r.Game)) != i {
				t.Fatal("a game changed sides")
			}
		}
	}
}

func TestSplitWantsGames(t *testing.T) {
	dir := t.TempDir()
	rows := namedPositions(4, 3)
	rows[20].Game = 0
	writePositions(t, filepath.Join(dir, "data"), rows)
	err := Split(t.Context(), []string{filepath.Join(dir, "data")}, filepath.Join(dir, "out"),
		[]Part{{"a", 1}, {"b", 1}}, ByGame, Config{})
	if !errors.Is(err, dataset.ErrUngrouped) || !strings.Contains(err.Error(), "row 21") {
		t.Error(err)
	}
	for _, name := range []string{"a", "b"} {
		if _, err := os.Stat(filepath.Join(dir, "out", name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left behind", name)
		}
	}
	for _, parts := range [][]Part{{{"a", 1}}, {{"a", 1}, {"a", 1}}, {{"a", 1}, {"..", 1}}, {{"a", 1}, {"b", 0}},
		{{"a/b", 1}, {"b", 1}}, nil} {
		if err := CheckParts(parts); err == nil {
			t.Errorf("%v", parts)
		}
	}
}

// rowText is a row as a map key.
func rowText(r dataset.PositionRow) string { return fmt.Sprintf("%v", r) }

// The same rows come out in another order, the same for the same seed, whether they fit
// into memory or not, and whether or not the work was interrupted.
func TestShuffle(t *testing.T) {
	dir := t.TempDir()
	rows := namedPositions(6, 30)
	data := filepath.Join(dir, "data")
	writePositions(t, data, rows)
	for name, limits := range map[string]shuffleLimits{"small": {1 << 20, 128}, "large": {600, 256}} {
		out := filepath.Join(dir, name)
		run := func(ctx context.Context, out string, seed uint64, c Config) error {
			c.Seed = seed
			return shuffle(ctx, []string{data}, out, c, dataset.OpenPositions, limits)
		}
		setup.Check(t, run(t.Context(), out, 9, Config{}))
		got := readPositions(t, out)
		if slices.Equal(got, rows) || len(got) != len(rows) {
			t.Fatalf("%s: %d rows, shuffled: %v", name, len(got), !slices.Equal(got, rows))
		}
		count := map[string]int{}
		for i := range rows {
			count[rowText(rows[i])]++
			count[rowText(got[i])]--
		}
		for row, n := range count {
			if n != 0 {
				t.Fatalf("%s: %s is there %d times too often", name, row, -n)
			}
		}
		if entries, _ := filepath.Glob(filepath.Join(out, ".*")); len(entries) != 0 {
			t.Errorf("%v is left behind", entries)
		}
		again, other := out+"-again", out+"-other"
		ctx, cancel := context.WithCancel(t.Context())
		if err := run(ctx, again, 9, Config{Progress: func(_, _ int64, note string) {
			if note == "writing" {
				cancel()
			}
		}}); name == "large" && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if err := run(t.Context(), again, 9, Config{}); err != nil && !errors.Is(err, dataset.ErrComplete) {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(datatest.Files(t, out), datatest.Files(t, again)) {
			t.Errorf("%s: the same seed gives other bytes", name)
		}
		setup.Check(t, run(t.Context(), other, 10, Config{}))
		if slices.Equal(readPositions(t, other), got) {
			t.Errorf("%s: another seed gives the same order", name)
		}
	}
}

// Every row can come out anywhere: over many seeds the first row's place is uniform.
func TestShuffleIsUniform(t *testing.T) {
	if !datatest.Soak {
		t.Skip("writes many small data sets")
	}
	dir := t.TempDir()
	rows := namedPositions(7, 1)[:8]
	for i := range rows {
		rows[i].Ply = uint16(i)
	}
	data := filepath.Join(dir, "data")
	writePositions(t, data, rows)
	const rounds = 48
	var at [8]int
	for seed := range rounds {
		out := filepath.Join(dir, fmt.Sprint(seed))
		setup.Check(t, shuffle(t.Context(), []string{data}, out, Config{Seed: uint64(seed)}, dataset.OpenPositions,
			shuffleLimits{3, 100}))
		for i, r := range readPositions(t, out) {
			if r.Ply == 0 {
				at[i]++
			}
		}
	}
	chi := 0.0
	for _, n := range at {
		d := float64(n) - rounds/8
		chi += d * d / (rounds / 8)
	}
	if chi > 24.3 { // 7 degrees of freedom, 0.1 %
		t.Errorf("places of the first row: %v, chi-squared %.1f", at, chi)
	}
}

func writeGames(t testing.TB, dir string, rows []dataset.GameRow, opts ...dataset.WriterOption) {
	t.Helper()
	w, err := dataset.NewGameWriter(dir, dataset.WriterConfig{Seed: 7}, opts...)
	datatest.Write(t, w, err, rows)
}

func writePositions(t testing.TB, dir string, rows []dataset.PositionRow, opts ...dataset.WriterOption) {
	t.Helper()
	w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{Seed: 7}, opts...)
	datatest.Write(t, w, err, rows)
}

// positionsOf returns all positions of games, which they do not name.
func positionsOf(games []dataset.GameRow) (rows []dataset.PositionRow) {
	for _, g := range games {
		for i, game := range g.Replay() {
			p := *game.Position()
			r := dataset.PositionRow{Board: p, Ply: uint16(p.Ply()), Score: dataset.NoScore,
				Result: dataset.ResultOf(g.Result), Weight: 1}
			if i < len(g.Scores) {
				r.Score = g.Scores[i]
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func TestSummaryOfGames(t *testing.T) {
	games := datatest.Games[dataset.GameRow](31, 40)
	games = append(games, games[3]) // once more, under another name
	games[40].Game = 99
	dir := t.TempDir()
	writeGames(t, dir, games, dataset.ShardRows(5, 10))
	s := setup.Must(Summarize(t.Context(), dir, nil))
	var want Summary
	sum, played := 0.0, int64(0)
	openings := map[uint64]bool{}
	for _, g := range games {
		want.Plies.Sum += int64(len(g.Moves))
		sum += float64(dataset.ResultOf(g.Result))
		openings[g.Opening] = true
		played += int64(len(g.Moves) - int(g.OpeningPlies))
		for i, v := range g.Scores {
			if v == dataset.NoScore && i < int(g.OpeningPlies) {
				continue
			} else if v == dataset.NoScore {
				want.Unscored++
			} else if v > dataset.MaxScore || v < -dataset.MaxScore {
				want.Mates++
			}
		}
	}
	if s.Rows != 41 || s.Games != 41 || s.Duplicates != 1 || s.Openings != int64(len(openings)) ||
		s.Plies.Sum != want.Plies.Sum ||
		s.Unscored != want.Unscored || s.Mates != want.Mates || s.Results.Mean != sum/41 || !s.Verified ||
		!s.Complete || s.Shards != 5 {
		t.Errorf("summary %+v", s)
	}
	n := s.Unscored + s.Mates
	for _, b := range s.Scores {
		n += b.N
	}
	if n != played || s.Results.White+s.Results.Draw+s.Results.Black != 41 {
		t.Errorf("%d scores for %d plies; results %+v", n, played, s.Results)
	}
}

func TestSummaryOfPositions(t *testing.T) {
	rows := positionsOf(datatest.Games[dataset.GameRow](32, 20))
	keys := map[uint64]bool{}
	phases := [25]int64{}
	for i := range rows {
		keys[rows[i].Board.Key()] = true
		phases[eval.Phase(&rows[i].Board)]++
	}
	dir := t.TempDir()
	writePositions(t, dir, rows, dataset.ShardRows(64, 256))
	s := setup.Must(Summarize(t.Context(), dir, nil))
	if s.Rows != int64(len(rows)) || s.Duplicates != int64(len(rows)-len(keys)) || *s.Phases != phases ||
		s.Games != 20 || !s.GamesInferred {
		t.Errorf("summary %+v", s)
	}
}

// No games are inferred from rows in no order.
func TestNoGamesInferredFromRowsInNoOrder(t *testing.T) {
	rows := positionsOf(datatest.Games[dataset.GameRow](27, 20))
	datatest.Rand(27).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	dir := t.TempDir()
	writePositions(t, dir, rows)
	if s, err := Summarize(t.Context(), dir, nil); err != nil || s.Games != 0 || s.GamesInferred {
		t.Errorf("%+v, %v", s, err)
	}
}

// An interrupted data set is counted as far as its shards go.
func TestSummaryOfInterruptedData(t *testing.T) {
	dir := t.TempDir()
	games := datatest.Games[dataset.GameRow](37, 25)
	w := setup.Must(dataset.NewGameWriter(dir, dataset.WriterConfig{}, dataset.ShardRows(5, 10)))
	for i := range games {
		setup.Check(t, w.Append(&games[i]))
	}
	w.Close()
	s, err := Summarize(t.Context(), dir, nil)
	if err != nil || s.Complete || s.Rows != 20 {
		t.Fatalf("%+v, %v", s, err)
	}
	want := map[string]int64{}
	for _, g := range games[:20] {
		want[g.Termination]++
	}
	if !reflect.DeepEqual(s.Terminations, want) {
		t.Errorf("terminations %v", s.Terminations)
	}
}

// TestTally counts games that finish out of order.
func TestTally(t *testing.T) {
	game := func(opening uint64, white, black string, result int8, moves ...string) *dataset.GameRow {
		g := board.NewGame(board.StartPosition())
		for _, san := range moves {
			m := setup.Must(g.Position().ParseSAN(san))
			g.Push(m)
		}
		row := setup.Must(dataset.NewGameRow(g))
		row.Opening, row.White, row.Black = opening, white, black
		row.Result, row.Termination, row.OpeningPlies = result, "resign", 1
		return &row
	}
	c := NewTally()
	c.Add(1, game(7, "B", "A", 0, "e4", "e5", "Nf3"))
	if pairs := c.Pairs(); len(pairs) != 0 {
		t.Errorf("pairs %v before the first game is finished", pairs)
	}
	c.Add(0, game(7, "A", "B", 1, "e4", "e5", "Nf3"))
	c.Add(3, game(8, "B", "A", 1, "d4", "d5"))
	c.Add(2, game(8, "A", "B", -1, "d4", "Nf6"))
	c.Add(5, game(9, "B", "A", 1, "c4", "e5")) // its pair is not finished
	if got, want := c.Pairs(), [][2]int{{1, 0}, {-1, -1}}; !slices.Equal(got, want) {
		t.Errorf("pairs %v, want %v", got, want)
	}
	if c.Games != 5 || c.Plies != 7 || c.White != 3 || c.Draw != 1 || c.Lost != 1 || c.Repeated != 1 ||
		c.Terminations["resign"] != 5 || c.Lengths[0] != 5 || c.Phases[24] != 7 {
		t.Errorf("%+v", c)
	}
	if a := c.Standings["A"]; a.Games != 5 || a.Won != 1 || a.Drawn != 1 {
		t.Errorf("standing of A: %+v", a)
	}
	different, most, effective := c.Openings()
	if h := math.Exp(0.8*math.Log(2.5) + 0.2*math.Log(5)); different != 3 || most != 2 || math.Abs(effective-h) > 1e-9 {
		t.Errorf("openings: %d, %d, %v; want 3, 2, %v", different, most, effective, h)
	}
	// Searched positions: after e4, e5 (twice), d4 (twice), c4.
	if share, rate := c.RepeatedPositions(); math.Abs(share-3.0/7) > 1e-9 || rate != 1 {
		t.Errorf("repeated positions: %v of one key in %d", share, rate)
	}
}
