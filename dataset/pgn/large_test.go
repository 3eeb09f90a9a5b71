//go:build experiment

package pgn

import (
	"os"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func TestAllHumanGames(t *testing.T) {
	f := setup.Must(os.Open("../../../shared/data/pgn/lichess-438-games.pgn"))
	defer f.Close()
	games, plies := 0, 0
	for g, err := range Read(f) {
		setup.Check(t, err)
		games++
		plies += len(g.Row.Moves)
	}
	if games != 438 {
		t.Errorf("%d games of 438, %d plies", games, plies)
	}
}
