package roster_test

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/roster"
)

// A specification is a name and settings. The same names serve the command line: assay
// match assay:nodes=2000 turing-1951.
func ExampleOpen() {
	spec, err := roster.Parse("assay:weights=shannon-1950:hash=1:depth=4")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := roster.Open(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	game := board.NewGame(board.StartPosition())
	if err := p.NewGame(1); err != nil {
		fmt.Println(err)
		return
	}
	r, err := p.Search(context.Background(), game, engine.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(game.Position().IsLegal(r.Move), "depth", r.Depth)

	_, err = roster.Parse("assay:depth=none")
	fmt.Println(err)
	// Output:
	// true depth 4
	// player "assay:depth=none": depth=none is not a number from 1 to 1048576
}

// The identity of a player names its weights by their id, whatever their file is called.
func ExampleIdentify() {
	id, _, err := roster.Identify(engine.Spec{Name: "assay", Weights: "shannon-1950", Nodes: 2000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(id), id[:len("assay:weights=")], id[len(id)-len(":nodes=2000"):])
	// Output: 37 assay:weights= :nodes=2000
}
