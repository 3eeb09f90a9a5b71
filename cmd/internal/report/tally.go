package report

import (
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
)

// tally is what a page shows of the games of one folder.
type tally struct {
	*arrange.Tally
	folder string
	viewer *gallery
}

// add counts a game.
func (t *tally) add(number uint64, g *dataset.GameRow) {
	t.Tally.Add(number, g)
	t.viewer.offer(number, g)
}

// san returns the moves of a game in standard algebraic notation.
func san(g *dataset.GameRow) ([]string, error) {
	list := make([]string, 0, len(g.Moves))
	for i, game := range g.Replay() {
		if i == len(g.Moves) {
			return list, nil
		}
		if p := game.Position(); p.IsLegal(g.Moves[i]) {
			list = append(list, p.SAN(g.Moves[i]))
		}
	}
	return nil, fmt.Errorf("game %d cannot be replayed", g.Game)
}
