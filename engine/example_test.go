package engine_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// greedy is a player that makes the capture that wins most material, or else the first
// legal move.
type greedy struct{}

var _ engine.Player = greedy{}

func (greedy) NewGame(uint64) error { return nil }
func (greedy) Close() error         { return nil }

func (greedy) SetOption(name, _ string) error {
	return fmt.Errorf("option %q is unknown", name)
}

func (greedy) Search(_ context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	p := game.Position()
	var r engine.Result
	for _, m := range p.LegalMoves(nil) {
		if gain := engine.Score(p.SEE(m)); r.Move == board.NullMove || gain > r.Score {
			r.Move, r.Score, r.PV = m, gain, []board.Move{m}
		}
		r.Nodes++
	}
	return r, nil
}

// A player chooses moves. This one can play matches, and serve a GUI by uci.Server.
func ExamplePlayer() {
	var p engine.Player = greedy{}
	position, err := board.ParseFEN("4k3/8/8/3q1r2/4P3/8/8/4K3 w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := p.Search(context.Background(), board.NewGame(position), engine.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(position.SAN(r.Move), r.Score)
	_, lists := p.(engine.OptionLister)
	fmt.Println("lists its options:", lists)
	fmt.Println(strings.HasPrefix(p.SetOption("Hash", "1").Error(), "option"))
	// Output:
	// exd5 800
	// lists its options: false
	// true
}
