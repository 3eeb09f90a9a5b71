package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

func TestDetect(t *testing.T) {
	games, positions := t.TempDir(), t.TempDir()
	rows := randomGames(30, 3)
	writeAll(t, games, gamesCodec{}, smallGames, rows)
	writeAll(t, positions, positionsCodec{}, smallPositions, positionsOf(rows))
	for path, want := range map[string]string{
		games:     GamesFormat,
		positions: PositionsFormat,
		filepath.Join(games, "games-00000.arrow"):         GamesFormat,
		filepath.Join(positions, "positions-00000.arrow"): PositionsFormat,
	} {
		if got, err := Detect(path); got != want || err != nil {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
	if err := os.Remove(filepath.Join(games, durable.ManifestName)); err != nil {
		t.Fatal(err)
	}
	if got, err := Detect(games); got != GamesFormat || err != nil {
		t.Errorf("without manifest: %q, %v", got, err)
	}
	if _, err := Detect(t.TempDir()); !errors.Is(err, ErrNoData) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestSummaryOfGames(t *testing.T) {
	games := randomGames(31, 40)
	games = append(games, games[3]) // once more, under another name
	games[40].Game = 99
	dir := t.TempDir()
	writeAll(t, dir, gamesCodec{}, smallGames, games)
	s, err := Summarize(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var want Summary
	sum := 0.0
	openings := map[uint64]bool{}
	for _, g := range games {
		want.Plies.Sum += int64(len(g.Moves))
		sum += float64(ResultOf(g.Result))
		openings[g.Opening] = true
		for _, v := range g.Scores {
			if v == NoScore {
				want.Unscored++
			} else if v > MaxScore || v < -MaxScore {
				want.Mates++
			}
		}
	}
	if s.Rows != 41 || s.Games != 41 || s.Duplicates != 1 || s.Openings != int64(len(openings)) || s.Plies.Sum != want.Plies.Sum ||
		s.Unscored != want.Unscored || s.Mates != want.Mates || s.Results.Mean != sum/41 || !s.Verified || !s.Complete || s.Shards != 5 {
		t.Errorf("summary %+v", s)
	}
	n := s.Unscored + s.Mates
	for _, b := range s.Scores {
		n += b.N
	}
	if n != s.Plies.Sum || s.Results.White+s.Results.Draw+s.Results.Black != 41 {
		t.Errorf("%d scores for %d plies; results %+v", n, s.Plies.Sum, s.Results)
	}
}

func TestSummaryOfPositions(t *testing.T) {
	rows := positionsOf(randomGames(32, 20))
	keys := map[uint64]bool{}
	phases := [25]int64{}
	for i := range rows {
		rows[i].Game = 0
		keys[rows[i].Board.Key()] = true
		phases[eval.Phase(&rows[i].Board)]++
	}
	dir := t.TempDir()
	writeAll(t, dir, positionsCodec{}, smallPositions, rows)
	s, err := Summarize(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != int64(len(rows)) || s.Duplicates != int64(len(rows)-len(keys)) || *s.Phases != phases || s.Games != 20 || !s.GamesInferred {
		t.Errorf("summary %+v", s)
	}
}

func TestVerifyFindsEverythingWrong(t *testing.T) {
	dir := t.TempDir()
	games := randomGames(33, 40)
	games[17].Game = games[2].Game
	writeAll(t, dir, gamesCodec{}, smallGames, games)
	flipBit(t, filepath.Join(dir, "games-00000.arrow"), 9000)
	flipBit(t, filepath.Join(dir, "games-00003.arrow"), 9000)
	if err := os.WriteFile(filepath.Join(dir, "stray.arrow"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var problems []string
	v, err := Verify(t.Context(), dir, func(err error) { problems = append(problems, err.Error()) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The game that is there twice is not found: its twin's file is damaged.
	if v.OK() || v.Rows != 20 || v.BadFiles != 3 || v.BadRows != 0 || len(problems) != 3 {
		t.Errorf("%+v\n%s", v, strings.Join(problems, "\n"))
	}
	for i, want := range []string{"stray.arrow", "games-00000.arrow", "games-00003.arrow"} {
		if !strings.Contains(problems[i], want) {
			t.Errorf("problem %d: %s", i, problems[i])
		}
	}
}

func TestVerifyFindsGamesTwice(t *testing.T) {
	dir := t.TempDir()
	games := randomGames(34, 20)
	games[17].Game = games[2].Game
	writeAll(t, dir, gamesCodec{}, smallGames, games)
	var problems []error
	v, err := Verify(t.Context(), dir, func(err error) { problems = append(problems, err) }, nil)
	if err != nil || v.Rows != 19 || v.BadRows != 1 || len(problems) != 1 {
		t.Fatalf("%+v, %v, %v", v, problems, err)
	}
	var row *RowError
	if !errors.As(problems[0], &row) || row.Row != 7 || !strings.HasSuffix(row.File, "games-00001.arrow") || !errors.Is(row, ErrTwice) {
		t.Errorf("problem %v", problems[0])
	}
}

// unchecked writes rows as they are, as another program might.
type unchecked[R any] struct{ codec[R] }

func (unchecked[R]) check(*R) error { return nil }

func TestBadRowsOfOthersAreNamed(t *testing.T) {
	dir := t.TempDir()
	games := randomGames(35, 30)
	games[4].Result = 9
	games[12].Moves[3] = 0
	games[12].Termination = "x"
	games[29].OpeningPlies = 60000
	writeAll(t, dir, unchecked[GameRow]{gamesCodec{}}, smallGames, games)
	var problems []string
	v, err := Verify(t.Context(), dir, func(err error) { problems = append(problems, err.Error()) }, nil)
	if err != nil || v.Rows != 27 || v.BadRows != 3 || v.BadFiles != 0 {
		t.Fatalf("%+v, %v\n%s", v, err, strings.Join(problems, "\n"))
	}
	for i, want := range []string{"games-00000.arrow, row 4: result 9", "games-00001.arrow, row 2: ply 3: move 0", "games-00002.arrow, row 9: 60000 opening plies"} {
		if !strings.Contains(problems[i], want) {
			t.Errorf("problem %d: %s, want %s", i, problems[i], want)
		}
	}
	r, err := OpenGames(dir)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readAll(r)
	var row *RowError
	if len(rows) != 4 || !errors.As(err, &row) || row.Row != 4 {
		t.Errorf("a reader gives %d rows, then %v", len(rows), err)
	}
}

func TestPositionsThatCannotBeAreNamed(t *testing.T) {
	good := positionsOf(randomGames(36, 2))[:50]
	w, err := newWriter(t.TempDir(), testConfig, codec[PositionRow](unchecked[PositionRow]{positionsCodec{}}), smallPositions, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if i == 20 {
			good[i].Board = board.Position{}
		}
		if err := w.Append(&good[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(t.Context(), w.Dir(), nil, nil)
	if err != nil || v.Rows != 49 || v.BadRows != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := Summarize(t.Context(), w.Dir(), nil); err == nil || !strings.Contains(err.Error(), "row 20") {
		t.Errorf("summary: %v", err)
	}
}

func TestVerifyTellsOfInterruptedData(t *testing.T) {
	dir := t.TempDir()
	games := randomGames(37, 25)
	w, err := newWriter(dir, testConfig, codec[GameRow](gamesCodec{}), smallGames, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	for i := range games {
		if err := w.Append(&games[i]); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	v, err := Verify(t.Context(), dir, nil, nil)
	if err != nil || v.OK() || v.Rows != 20 || v.Complete {
		t.Errorf("%+v, %v", v, err)
	}
	s, err := Summarize(t.Context(), dir, nil)
	if err != nil || s.Complete || s.Rows != 20 {
		t.Errorf("%+v, %v", s, err)
	}
	if !reflect.DeepEqual(s.Terminations, terminationsOf(games[:20])) {
		t.Errorf("terminations %v", s.Terminations)
	}
}

func terminationsOf(games []GameRow) map[string]int64 {
	n := map[string]int64{}
	for _, g := range games {
		n[g.Termination]++
	}
	return n
}

// Keys are counted the same in memory and on disk, and no file is left behind.
func TestRepeats(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, limit := range []int{0, 1, 500} {
		rng := newRand(26)
		r := repeats{limit: limit}
		want := map[uint64]bool{}
		for range 20000 {
			key := rng.Uint64N(7000) * 0x9e3779b97f4a7c15
			want[key] = true
			if err := r.add(key); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := r.total(t.Context()); err != nil || n != int64(20000-len(want)) {
			t.Errorf("limit %d: %d, %v; want %d", limit, n, err, 20000-len(want))
		}
		r.close()
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
			t.Errorf("limit %d leaves %v, %v", limit, left, err)
		}
	}
}

// Rows in no order tell no games, and none are made up.
func TestRowsInNoOrderTellNoGames(t *testing.T) {
	rows := positionsOf(randomGames(27, 20))
	for i := range rows {
		rows[i].Game = 0
	}
	newRand(27).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	dir := t.TempDir()
	writeAll(t, dir, positionsCodec{}, positionsLayout, rows)
	if s, err := Summarize(t.Context(), dir, nil); err != nil || s.Games != 0 || s.GamesInferred {
		t.Errorf("%+v, %v", s, err)
	}
}
