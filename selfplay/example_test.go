package selfplay_test

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Four games of a player against itself, each from a random opening of its own, in the
// order of their numbers. toy.Open opens a weak test player; roster.Open opens the players
// of this project and external engines.
func ExampleSeries() {
	openings, err := opening.Spec{Plies: 6}.Open(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	limits := selfplay.Limits{Nodes: 100}
	series := selfplay.Series{
		Runner:     &selfplay.Local{Open: toy.Open, Workers: 2},
		Openings:   openings,
		PerOpening: 1,
		End:        4,
		Job: func(game uint64) selfplay.Job {
			return selfplay.Job{Players: toy.Specs("toy", "toy"), Limits: [2]selfplay.Limits{limits, limits}, Plies: 80,
				Seed: selfplay.Seed(1, 0, "example", game)}
		},
		Deliver: func(number uint64, games []selfplay.Result) error {
			g := &games[0]
			fmt.Printf("game %d: %d plies, %s\n", number, len(g.Moves), g.Termination)
			return nil
		},
	}
	if _, err := series.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// game 0: 80 plies, repetition
	// game 1: 86 plies, move-limit
	// game 2: 79 plies, repetition
	// game 3: 78 plies, repetition
}
