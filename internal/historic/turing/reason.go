package turing

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Reason implements historic.Reasoner, by the two parts of the rule for play: the greatest
// value, and among equals the greatest increase of the position-play value.
func (p *Player) Reason(ctx context.Context, game *board.Game, printed board.Move) (historic.Reason, error) {
	pos := game.Position()
	moves := pos.LegalMoves(nil)
	if len(moves) == 0 {
		return historic.Reason{}, errors.New("the game is over")
	}
	a := &analysis{player: p, machine: pos.SideToMove(), plies: p.plies, full: p.full}
	a.budget = historic.NewBudget(ctx, a.machine, engine.Limits{})
	all := a.choices(pos, moves)
	exact := a.choices(pos, []board.Move{printed})
	if len(all) < len(moves) || len(exact) == 0 {
		return historic.Reason{}, ctx.Err()
	}
	chosen, equal := pick(pos, all), 0
	for _, c := range all {
		if c.atMax {
			equal++
		}
	}
	r := historic.Reason{Move: chosen.move, Why: fmt.Sprintf("%s, the best of %d moves", p.measured(chosen.value),
		len(all))}
	if equal > 1 {
		r.Why = fmt.Sprintf("%s in %d moves; position-play %+.1f", p.measured(chosen.value), equal,
			increased(pos, chosen.move))
	}
	switch {
	case chosen.move == printed:
	case exact[0].value < chosen.value:
		r.Printed = fmt.Sprintf("%s: %s", pos.SAN(printed), p.measured(exact[0].value))
	default:
		r.Printed = fmt.Sprintf("%s: position-play %+.1f", pos.SAN(printed), increased(pos, printed))
	}
	return r, nil
}

// measured writes a value in the terms of the text.
func (p *Player) measured(v float64) string {
	if p.measure == difference {
		return fmt.Sprintf("W-B %+.1f", v)
	}
	return fmt.Sprintf("W/B %.4f", v)
}

// increased returns by how much a move raises the position-play value.
func increased(pos *board.Position, m board.Move) float64 { return float64(increase(pos, m)) / 10 }
