package shannon

import (
	"context"
	"math/rand/v2"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Player is either strategy. It implements engine.Player and historic.Explainer.
type Player struct {
	historic.Seeded
	historic.Weighted
	typeB bool
	ev    engine.Rooted // of the weights, scaled by style

	moves      int   // type A: depth in moves of each side
	least      int   // type B: least length of a variation, in moves
	most       int   // type B: greatest length of a variation, in moves
	thresholds []int // type B: least h of a move, by ply
	variation  int   // centipawns within which moves are nearly equal
	style      int   // weight of the positional terms, in percent
	book       bool

	table historic.Table
}

// NewA returns the strategy of type A, two moves deep, with an evaluation.
func NewA(w engine.Weights) (*Player, error) {
	p := &Player{moves: 2, style: 100}
	return p.with(w, historic.Number("Moves", &p.moves, 1, 10))
}

// NewB returns the strategy of type B with an evaluation.
func NewB(w engine.Weights) (*Player, error) {
	p := &Player{typeB: true, least: 2, most: 10, style: 100}
	if err := p.setThresholds(""); err != nil {
		return nil, err
	}
	return p.with(w,
		historic.Number("Least", &p.least, 1, 10),
		historic.Number("Most", &p.most, 1, 20),
		historic.Text("Thresholds", p.setThresholds))
}

func (p *Player) with(w engine.Weights, own ...historic.Option) (*Player, error) {
	p.Use = func(w engine.Weights) error { return p.setEvaluation(w, p.style) }
	style := p.style
	p.Settings = append(own,
		historic.Number("Variation", &p.variation, 0, 1000),
		historic.Number("Style", &style, 0, 1000).Then(func() error { return p.setEvaluation(p.Weights, style) }),
		historic.Switch("Book", &p.book),
		p.Seeded.Option(),
		p.EvalFile())
	return p, p.Use(w)
}

// setEvaluation sets the weights and the style.
func (p *Player) setEvaluation(w engine.Weights, style int) error {
	ev, err := w.Evaluator(style)
	if err == nil {
		p.Weights, p.ev, p.style = w, ev, style
	}
	return err
}

// Options returns the UCI declarations of the options.
//
//   - Moves: depth of type A, in moves of each side.
//   - Least, Most: length of the variations of type B, in moves of each side.
//   - Thresholds: least h of the moves of type B, by ply; the last is for all deeper plies.
//   - Variation: margin of nearly equal moves in centipawns; 0 plays the first best move.
//   - Style: weight of the positional terms in percent.
//   - Book: play from the opening book.
//   - Seed: added to the seed of a game, since a GUI cannot set one.
//   - EvalFile: weights.
//
// A high Style makes the paper's positional player; higher Least and Most with lower
// Thresholds make its combination player.
func (p *Player) Options() []string { return p.Weighted.Options() }

// Close frees the table of positions.
func (p *Player) Close() error {
	p.table = historic.Table{}
	return nil
}

// Search implements engine.Player. A book move has no score, and depth 0.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	s := p.newSearch(ctx, game.Position(), lim)
	if len(s.list) == 0 {
		return s.budget.Finish(engine.Result{}), nil
	}
	if p.book {
		b, err := ownBook()
		if err != nil {
			return engine.Result{}, err
		}
		if m, ok := b.Move(game.Position(), s.list, s.rng()); ok {
			return s.budget.Finish(engine.Unscored(m)), nil
		}
	}
	return s.budget.Finish(s.iterate(lim.Info)), nil
}

// rng returns a generator that depends only on the seed and the position.
func (s *search) rng() *rand.Rand { return s.player.RNG(s.root.Key() + uint64(s.root.Ply())) }
