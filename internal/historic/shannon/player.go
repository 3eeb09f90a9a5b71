package shannon

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/historic"
)

// Player is either strategy. It implements engine.Player and historic.Explainer. A high Style makes the paper's
// positional player; higher Least and Most with lower Thresholds make its combination player.
type Player struct {
	historic.Seeded
	historic.Weighted
	typeB bool
	ev    engine.RootedEvaluator // of the weights, scaled by style

	moves      int   // type A: depth in moves of each side
	least      int   // type B: least length of a variation, in moves
	most       int   // type B: greatest length of a variation, in moves
	thresholds []int // type B: least h of a move, by ply
	variation  int   // centipawns within which moves are nearly equal
	style      int   // weight of the positional terms, in percent
	book       bool
	types      bool // type B: investigate what type positions suggest first

	table historic.Table
}

// NewA returns the strategy of type A, two moves deep, with an evaluation.
func NewA(w eval.Weights) (*Player, error) {
	p := &Player{moves: 2, style: 100}
	return p.with(w, historic.Number("Moves", &p.moves, 1, 10))
}

// NewB returns the strategy of type B with an evaluation.
func NewB(w eval.Weights) (*Player, error) {
	p := &Player{typeB: true, least: 2, most: 10, style: 100}
	if err := p.setThresholds(""); err != nil {
		return nil, err
	}
	return p.with(w,
		historic.Number("Least", &p.least, 1, 10),
		historic.Number("Most", &p.most, 1, 20),
		historic.Text("Thresholds", p.setThresholds),
		historic.Switch("Types", &p.types))
}

func (p *Player) with(w eval.Weights, own ...historic.Option) (*Player, error) {
	p.Use = func(w eval.Weights) error { return p.setEvaluation(w, p.style) }
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
func (p *Player) setEvaluation(w eval.Weights, style int) error {
	ev, err := w.Evaluator(style)
	if err == nil {
		p.Weights, p.ev, p.style = w, ev, style
	}
	return err
}

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
	if p.types {
		if r, ok := s.investigate(); ok {
			return s.budget.Finish(r), nil
		}
	}
	return s.budget.Finish(s.iterate(true)), nil
}

// rng returns a generator that depends only on the seed and the position.
func (s *search) rng() *rand.Rand { return s.player.RNG(s.root.Key() + uint64(s.root.Ply())) }

// bookText is our choice of the openings that section 7 asks for: "a number of the standard
// openings stored in a slow-speed memory", followed until the opponent deviates or the
// line ends. "Perhaps a few hundred would be satisfactory."
//
//go:embed book.txt
var bookText string

var ownBook = sync.OnceValues(func() (historic.Book, error) { return historic.ParseBook(bookText) })

// Lister plays by the two simplest strategies, the paper's examples in section 2: of a pure strategy, "number the
// possible legal moves in the position according to some standard procedure, choose the first on the list", and of a
// mixed one, "choose one at random from the list". Neither searches: they are the bottom of every rating list. The
// standard procedure is our choice, the program T7 of List; the randomness is a seeded generator.
type Lister struct {
	historic.Base
	historic.Seeded
	mixed bool
}

// NewRandom returns the mixed strategy: every legal move has the same probability. Its option Seed
// is added to the seed of a game, since a GUI cannot set one.
func NewRandom() *Lister {
	p := &Lister{mixed: true}
	p.Settings = []historic.Option{p.Seeded.Option()}
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

// Explain has the numbered list of legal moves.
func (p *Lister) Explain(pos *board.Position) (string, error) {
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
	return text, nil
}
