package search_test

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/models"
)

// Search a position to a fixed depth with embedded weights.
func ExampleEngine_Search() {
	file, err := models.Embedded("shannon-1950")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, weights, err := file.Weights()
	if err != nil {
		fmt.Println(err)
		return
	}
	ev, err := model.NewEvaluator(weights)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := search.New(ev, 1) // MiB
	defer e.Close()

	position, err := board.ParseFEN("7k/8/R7/1R6/8/8/8/7K w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := e.Search(context.Background(), board.NewGame(position), engine.Limits{Depth: 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("depth", r.Depth, "mate in", engine.MateScore-r.Score, "plies")
	// Output: depth 6 mate in 3 plies
}
