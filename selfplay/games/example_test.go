package games_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/assay-chess/assay/engine/historic/nim"
	"github.com/assay-chess/assay/selfplay/games"
)

// Play a match of 20 games between the start weights and others.
func ExampleSeries_Match() {
	g := games.New(nim.Learned{})
	start, err := g.Weights(g.StartFile())
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "match-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	other := make([]int32, len(start))
	copy(other, start)
	other[0] += 50
	s := games.Series{
		Game: g, Dir: dir, Games: 20, Depth: 2, Seed: 1, Stage: "example",
		A: games.Player{Name: "other", ID: "a", Weights: other},
		B: games.Player{Name: "start", ID: "b", Weights: start},
	}
	r, err := s.Match(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d games, score %.2f\n", r.Games, r.Score)
	// Output: 20 games, score 0.30
}
