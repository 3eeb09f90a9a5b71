package roster

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// limits are those of a player's own; 0 means none.
type limits struct {
	nodes uint64
	depth int
}

// set takes the setting nodes or depth of a specification.
func (l *limits) set(key, value string) error {
	if key == "depth" {
		n, err := positive(key, value, 1<<20)
		l.depth = n
		return err
	}
	n, err := positive(key, value, 1<<60)
	l.nodes = uint64(n)
	return err
}

// String returns the settings as the end of a specification, each after a colon.
func (l limits) String() (text string) {
	if l.nodes > 0 {
		text += fmt.Sprintf(":nodes=%d", l.nodes)
	}
	if l.depth > 0 {
		text += fmt.Sprintf(":depth=%d", l.depth)
	}
	return text
}

// limit returns the player with the limits, or as it is if there are none.
func (l limits) limit(p engine.Player) engine.Player {
	if l == (limits{}) {
		return p
	}
	return &limited{p, l}
}

// limited is a player with its own limits.
type limited struct {
	engine.Player
	limits
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
