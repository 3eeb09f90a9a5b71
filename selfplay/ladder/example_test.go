package ladder_test

import (
	"fmt"
	"math"

	"github.com/assay-chess/assay/selfplay/ladder"
)

// Three players rated by pairs of games; the mean of all is 0.
func ExampleTable_Fit() {
	table := ladder.NewTable(3)
	for i := range 50 {
		first, second := 1-i%2, -(i % 3 / 2) // White's view: the first player wins half of its games with White
		for _, pair := range [][2]int{{0, 1}, {1, 2}} {
			if err := table.Add(pair[0], pair[1], first, second); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	fit, err := table.Fit(-1, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 3 {
		fmt.Printf("player %d: %+.0f ± %.0f\n", i, math.Round(fit.Elo(i))+0, 1.96*fit.Error(i))
	}
	// Output:
	// player 0: +72 ± 27
	// player 1: +0 ± 5
	// player 2: -72 ± 27
}
