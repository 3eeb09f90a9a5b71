package machack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Reason implements historic.Reasoner: the value of the chosen move and its place in the list
// of the plausible move generator, and the same of the printed one. The value of that is of a
// search of this move alone: a search of all finds only whether it is better.
func (p *Player) Reason(ctx context.Context, game *board.Game, printed board.Move) (historic.Reason, error) {
	pos := *game.Position()
	moves := pos.LegalMoves(nil)
	if len(moves) == 0 {
		return historic.Reason{}, errors.New("the game is over")
	}
	chosen, err := p.Search(ctx, game, engine.Limits{})
	if err != nil || ctx.Err() != nil {
		return historic.Reason{}, errors.Join(err, ctx.Err())
	}
	var g generator
	list := g.list(&pos, moves, nil)
	r := historic.Reason{Move: chosen.Move, Why: "from the book"}
	if chosen.Depth > 0 {
		r.Why = fmt.Sprintf("%s; plausibility %s", pawns(int(chosen.Score)), place(list, chosen.Move))
	}
	if chosen.Move == printed {
		return r, nil
	}
	alone, err := p.Search(ctx, game, engine.Limits{SearchMoves: []board.Move{printed}})
	if err != nil || ctx.Err() != nil {
		return historic.Reason{}, errors.Join(err, ctx.Err())
	}
	r.Printed = fmt.Sprintf("%s: %s alone; plausibility %s", pos.SAN(printed), pawns(int(alone.Score)),
		place(list, printed))
	return r, nil
}

// place returns a move's place in the generator's list: "2 of 31".
func place(list []candidate, m board.Move) string {
	at := slices.IndexFunc(list, func(c candidate) bool { return c.move == m })
	return fmt.Sprintf("%d of %d", at+1, len(list))
}
