package arrange

import (
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
)

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

// positionsOf returns all positions of games, with labels of every kind.
func positionsOf(games []dataset.GameRow) (rows []dataset.PositionRow) {
	for _, g := range games {
		for i, game := range g.Replay() {
			p := *game.Position()
			r := dataset.PositionRow{Board: p, Ply: uint16(p.Ply()), Score: dataset.NoScore,
				Result: dataset.ResultOf(g.Result), Weight: 1}
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
