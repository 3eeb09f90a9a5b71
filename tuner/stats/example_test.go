package stats_test

import (
	"fmt"

	"github.com/assay-chess/assay/tuner/stats"
)

// Reports have null where a number is not known, as the standard error of two games.
func ExampleFloat_UnmarshalJSON() {
	for _, text := range []string{"1.5", "null"} {
		var se stats.Float
		if err := se.UnmarshalJSON([]byte(text)); err != nil {
			fmt.Println(err)
		}
		fmt.Println(se, se.Known())
	}
	// Output:
	// 1.5 true
	// NaN false
}
