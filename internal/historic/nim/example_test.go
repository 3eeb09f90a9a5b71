package nim_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/assay-chess/assay/internal/historic/nim"
)

// The first example of the chapter: one heap may be changed, and the last match loses.
func ExampleRules_Move() {
	rules := nim.Rules{K: 1}
	heaps := []int{7, 4, 3, 2}
	left, found := rules.Move(heaps, rand.New(rand.NewPCG(1, 0)))
	fmt.Println(heaps, "->", left, found)
	fmt.Println("column sums", nim.Sums(left), "safe", rules.Safe(left))
	// Output:
	// [7 4 3 2] -> [7 4 3 0] true
	// column sums [0 0 2 2 2] safe true
}
