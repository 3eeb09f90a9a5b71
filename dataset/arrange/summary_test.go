package arrange

import (
	"reflect"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
)

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
		rows[i].Game = 0
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

func terminationsOf(games []dataset.GameRow) map[string]int64 {
	n := map[string]int64{}
	for _, g := range games {
		n[g.Termination]++
	}
	return n
}

// No games are inferred from rows in no order.
func TestNoGamesInferredFromRowsInNoOrder(t *testing.T) {
	rows := positionsOf(datatest.Games[dataset.GameRow](27, 20))
	for i := range rows {
		rows[i].Game = 0
	}
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
	if !reflect.DeepEqual(s.Terminations, terminationsOf(games[:20])) {
		t.Errorf("terminations %v", s.Terminations)
	}
}
