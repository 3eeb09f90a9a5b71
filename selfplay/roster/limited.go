package roster

import (
	"context"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// limit returns the player with the limits of its specification, or as it is if there are none.
func limit(p engine.Player, spec engine.Spec) engine.Player {
	if spec.Nodes == 0 && spec.Depth == 0 {
		return p
	}
	return &limited{p, spec.Nodes, spec.Depth}
}

// limited is a player with its own limits.
type limited struct {
	engine.Player
	nodes uint64
	depth int
}

// Search replaces the caller's limits in nodes, depth and time, but not whether nodes are exact.
func (p *limited) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	return p.Player.Search(ctx, game, engine.Limits{
		Nodes:       p.nodes,
		HardNodes:   lim.HardNodes,
		Depth:       p.depth,
		Infinite:    lim.Infinite,
		Ponder:      lim.Ponder,
		PonderHit:   lim.PonderHit,
		MultiPV:     lim.MultiPV,
		SearchMoves: lim.SearchMoves,
		Info:        lim.Info,
	})
}

// Unwrap implements engine.Wrapper.
func (p *limited) Unwrap() engine.Player { return p.Player }
