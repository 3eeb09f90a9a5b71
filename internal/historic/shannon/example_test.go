package shannon_test

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/historic/shannon"
)

// Type A, two moves of each side deep, finds a mate in two.
func ExampleNewA() {
	model, err := eval.Lookup("shannon-1950")
	if err != nil {
		panic(err)
	}
	player, err := shannon.NewA(eval.Weights{Model: model, Coefs: model.Start}) // the coefficients of the paper
	if err != nil {
		panic(err)
	}
	position, err := board.ParseFEN("7k/8/8/8/8/R7/1R6/6K1 w - - 0 1")
	if err != nil {
		panic(err)
	}
	result, err := player.Search(context.Background(), board.NewGame(position), engine.Limits{})
	if err != nil {
		panic(err)
	}
	fmt.Println(position.SAN(result.Move), "mates in", engine.MateScore-result.Score, "plies")
	// Output: Rb7 mates in 3 plies
}

// The moves of the start position in the order of the paper's program T7.
func ExampleList() {
	position := board.StartPosition()
	for _, m := range shannon.List(&position)[:6] {
		fmt.Print(position.SAN(m), " ")
	}
	// Output: Nc3 Na3 Nh3 Nf3 a3 a4
}
