package prinz_test

import (
	"fmt"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic/prinz"
)

func ExampleSolve() {
	b, err := board.ParseFEN("7k/8/8/8/8/R7/1R6/6K1 w - - 0 1")
	if err != nil {
		panic(err)
	}
	position, err := prinz.New(&b)
	if err != nil {
		panic(err)
	}
	solution := prinz.Solve(position)
	fmt.Println(solution.Tried[len(solution.Tried)-1], solution.Found)
	// Output: Rook to 72. true
}
