package shannon

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
	"github.com/assay-chess/assay/eval"
)

// Player is either strategy. It implements engine.Player and historic.Explainer.
type Player struct {
	// Load serves the option EvalFile: it returns the weights that a value names, and
	// the player's own for none. Without it the option has no effect but an error.
	Load func(name string) (*eval.Model, []eval.Coef, error)

	typeB bool
	model *eval.Model
	w     []eval.Coef
	ev    eval.Evaluator // by w, scaled by style

	moves      int // type A: how many for each side
	least      int // type B: moves that every variation goes
	most       int // type B: moves that no variation goes beyond
	thresholds []int
	variation  int // centipawns within which moves are nearly equal
	style      int // per cent of the positional terms
	book       bool

	seed    uint64 // of the game
	more    int    // added to it
	table   table
	options historic.Options
}

// NewA returns the strategy of type A, two moves deep, which evaluates by the weights.
func NewA(m *eval.Model, w []eval.Coef) (*Player, error) {
	p := &Player{moves: 2, style: 100}
	return p.with(m, w, historic.Number("Moves", &p.moves, 1, 10))
}

// NewB returns the strategy of type B, which evaluates by the weights.
func NewB(m *eval.Model, w []eval.Coef) (*Player, error) {
	p := &Player{typeB: true, least: 2, most: 10, style: 100}
	if err := p.setThresholds(""); err != nil {
		return nil, err
	}
	return p.with(m, w,
		historic.Number("Least", &p.least, 1, 10),
		historic.Number("Most", &p.most, 1, 20),
		historic.Text("Thresholds", p.setThresholds))
}

func (p *Player) with(m *eval.Model, w []eval.Coef, own ...historic.Option) (*Player, error) {
	if err := p.evaluateBy(m, w, p.style); err != nil {
		return nil, err
	}
	style := p.style
	p.options = append(own,
		historic.Number("Variation", &p.variation, 0, 1000),
		historic.Number("Style", &style, 0, 1000).Then(func() error { return p.evaluateBy(p.model, p.w, style) }),
		historic.Switch("Book", &p.book),
		historic.Number("Seed", &p.more, 0, 1<<30),
		historic.Text("EvalFile", p.setEvalFile))
	return p, nil
}

// evaluateBy sets the weights and the style.
func (p *Player) evaluateBy(m *eval.Model, w []eval.Coef, style int) error {
	scaled := append([]eval.Coef(nil), w...)
	for i := range min(len(scaled), len(m.Terms)) {
		if m.Terms[i].Group != eval.GroupMaterial {
			scaled[i].MG = scaled[i].MG * int32(style) / 100
			scaled[i].EG = scaled[i].EG * int32(style) / 100
		}
	}
	ev, err := m.NewEvaluator(scaled)
	if err != nil {
		return err
	}
	p.model, p.w, p.ev, p.style = m, w, ev, style
	return nil
}

func (p *Player) setEvalFile(name string) error {
	if p.Load == nil {
		return fmt.Errorf("there is nothing to load %q with", name)
	}
	m, w, err := p.Load(name)
	if err != nil {
		return err
	}
	return p.evaluateBy(m, w, p.style)
}

// NewGame sets the seed of the game's chances, which statistical variation and the
// book take.
func (p *Player) NewGame(seed uint64) error {
	p.seed = seed
	return nil
}

// SetOption sets an option: see Options. Beside those it takes the names of the model's
// terms, with their weight in centipawns, so that games can tune f(P).
func (p *Player) SetOption(name, value string) error {
	i, ok := p.model.Term(name)
	if !ok {
		return p.options.Set(name, value)
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("%w %s: %q is not a whole number of centipawns", historic.ErrOption, name, value)
	}
	w := slices.Clone(p.w)
	w[i] = eval.Coef{MG: int32(n), EG: int32(n)}
	if err := p.evaluateBy(p.model, w, p.style); err != nil {
		return fmt.Errorf("%w %s: %w", historic.ErrOption, name, err)
	}
	return nil
}

// Options returns the options as UCI declares them: Moves (type A) or Least, Most
// (moves) and Thresholds (of h, by ply, the last for all deeper; type B), Variation
// (centipawns; 0 takes the first of the best moves), Style (per cent), Book, Seed (added to
// a game's, as a GUI has none to give) and EvalFile. High Style makes the paper's
// positional player; more of Least, Most and lower Thresholds its combination player.
func (p *Player) Options() []string { return p.options.Lines() }

// Close frees the table of positions.
func (p *Player) Close() error {
	p.table = table{}
	return nil
}

// Search chooses a move, as engine.Player says. Score and depth of a book move are 0.
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
			return s.budget.Finish(engine.Result{Move: m, PV: []board.Move{m}}), nil
		}
	}
	return s.budget.Finish(s.iterate(lim.Info)), nil
}

// chance is a generator that depends on seed and position alone.
func (s *search) rng() *rand.Rand {
	return rand.New(rand.NewPCG(s.player.seed+uint64(s.player.more), s.root.Key()+uint64(s.root.Ply())))
}
