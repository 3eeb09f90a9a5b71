package learn_test

import (
	"fmt"

	"github.com/assay-chess/assay/tuner/learn"
)

// Two generations, the first of 1,000 games at 1,000 nodes a move, and a hundredth of
// that to try it out.
func ExampleDefaultPlan() {
	plan := learn.DefaultPlan(2, 1000, 1000, 1)
	small := plan.Scaled(0.01)
	for i, g := range plan.Generations {
		fmt.Printf("generation %d: %d games, lambda %v, gate of at most %d games; scaled %d and %d\n",
			i+1, g.Games, g.Lambda, g.Gate.Games, small.Generations[i].Games, small.Generations[i].Gate.Games)
	}
	// Output:
	// generation 1: 1000 games, lambda 0.3, gate of at most 200 games; scaled 20 and 2
	// generation 2: 1200 games, lambda 0.3, gate of at most 200 games; scaled 20 and 2
}
