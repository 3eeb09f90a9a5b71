//go:build experiment

package pgn

import (
	"os"
	"testing"
)

func TestAllHumanGames(t *testing.T) {
	f, err := os.Open("../../../shared/data/pgn/lichess-438-games.pgn")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	games, plies := 0, 0
	for g, err := range Read(f) {
		if err != nil {
			t.Fatal(err)
		}
		games++
		plies += len(g.Row.Moves)
	}
	if games != 438 {
		t.Errorf("%d games of 438, %d plies", games, plies)
	}
}
