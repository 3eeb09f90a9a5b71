package torres

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Player is torres-1890. It implements engine.Player and historic.Explainer.
type Player struct{ historic.Base }

// New returns the automaton.
func New() *Player { return &Player{} }

// Search implements engine.Player: it plays by the rules, or else the first legal move.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	root := game.Position()
	budget := historic.NewBudget(ctx, root.SideToMove(), lim)
	list := historic.RootMoves(root.LegalMoves(nil), lim)
	if len(list) == 0 {
		return budget.Finish(engine.Result{}), nil
	}
	r := engine.Unscored(list[0])
	if m, rule := answer(root); rule != 0 && len(historic.RootMoves([]board.Move{m}, lim)) > 0 {
		r = engine.Unscored(m)
	}
	return budget.Finish(r), nil
}

// Explain has the rule that applies, and its move.
func (p *Player) Explain(root *board.Position) (string, error) {
	m, rule := answer(root)
	if rule == 0 {
		return fmt.Sprintf("The automaton %v.\n", rule), nil
	}
	return fmt.Sprintf("Rule %d: %v. %s\n", int(rule), rule, root.SAN(m)), nil
}
