package match_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
)

// A match of 20 games in a folder. Called again, it plays nothing and returns the same
// result.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "match")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c := match.Config{
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 100}, Rule: selfplay.StandardAdjudication(),
				MaxPlies: 80, Seed: 1, Program: "example"},
			Place: selfplay.Place{Out: filepath.Join(dir, "m"), Open: toy.Open},
		},
		A: selfplay.Player{Spec: toy.Spec("a")}, B: selfplay.Player{Spec: toy.Spec("b")},
		Games: 20,
	}
	for range 2 {
		r, err := match.Run(context.Background(), c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("+%d =%d -%d, pairs %v, %s, already there: %v\n", r.Wins, r.Draws, r.Losses, r.Pentanomial, r.Verdict,
			r.Already)
	}
	// Output:
	// +1 =15 -4, pairs [0 4 5 1 0], undecided, already there: false
	// +1 =15 -4, pairs [0 4 5 1 0], undecided, already there: true
}
