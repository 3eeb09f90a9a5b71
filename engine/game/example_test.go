package game_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/assay-chess/assay/engine/game"
	"github.com/assay-chess/assay/engine/historic/nim"
)

// play plays a game of any kind, always by the first legal move.
func play[P any, M comparable](rules game.Rules[P, M]) {
	p := rules.Start(rand.New(rand.NewPCG(1, 0)))
	for {
		moves := rules.Moves(&p, nil)
		if result, over := rules.Over(&p, len(moves)); over {
			fmt.Println("result for the first player:", result)
			return
		}
		fmt.Print(rules.MoveText(&p, moves[0]), " ")
		rules.Make(&p, moves[0])
	}
}

func ExampleRules() {
	play(nim.Learned{})
	// Output: A0 B0 C0 D0 result for the first player: -1
}
