package machack

import (
	"context"
	_ "embed"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/historic"
)

// bookText is our small book. The program's own had over 5,000 moves, chosen by a master to
// suit its style; the paper shows one of its lines, the first in this book.
//
//go:embed book.txt
var bookText string

var ownBook = sync.OnceValues(func() (historic.Book, error) { return historic.ParseBook(bookText) })

// Player is machack-1967. It implements engine.Player and historic.Explainer.
type Player struct {
	historic.Seeded
	historic.Weighted
	ev engine.RootedEvaluator

	plies     int
	width     string
	feedover  int
	secondary bool
	book      bool
	table     historic.Table
	search    search
}

// New returns the program with its tournament settings and the weights of an evaluation.
func New(w eval.Weights) (*Player, error) {
	p := &Player{plies: 5, width: "tournament", feedover: 2, secondary: true, book: true}
	p.Use = p.setEvaluation
	p.Settings = []historic.Option{ // Plies is the depth of the basic search, Feedover the greatest number of plies
		historic.Number("Plies", &p.plies, 1, 20),
		historic.Choice("Width", &p.width, "tournament", "normal"),
		historic.Number("Feedover", &p.feedover, 0, 10),
		historic.Switch("Secondary", &p.secondary),
		historic.Switch("Book", &p.book),
		p.Seeded.Option(),
		p.EvalFile(),
	}
	return p, p.setEvaluation(w)
}

func (p *Player) setEvaluation(w eval.Weights) error {
	ev, err := w.Evaluator(100)
	if err == nil {
		p.Weights, p.ev = w, ev
	}
	return err
}

// Close frees the hash table.
func (p *Player) Close() error {
	p.table, p.search = historic.Table{}, search{}
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
	if b, err := ownBook(); p.book && err == nil { // a test parses the book
		if m, ok := b.Move(&root, list, p.RNG(root.Key())); ok {
			return budget.Finish(engine.Unscored(m)), nil
		}
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

// newSearch prepares a search from root among the moves.
func (p *Player) newSearch(root *board.Position, keys []uint64, moves []board.Move, budget *historic.Budget) *search {
	s := &p.search
	s.player, s.budget, s.basic = p, budget, widths[p.width]
	s.keys = append(s.keys[:0], keys[max(0, len(keys)-root.Halfmove()):]...)
	s.top, s.selDepth, s.stats = moves, 0, statistics{}
	s.tried = nil
	p.ev.SetRoot(root)
	return s
}

// first returns the most plausible move.
func (s *search) first(root *board.Position) board.Move {
	s.plies[0].candidates = s.gen.list(root, s.top, s.plies[0].candidates[:0])
	return s.plies[0].candidates[0].move
}

// iterate searches to a depth. ok is false if the budget has stopped it; line and score are
// then the best move's so far, if any.
func (s *search) iterate(root *board.Position, depth int) (line []board.Move, score int, ok bool) {
	s.player.table.Next(hashEntries)
	s.depth, s.line, s.score = depth, nil, 0
	s.node(root, 0, depth, 0, -infinite, infinite)
	return s.line, s.score, !s.budget.Stopped()
}
