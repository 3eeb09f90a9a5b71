// Package random holds the two worst strategies that chess has: Shannon's examples in
// "Programming a Computer for Playing Chess", Philosophical Magazine 41 (1950),
// section 2, of a pure strategy, "number the possible legal moves in the position
// according to some standard procedure, choose the first on the list", and of a mixed
// one, "choose one at random from the list". They are the floor of every ladder.
//
// Faithful: both rules. Ours: the standard procedure is the paper's program T7, see
// shannon.List; chance is a seeded generator.
//
// Start reading at Player.Search.
package random

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
	"github.com/assay-chess/assay/engine/historic/shannon"
)

// Player is either strategy. It implements engine.Player and historic.Explainer.
type Player struct {
	mixed   bool
	seed    uint64
	option  int
	options historic.Options
}

// New returns the mixed strategy: every legal move is as probable as every other.
func New() *Player {
	p := &Player{mixed: true}
	// A GUI has no seed to give; with the option its games need not be all the same.
	p.options = historic.Options{historic.Number("Seed", &p.option, 0, 1<<30)}
	return p
}

// NewFirst returns the pure strategy: the first of the legal moves.
func NewFirst() *Player { return &Player{} }

// NewGame sets the seed of the game's chances.
func (p *Player) NewGame(seed uint64) error {
	p.seed = seed
	return nil
}

// Search chooses without any search: it makes no moves, and its score is nought.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	budget := historic.NewBudget(ctx, game.Position().SideToMove(), lim)
	list := historic.RootMoves(shannon.List(game.Position()), lim)
	if len(list) == 0 {
		return budget.Finish(engine.Result{}), nil
	}
	m := list[0]
	if p.mixed {
		// The choice depends on the seed and the position, not on earlier choices.
		rng := rand.New(rand.NewPCG(p.seed+uint64(p.option), game.Position().Key()+uint64(game.Position().Ply())))
		m = list[rng.IntN(len(list))]
	}
	return budget.Finish(engine.Result{Move: m, PV: []board.Move{m}}), nil
}

// Explain writes the numbered list of legal moves.
func (p *Player) Explain(w io.Writer, pos *board.Position) error {
	list := shannon.List(pos)
	text := "the first of the legal moves, as T7 lists them:\n"
	if p.mixed {
		text = fmt.Sprintf("any of %d legal moves, all with the same probability:\n", len(list))
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

// SetOption sets Seed, which is added to the seed of a game; the pure strategy has no
// options.
func (p *Player) SetOption(name, value string) error { return p.options.Set(name, value) }

// Options returns the options as UCI declares them.
func (p *Player) Options() []string { return p.options.Lines() }

// Close does nothing.
func (p *Player) Close() error { return nil }
