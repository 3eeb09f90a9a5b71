package roster

import (
	"context"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// limited is a player whose searches always have the same limits.
type limited struct {
	engine.Player
	nodes uint64
	depth int
}

// Search replaces the limits in nodes, depth and time. The context, and what is
// searched and reported, stay the caller's.
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

// Ponders tells whether the player within goes on at ponderhit.
func (p *limited) Ponders() bool {
	within, ok := p.Player.(engine.Ponderer)
	return ok && within.Ponders()
}

// Unwrap returns the player within, whose limits are its own.
func (p *limited) Unwrap() engine.Player { return p.Player }

// Options returns the options of the player within, if it tells them.
func (p *limited) Options() []string {
	if o, ok := p.Player.(interface{ Options() []string }); ok {
		return o.Options()
	}
	return nil
}

// ShowParameters has the options of the player within tell its parameters, and says
// whether it has any.
func (p *limited) ShowParameters() bool { return ShowParameters(p.Player) }

// Start starts the player within, if it is one that has to be started.
func (p *limited) Start() error {
	if s, ok := p.Player.(interface{ Start() error }); ok {
		return s.Start()
	}
	return nil
}
