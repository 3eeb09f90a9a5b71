package draughts_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/assay-chess/assay/internal/historic/draughts"
)

// The machine's sixth turn of the printed game: it captures two men.
func ExampleStrategy_Choose() {
	position := draughts.Position{B: 0x00008C7F, W: 0xFD430200}
	choice, ok := draughts.Strategy2().Choose(&position, rand.New(rand.NewPCG(1, 0)))
	fmt.Println(choice.Move, ok)
	// Output:
	// 6-20(16,9) true
}
