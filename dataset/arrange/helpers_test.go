package arrange

import (
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
)

func randomGames(seed uint64, n int) []dataset.GameRow {
	var rows []dataset.GameRow
	for _, g := range datatest.Games(seed, n) {
		rows = append(rows, dataset.GameRow(g))
	}
	return rows
}

// readAll reads a data set to the end, or to the first error.
func readAll[R any](r *dataset.Reader[R]) (rows []R, err error) {
	for row, err := range r.All() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// write writes rows as a complete data set.
func write[R any](t testing.TB, w *dataset.Writer[R], err error, rows []R) {
	t.Helper()
	for i := range rows {
		if err == nil {
			err = w.Append(&rows[i])
		}
	}
	if err == nil {
		_, err = w.Finish(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeGames(t testing.TB, dir string, rows []dataset.GameRow, opts ...dataset.WriterOption) {
	t.Helper()
	w, err := dataset.NewGameWriter(dir, dataset.WriterConfig{Seed: 7}, opts...)
	write(t, w, err, rows)
}

func writePositions(t testing.TB, dir string, rows []dataset.PositionRow, opts ...dataset.WriterOption) {
	t.Helper()
	w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{Seed: 7}, opts...)
	write(t, w, err, rows)
}

// positionsOf returns all positions of games, with labels of every kind.
func positionsOf(games []dataset.GameRow) (rows []dataset.PositionRow) {
	for _, g := range games {
		for i, game := range g.Replay() {
			p := *game.Position()
			r := dataset.PositionRow{Board: p, Ply: uint16(p.Ply()), Score: dataset.NoScore, Result: dataset.ResultOf(g.Result), Weight: 1}
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
