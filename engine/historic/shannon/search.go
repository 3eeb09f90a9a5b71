package shannon

import (
	"context"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
	"github.com/assay-chess/assay/eval"
)

const (
	infinite = engine.MateScore + 1
	// maxPly is more than any variation has: 20 moves of type B for each side.
	maxPly = 48
	// mates are scores of at least this many centipawns.
	mates = engine.MateScore - 1000
)

// search is one search of either type.
type search struct {
	player *Player
	ev     eval.Evaluator
	budget *historic.Budget
	root   board.Position
	list   []board.Move // as T7 lists them

	buf     [maxPly][]board.Move
	rank    [maxPly][]int
	killers [maxPly][2]board.Move
	pv      [maxPly][maxPly]board.Move
	pvLen   [maxPly]int
}

func (p *Player) newSearch(ctx context.Context, pos *board.Position, lim engine.Limits) *search {
	s := &search{player: p, ev: p.ev, root: *pos}
	s.budget = historic.NewBudget(ctx, pos.SideToMove(), lim)
	s.list = historic.RootMoves(List(pos), lim)
	if rooted, ok := p.ev.(eval.Rooted); ok {
		rooted.SetRoot(pos)
	}
	if !p.typeB {
		p.table.next()
	}
	return s
}

// iteration is how deep one pass over the list goes: all of it to full plies, nothing
// beyond cap.
type iteration struct{ full, cap int }

// iterations are those of the strategy, the last its own depth; the shallower ones are
// there to answer from if the limits end the search.
func (s *search) iterations() (all []iteration) {
	p := s.player
	if !p.typeB {
		for n := 1; n <= p.moves; n++ {
			all = append(all, iteration{2 * n, 2 * n})
		}
		return all
	}
	least, most := 2*p.least, 2*max(p.most, p.least)
	for _, it := range []iteration{{2, 2}, {least, least}, {least, most}} {
		if len(all) == 0 || it != all[len(all)-1] {
			all = append(all, it)
		}
	}
	return all
}

// iterate searches deeper until the strategy's depth or the limits are reached.
func (s *search) iterate(info func(engine.Info)) engine.Result {
	result := engine.Result{Move: s.list[0], PV: s.list[:1:1]}
	first := 0 // the move of the list to begin with
	for i, it := range s.iterations() {
		limit := s.budget.Depth(it.cap)
		it.full, it.cap = min(it.full, limit), limit
		scores := s.pass(it, first, s.player.variation)
		if s.budget.Stopped() && (i > 0 || len(scores) == 0) {
			break
		}
		first = s.choose(scores)
		r := scores[first]
		result.Move, result.Score, result.PV = s.list[first], r.score, r.line
		if s.budget.Stopped() {
			break
		}
		result.Depth = it.full
		if info != nil {
			info(engine.Info{Depth: it.full, SelDepth: it.cap, MultiPV: 1, Score: r.score, Nodes: s.budget.Nodes(), Time: s.budget.Elapsed(), PV: r.line})
		}
		if s.budget.Enough() || limit < s.iterations()[i].cap || max(r.score, -r.score) >= mates {
			break
		}
	}
	return result
}

// scored is what a pass knows of a move: its exact score, or a bound that says it is
// further below the best than the margin.
type scored struct {
	score int
	line  []board.Move
}

// pass searches all moves of the list, by their number in it. Scores within the margin
// of the best are exact. If the budget ends, only what was finished is returned.
func (s *search) pass(it iteration, first, margin int) map[int]scored {
	scores := make(map[int]scored, len(s.list))
	best := -infinite
	for k := -1; k < len(s.list); k++ {
		i := k
		if k < 0 {
			i = first
		} else if k == first {
			continue
		}
		child := s.root
		if !s.budget.Spend() {
			return scores
		}
		child.Make(s.list[i])
		alpha := max(best-margin-1, -infinite)
		v := -s.node(&child, 1, it, -infinite, -alpha)
		if s.budget.Stopped() {
			return scores
		}
		line := append([]board.Move{s.list[i]}, s.pv[1][:s.pvLen[1]]...)
		scores[i] = scored{v, line}
		best = max(best, v)
	}
	return scores
}

// choose returns the first of the best moves, or with statistical variation one at
// random of those nearly as good.
func (s *search) choose(scores map[int]scored) int {
	best := -infinite
	for _, r := range scores {
		best = max(best, r.score)
	}
	margin := s.player.variation
	if best >= mates || best <= -mates {
		margin = 0 // a mate is no matter of taste
	}
	var near []int
	for i := range s.list {
		if r, ok := scores[i]; ok && r.score >= best-margin {
			near = append(near, i)
		}
	}
	if margin == 0 {
		return near[0]
	}
	return near[s.rng().IntN(len(near))]
}

// node returns the value of a position for the side to move.
func (s *search) node(p *board.Position, ply int, it iteration, alpha, beta int) int {
	if s.player.typeB {
		return s.nodeB(p, ply, it, alpha, beta)
	}
	return s.nodeA(p, ply, it.cap-ply, alpha, beta)
}

// evaluate is T8: f(P), here for the side to move.
func (s *search) evaluate(p *board.Position) int {
	v := s.ev.Evaluate(p)
	if p.SideToMove() == board.Black {
		return -v
	}
	return v
}

// over returns the value of a position that ends the game.
func over(p *board.Position, ply int) (value int, ended bool) {
	if p.CountLegal() == 0 {
		if p.InCheck() {
			return ply - engine.MateScore, true
		}
		return 0, true
	}
	return 0, p.Halfmove() >= 100
}

// keep makes m, at the ply, the first move of the principal variation.
func (s *search) keep(ply int, m board.Move) {
	s.pv[ply][0] = m
	n := copy(s.pv[ply][1:], s.pv[ply+1][:s.pvLen[ply+1]])
	s.pvLen[ply] = 1 + n
}
