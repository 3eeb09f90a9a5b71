package spsa_test

import (
	"fmt"
	"math"

	"github.com/assay-chess/assay/tuner/spsa"
)

// Ask and tell: the caller compares the two sets of values of each iteration, here by a
// function with its top at 300 instead of by games.
func ExampleTuner() {
	height := func(x float64) float64 { return -math.Abs(x-300) / 40 }
	tuner, err := spsa.New(spsa.Config{
		Parameters: []spsa.Parameter{{Name: "knight", Start: 500, Min: 0, Max: 1000, CEnd: 20, REnd: 0.05,
			Integer: true}},
		Iterations: 400, Ahead: 1, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := 1; k <= 400; k++ {
		trial, err := tuner.Ask(k)
		if err != nil {
			fmt.Println(err)
			return
		}
		points := height(trial.Plus[0]) - height(trial.Minus[0])
		if err := tuner.Tell(k, points, 2); err != nil {
			fmt.Println(err)
			return
		}
	}
	answer := tuner.Estimates()[0]
	fmt.Printf("%s: from %.0f to %.0f\n", answer.Name, answer.Start, answer.Value)
	// Output: knight: from 500 to 300
}
