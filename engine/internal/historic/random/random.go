// Package random holds the two simplest strategies, Shannon's examples in "Programming a
// Computer for Playing Chess", Philosophical Magazine 41 (1950), section 2: of a pure
// strategy, "number the possible legal moves in the position according to some standard
// procedure, choose the first on the list", and of a mixed one, "choose one at random from
// the list". Neither searches. They are the bottom of every rating list.
//
// Both rules are the paper's. The standard procedure is our choice, its program T7
// (shannon.List); the randomness is a seeded generator.
//
// Start reading at Player.Search.
package random

import (
	"context"
	"fmt"
	"io"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
	"github.com/assay-chess/assay/engine/internal/historic/shannon"
)

// Player is either strategy. It implements engine.Player and historic.Explainer.
type Player struct {
	historic.Base
	historic.Seeded
	mixed bool
}

// New returns the mixed strategy: every legal move has the same probability. Its option Seed
// is added to the seed of a game, since a GUI cannot set one.
func New() *Player {
	p := &Player{mixed: true}
	p.Settings = historic.Options{p.Seeded.Option()}
	return p
}

// NewFirst returns the pure strategy: the first of the legal moves.
func NewFirst() *Player { return &Player{} }

// NewGame sets the random seed of the game.
func (p *Player) NewGame(seed uint64) error { return p.Seeded.NewGame(seed) }

// Search chooses a move without searching or a score.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	budget := historic.NewBudget(ctx, game.Position().SideToMove(), lim)
	list := historic.RootMoves(shannon.List(game.Position()), lim)
	if len(list) == 0 {
		return budget.Finish(engine.Result{}), nil
	}
	m := list[0]
	if p.mixed {
		rng := p.RNG(game.Position().Key() + uint64(game.Position().Ply()))
		m = list[rng.IntN(len(list))]
	}
	return budget.Finish(engine.Unscored(m)), nil
}

// Explain writes the numbered list of legal moves.
func (p *Player) Explain(w io.Writer, pos *board.Position) error {
	list := shannon.List(pos)
	text := "the first legal move in the order of T7:\n"
	if p.mixed {
		text = fmt.Sprintf("one of %d legal moves, all with the same probability:\n", len(list))
	}
	if len(list) == 0 {
		text = "there is no legal move\n"
	}
	for i, m := range list {
		text += fmt.Sprintf("%3d  %s\n", i+1, pos.SAN(m))
	}
	_, err := io.WriteString(w, text)
	return err
}
