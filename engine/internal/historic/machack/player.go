package machack

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
	"github.com/assay-chess/assay/eval"
)

// bookText is our small book. The program's own had over 5,000 moves, chosen by a master to
// suit its style; the paper shows one of its lines, the first in this book.
//
//go:embed book.txt
var bookText string

var ownBook = sync.OnceValues(func() (historic.Book, error) { return historic.ParseBook(bookText) })

// Player is machack-1967. It implements engine.Player and historic.Explainer.
type Player struct {
	// Load opens the weights that the option EvalFile names, or the player's own weights for
	// "". Without it setting EvalFile is an error.
	Load func(name string) (*eval.Model, []eval.Coef, error)

	model *eval.Model
	w     []eval.Coef
	ev    eval.Rooted

	plies     int
	width     string
	feedover  int
	secondary bool
	book      bool
	options   historic.Options

	seed    uint64 // of the game
	addSeed int    // the option Seed, added to it
	table   hash
	search  search
}

// New returns the program with its tournament settings and the weights of an evaluation,
// whose evaluator must implement eval.Rooted, as that of machack-1967 does.
func New(m *eval.Model, w []eval.Coef) (*Player, error) {
	p := &Player{plies: 5, width: "tournament", feedover: 2, secondary: true, book: true}
	if err := p.setEvaluation(m, w); err != nil {
		return nil, err
	}
	p.options = historic.Options{
		historic.Number("Plies", &p.plies, 1, 20),
		historic.Choice("Width", &p.width, "tournament", "normal"),
		historic.Number("Feedover", &p.feedover, 0, 10),
		historic.Switch("Secondary", &p.secondary),
		historic.Switch("Book", &p.book),
		historic.Number("Seed", &p.addSeed, 0, 1<<30),
		historic.Text("EvalFile", p.setEvalFile),
	}
	return p, nil
}

func (p *Player) setEvaluation(m *eval.Model, w []eval.Coef) error {
	ev, err := m.NewEvaluator(w)
	if err != nil {
		return err
	}
	rooted, ok := ev.(eval.Rooted)
	if !ok {
		return fmt.Errorf("the evaluation of model %s does not depend on the root of the search", m.Name)
	}
	p.model, p.w, p.ev = m, w, rooted
	return nil
}

func (p *Player) setEvalFile(name string) error {
	if p.Load == nil {
		return fmt.Errorf("this player cannot load %q", name)
	}
	m, w, err := p.Load(name)
	if err != nil {
		return err
	}
	return p.setEvaluation(m, w)
}

// NewGame sets the random seed of the choice among book moves.
func (p *Player) NewGame(seed uint64) error {
	p.seed = seed
	return nil
}

// SetOption sets one of Options. It also accepts the name of a term of the model, with a
// weight in centipawns, so that S can be tuned by playing games.
func (p *Player) SetOption(name, value string) error {
	w, ok, err := p.model.SetWeight(p.w, name, value)
	if !ok {
		return p.options.Set(name, value)
	}
	if err == nil {
		err = p.setEvaluation(p.model, w)
	}
	if err != nil {
		return fmt.Errorf("%w %s: %w", historic.ErrOption, name, err)
	}
	return nil
}

// Options returns the UCI declarations of the options: Plies (depth of the basic search),
// Width (tournament or normal), Feedover (greatest number of plies), Secondary (the
// secondary search), Book, Seed (added to the seed of a game, since a GUI cannot set one)
// and EvalFile (weights).
func (p *Player) Options() []string { return p.options.Lines() }

// Stats returns the statistics of the last search.
func (p *Player) Stats() Stats { return p.search.stats }

// Close frees the hash table.
func (p *Player) Close() error {
	p.table, p.search = nil, search{}
	return nil
}

// Search implements engine.Player. A book move has no score, and depth 0.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	root := *game.Position()
	budget := historic.NewBudget(ctx, root.SideToMove(), lim)
	list := historic.RootMoves(root.LegalMoves(nil), lim)
	if len(list) == 0 {
		return budget.Finish(engine.Result{}), nil
	}
	if m, ok := p.bookMove(&root, list); ok {
		return budget.Finish(engine.Unscored(m)), nil
	}
	s := p.newSearch(&root, game.Keys(), list, budget)
	r := engine.Result{Move: s.first(&root), Score: engine.NoScore}
	for depth := 1; depth <= budget.Depth(p.plies); depth++ {
		line, score, ok := s.iterate(&root, depth)
		if !ok && (len(r.PV) > 0 || len(line) == 0) {
			break // use a stopped search only if there is no other
		}
		r.Move, r.PV, r.Score = line[0], line, engine.Score(score)
		if !ok {
			break
		}
		r.Depth = depth
		budget.Report(r, s.selDepth)
		if budget.Enough() {
			break
		}
	}
	return budget.Finish(r), nil
}

func (p *Player) bookMove(root *board.Position, list []board.Move) (board.Move, bool) {
	b, err := ownBook()
	if !p.book || err != nil { // never: a test parses the book
		return board.NullMove, false
	}
	return b.Move(root, list, rand.New(rand.NewPCG(p.seed+uint64(p.addSeed), root.Key())))
}

// newSearch prepares a search from root among the moves.
func (p *Player) newSearch(root *board.Position, keys []uint64, moves []board.Move, budget *historic.Budget) *search {
	if p.table == nil {
		p.table = make(hash, hashEntries)
	}
	s := &p.search
	s.budget, s.ev, s.table = budget, p.ev, p.table
	s.basic, s.feedover, s.second = widths[p.width], p.feedover, p.secondary
	s.keys = append(s.keys[:0], keys[max(0, len(keys)-root.Halfmove()):]...)
	s.top, s.selDepth, s.stats = moves, 0, Stats{}
	s.chosen, s.tried = nil, nil
	s.ev.SetRoot(root)
	return s
}

// first returns the most plausible move.
func (s *search) first(root *board.Position) board.Move {
	s.plies[0].candidates = s.gen.list(root, s.top, s.plies[0].candidates[:0])
	return s.plies[0].candidates[0].move
}

// iterate searches to a depth. ok is false if the budget has stopped it; line and score are
// then those of the best move so far, if any.
func (s *search) iterate(root *board.Position, depth int) (line []board.Move, score int, ok bool) {
	s.table.clear()
	s.depth = depth
	s.chosen = func(value int) {
		line = append(line[:0], s.plies[0].line...)
		score = value
	}
	s.node(root, 0, depth, 0, -infinite, infinite)
	return slices.Clip(line), score, !s.budget.Stopped()
}
