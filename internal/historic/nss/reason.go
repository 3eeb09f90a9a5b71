package nss

import (
	"context"
	"errors"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Reason implements historic.Reasoner: which goal proposes the chosen move and how, and which
// goal rejects the printed one.
func (p *Player) Reason(ctx context.Context, game *board.Game, printed board.Move) (historic.Reason, error) {
	pos := game.Position()
	played, whole := p.executive(ctx, pos, engine.Limits{}), p.executive(ctx, pos, engine.Limits{})
	if len(played.legal) == 0 {
		return historic.Reason{}, errors.New("the game is over")
	}
	whole.all = true
	played.run()
	whole.run()
	if played.budget.Stopped() || whole.budget.Stopped() {
		return historic.Reason{}, ctx.Err()
	}
	chosen := played.choose()
	r := historic.Reason{Move: chosen.move, Why: chosen.proposer() + ": " + chosen.why}
	if chosen.rejected >= 0 {
		r.Why = "none acceptable; best: " + chosen.why
	}
	if chosen.move != printed {
		r.Printed = pos.SAN(printed) + ": " + whole.against(printed)
	}
	return r, nil
}

// proposer names the goal that proposes the move.
func (x *alternative) proposer() string {
	if x.goal == len(goals) {
		return "no goal"
	}
	return goals[x.goal].name
}

// against says why a move is not chosen, once all proposals are analyzed.
func (e *executive) against(m board.Move) string {
	for _, x := range e.analyzed {
		switch {
		case x.move != m:
		case x.rejected >= 0:
			return "rejected by " + goals[x.rejected].name
		default:
			return "acceptable, but proposed later"
		}
	}
	return "no goal proposes it"
}
