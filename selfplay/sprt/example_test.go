package sprt_test

import (
	"fmt"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// A sequential test of pairs of games: has it decided?
func ExampleTest_LLR() {
	test := sprt.Test{Elo0: 0, Elo1: 2, Model: sprt.Normalized, Alpha: 0.05, Beta: 0.05}
	pairs := sprt.Pentanomial{39, 2226, 31451, 2390, 40} // LL, LD, D, WD, WW
	llr, err := test.LLR(pairs)
	if err != nil {
		fmt.Println(err)
		return
	}
	lower, upper := test.Bounds()
	fmt.Printf("LLR %.2f (%.2f, %.2f): %v\n", llr, lower, upper, test.Status(llr))
	// Output: LLR 2.46 (-2.94, 2.94): continue
}

// Elo of a match of fixed length, with its 95 % interval.
func ExampleSummarize() {
	s := sprt.Summarize(sprt.Pentanomial{30, 200, 500, 260, 40})
	fmt.Printf("Elo %+.1f, 95 %% interval %+.1f to %+.1f, LOS %.1f %%\n", s.Elo, s.EloLo, s.EloHi, 100*s.LOS)
	// Output: Elo +13.5, 95 % interval +4.5 to +22.5, LOS 99.8 %
}

// How long will a test last, and how often will it pass?
func ExampleTest_Predict() {
	test := sprt.Test{Elo0: 0, Elo1: 5, Model: sprt.Normalized, Alpha: 0.05, Beta: 0.05}
	shape, err := sprt.IndependentGames(0.6, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, elo := range []float64{0, 2.5, 5} {
		p, err := test.Predict(shape, elo, false)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("true Elo %3.1f: passes %4.1f %%, %.0f games\n", elo, 100*p.Pass, p.Games)
	}
	// Output:
	// true Elo 0.0: passes  4.9 %, 25726 games
	// true Elo 2.5: passes 50.0 %, 42202 games
	// true Elo 5.0: passes 95.1 %, 25730 games
}
