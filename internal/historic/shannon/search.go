package shannon

import (
	"context"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

const (
	infinite = engine.MateScore + 1
	// maxPly is above the length of any variation: 20 moves of type B for each side.
	maxPly    = 48
	mateBound = historic.MateBound
	tableSize = 1 << 17
)

// search is one search of either type.
type search struct {
	player *Player
	ev     engine.RootedEvaluator
	budget *historic.Budget
	root   board.Position
	list   []board.Move // in the order of T7

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
	p.ev.SetRoot(pos)
	if !p.typeB {
		p.table.Next(tableSize)
	}
	return s
}

// iteration is the depth of one pass over the moves: everything to full plies, nothing
// beyond cap.
type iteration struct{ full, cap int }

// iterations returns the iterations of the strategy. The last has its own depth; the
// shallower ones provide a move if the limits stop the search.
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
func (s *search) iterate(report bool) engine.Result {
	result := engine.Unscored(s.list[0])
	first := 0 // index of the move to search first
	for i, it := range s.iterations() {
		limit := s.budget.Depth(it.cap)
		it.full, it.cap = min(it.full, limit), limit
		scores := s.pass(it, first, s.player.variation)
		if s.budget.Stopped() && (i > 0 || len(scores) == 0) {
			break
		}
		first = s.choose(scores)
		r := scores[first]
		result.Move, result.Score, result.PV = s.list[first], engine.Score(r.score), r.line
		if s.budget.Stopped() {
			break
		}
		result.Depth = it.full
		if report {
			s.budget.Report(result, it.cap)
		}
		if s.budget.Enough() || limit < s.iterations()[i].cap || max(r.score, -r.score) >= mateBound {
			break
		}
	}
	return result
}

// scored is the result of a pass for a move: its exact score, or an upper bound that is
// more than the margin below the best.
type scored struct {
	score int
	line  []board.Move
}

// pass searches all moves of the list and returns their scores by index. Scores within the
// margin of the best are exact. If the budget ends, only finished moves are returned.
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

// choose returns the index of the first best move, or with statistical variation a
// random one among those nearly as good.
func (s *search) choose(scores map[int]scored) int {
	best := -infinite
	for _, r := range scores {
		best = max(best, r.score)
	}
	margin := s.player.variation
	if best >= mateBound || best <= -mateBound {
		margin = 0 // never vary from a mate
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

// node returns the value of a position from the view of the side to move.
func (s *search) node(p *board.Position, ply int, it iteration, alpha, beta int) int {
	if s.player.typeB {
		return s.nodeB(p, ply, it, alpha, beta)
	}
	return s.nodeA(p, ply, it, alpha, beta)
}

// evaluate is T8: f(P), from the view of the side to move.
func (s *search) evaluate(p *board.Position) int {
	v := s.ev.Evaluate(p)
	if p.SideToMove() == board.Black {
		return -v
	}
	return v
}

// over returns the value of a position in which the game has ended.
func over(p *board.Position, ply int) (value int, ended bool) {
	if p.CountLegal() == 0 {
		if p.InCheck() {
			return ply - engine.MateScore, true
		}
		return 0, true
	}
	return 0, p.Halfmove() >= 100
}

// keep stores m, followed by the line of the next ply, as the principal variation of a ply.
func (s *search) keep(ply int, m board.Move) {
	s.pv[ply][0] = m
	n := copy(s.pv[ply][1:], s.pv[ply+1][:s.pvLen[ply+1]])
	s.pvLen[ply] = 1 + n
}

// restless is g(P) of Shannon 1950, section 6, by which his type B strategy decides
// whether to stop a variation: it reports whether any piece "is attacked by a piece of
// lower value, or by more pieces than defences, or if any check exists". Only direct
// attacks and defences count, by pinned pieces too. Our own readings: a king does
// not count as attacked, and a check exists if the side to move is in check.
func restless(p *board.Position) bool {
	if p.InCheck() {
		return true
	}
	for b := p.Occupied() &^ p.ByType(board.King); b != 0; {
		sq := b.PopFirst()
		piece := p.PieceAt(sq)
		touching := p.AttackersTo(sq, p.Occupied())
		attackers := touching & p.ByColor(piece.Color().Other())
		if attackers.Count() > (touching&^attackers).Count() ||
			attackers != 0 && attackers&historic.Cheaper(p, piece.Type()) != 0 {
			return true
		}
	}
	return false
}
