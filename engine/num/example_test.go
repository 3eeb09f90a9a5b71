package num_test

import (
	"encoding/json"
	"fmt"

	"github.com/assay-chess/assay/engine/num"
)

// Results have null where a number is not known, as the standard error of two games.
func ExampleFloat_UnmarshalJSON() {
	for _, text := range []string{"1.5", "null"} {
		var se num.Float
		if err := json.Unmarshal([]byte(text), &se); err != nil {
			fmt.Println(err)
		}
		fmt.Println(se, se.Known())
	}
	// Output:
	// 1.5 true
	// NaN false
}
