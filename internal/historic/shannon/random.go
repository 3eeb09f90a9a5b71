package shannon

import (
	"context"
	"fmt"
	"io"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Lister plays by the two simplest strategies, the paper's examples in section 2: of a pure strategy, "number the possible
// legal moves in the position according to some standard procedure, choose the first on the list", and of a mixed one,
// "choose one at random from the list". Neither searches: they are the bottom of every rating list. The standard procedure
// is our choice, the program T7 of List; the randomness is a seeded generator.
type Lister struct {
	historic.Base
	historic.Seeded
	mixed bool
}

// NewRandom returns the mixed strategy: every legal move has the same probability. Its option Seed
// is added to the seed of a game, since a GUI cannot set one.
func NewRandom() *Lister {
	p := &Lister{mixed: true}
	p.Settings = historic.Options{p.Seeded.Option()}
	return p
}

// NewFirst returns the pure strategy: the first of the legal moves.
func NewFirst() *Lister { return &Lister{} }

// NewGame sets the random seed of the game.
func (p *Lister) NewGame(seed uint64) error { return p.Seeded.NewGame(seed) }

// Search chooses a move without searching or a score.
func (p *Lister) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	budget := historic.NewBudget(ctx, game.Position().SideToMove(), lim)
	list := historic.RootMoves(List(game.Position()), lim)
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
func (p *Lister) Explain(w io.Writer, pos *board.Position) error {
	list := List(pos)
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
