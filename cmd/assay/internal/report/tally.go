package report

import (
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/tuner/stats"
)

// tally is what a page shows of the games of one folder.
type tally struct {
	*arrange.Tally
	scores stats.ScoreBins
	viewer *gallery
}

// add counts a game.
func (t *tally) add(number uint64, g *dataset.GameRow) {
	t.Tally.Add(number, g)
	for _, score := range g.Scores[min(int(g.OpeningPlies), len(g.Scores)):] {
		if score != dataset.NoScore {
			t.scores.Add(score, dataset.ResultOf(g.Result))
		}
	}
	t.scores.EndGame(dataset.ResultOf(g.Result))
	t.viewer.offer(number, g)
}

// san returns the moves of a game in standard algebraic notation.
func san(g *dataset.GameRow) ([]string, error) {
	position := board.StartPosition()
	if g.Start != "" {
		var err error
		if position, err = board.ParseFEN(g.Start); err != nil {
			return nil, fmt.Errorf("game %d: %w", g.Game, err)
		}
	}
	list := make([]string, len(g.Moves))
	for i, m := range g.Moves {
		if !position.IsLegal(m) {
			return nil, fmt.Errorf("game %d: move %d is not legal", g.Game, i+1)
		}
		list[i] = position.SAN(m)
		position.Make(m)
	}
	return list, nil
}
