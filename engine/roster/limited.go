package roster

import (
	"context"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// limited is a player with its own limits in nodes and depth.
type limited struct {
	engine.Player
	nodes uint64
	depth int
}

// Search replaces the caller's limits in nodes, depth and time.
func (p *limited) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	return p.Player.Search(ctx, game, engine.Limits{
		Nodes:       p.nodes,
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

// Ponders implements engine.Ponderer for players that do.
func (p *limited) Ponders() bool {
	q, ok := p.Player.(engine.Ponderer)
	return ok && q.Ponders()
}

// Options implements engine.OptionLister for players that do.
func (p *limited) Options() []string {
	if q, ok := p.Player.(engine.OptionLister); ok {
		return q.Options()
	}
	return nil
}

// ShowParameters implements engine.ParameterLister for players that do.
func (p *limited) ShowParameters() bool {
	q, ok := p.Player.(engine.ParameterLister)
	return ok && q.ShowParameters()
}

// Start implements engine.Starter for players that do.
func (p *limited) Start() error {
	if q, ok := p.Player.(engine.Starter); ok {
		return q.Start()
	}
	return nil
}
