package turing

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// The printed game starts with e4 and the figure 4.2, the increase in position-play value. By
// the rules e3 has more.
func ExamplePlayer_Search() {
	position := board.StartPosition()
	e4, err := position.ParseSAN("e4")
	if err != nil {
		panic(err)
	}
	result, err := New().Search(context.Background(), board.NewGame(position), engine.Limits{})
	if err != nil {
		panic(err)
	}
	for _, m := range []board.Move{e4, result.Move} {
		fmt.Printf("%s %+.1f\n", position.SAN(m), float64(increase(&position, m))/10)
	}
	// Output:
	// e4 +4.2
	// e3 +4.4
}
