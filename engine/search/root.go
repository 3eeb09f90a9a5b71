package search

import (
	"cmp"
	"errors"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// errSearchMoves is the error of a search none of whose Limits.SearchMoves is legal.
var errSearchMoves = errors.New("none of the moves to search is legal")

// rootMove is a legal move of the root position.
type rootMove struct {
	move     board.Move
	score    int // of the current iteration; -infinite if the move failed low
	previous int // of the iteration before
	selDepth int
	nodes    uint64 // spent on the move in all iterations
	pvLen    int
	pv       [maxPly + 2]board.Move
}

// rootMoves holds the root moves to search, the best so far first.
type rootMoves struct {
	n     int
	all   bool                  // no legal move is left out
	order [board.MaxMoves]int16 // indexes into moves
	moves [board.MaxMoves]rootMove
}

func (r *rootMoves) at(i int) *rootMove { return &r.moves[r.order[i]] }

// fill lists the legal moves, or only those asked for, in the order of the picker.
func (r *rootMoves) fill(e *Engine, only []board.Move) error {
	r.n, r.all = 0, true
	f := e.at(0)
	hit, _ := e.table.probe(f.pos.Key())
	hash := hit.move
	f.targets = f.pos.Targets()
	if hash != board.NullMove && !f.targets.IsLegal(&f.pos, hash) {
		hash = board.NullMove
	}
	f.killers = [2]board.Move{}
	picker := e.newPicker(0, hash)
	seen := false
	for m := picker.pick(); m != board.NullMove; m = picker.pick() {
		seen = true
		if len(only) > 0 && !slices.Contains(only, m) {
			r.all = false
			continue
		}
		rm := &r.moves[r.n]
		rm.move, rm.score, rm.previous, rm.selDepth, rm.nodes = m, -infinite, -infinite, 0, 0
		rm.pv[0], rm.pvLen = m, 1
		r.order[r.n] = int16(r.n)
		r.n++
	}
	if seen && r.n == 0 {
		return errSearchMoves
	}
	return nil
}

// sort sorts the moves from index first on, the best first. It is stable.
func (r *rootMoves) sort(first int) {
	slices.SortStableFunc(r.order[first:r.n], func(a, b int16) int {
		x, y := &r.moves[a], &r.moves[b]
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.previous, x.previous))
	})
}

// searchRoot searches the root moves from index first on and returns the best score. A
// score outside the window is a bound.
func (e *Engine) searchRoot(depth, alpha, beta, first int) int {
	f, child := e.at(0), e.at(1)
	inCheck := f.pos.InCheck()
	f.raw, f.eval = noEval, noEval
	if !inCheck {
		f.raw = e.evaluate(&f.pos)
		f.eval = e.corrected(0, f.raw)
	}
	child.doubles = 0
	e.at(2).killers = [2]board.Move{}
	best, start := -infinite, alpha
	for i := first; i < e.root.n; i++ {
		rm := e.root.at(i)
		if !e.tick() {
			return best
		}
		e.selDepth = 0
		before := e.nodes
		quiet := isQuiet(&f.pos, rm.move)
		e.makeMove(0, rm.move)
		newDepth := depth - 1
		if child.pos.InCheck() {
			newDepth++
		}
		score := -infinite
		if i > first {
			r := 0
			if quiet && i > first+2 && depth >= 3 && !inCheck && newDepth < depth {
				r = e.params.rootReduction(depth, i-first+1)
			}
			score = -e.search(1, newDepth-r, -alpha-1, -alpha, true)
			if r > 0 && score > alpha && !e.stopped {
				score = -e.search(1, newDepth, -alpha-1, -alpha, true)
			}
		}
		if i == first || score > alpha && !e.stopped {
			score = -e.search(1, newDepth, -beta, -alpha, false)
		}
		rm.nodes += e.nodes - before
		if e.stopped {
			return best
		}
		rm.score = -infinite
		if i == first || score > alpha {
			f.takePV(child)
			rm.score, rm.selDepth = score, e.selDepth
			rm.pvLen = copy(rm.pv[:], f.pv[:f.pvLen])
		}
		best = max(best, score)
		if alpha = max(alpha, score); alpha >= beta {
			break
		}
	}
	if first == 0 && e.root.all { // else best is not the score of the position, which a later search may look up
		e.table.store(f.pos.Key(), 0, result{depth, best, f.raw, boundOf(best, start, beta), true, e.bestRoot()})
	}
	return best
}

// rootReduction returns the reduction of a late root move in plies.
func (p *params) rootReduction(depth, count int) int {
	return max(p.reduction(depth, count)-p.values[rootLess], 0) >> plyBits
}

// bestRoot returns the root move with the highest score of the current iteration.
func (e *Engine) bestRoot() board.Move {
	best := e.root.at(0)
	for i := 1; i < e.root.n; i++ {
		if rm := e.root.at(i); rm.score > best.score {
			best = rm
		}
	}
	return best.move
}

// ranked packs a move, its score and its index in a list into one number; the
// highest is the best move and, among equals, the first. So the best of a list is found
// without branches that are hard to predict.
type ranked int64

const (
	moveBits  = 16
	indexBits = 16
	indexMask = 1<<indexBits - 1
)

func newRanked(m board.Move, score int32, index int) ranked {
	return ranked(score)<<(moveBits+indexBits) | ranked(indexMask-index)<<moveBits | ranked(m)
}

func (r ranked) move() board.Move { return board.Move(r) }

func (r ranked) index() int { return indexMask - int(r>>moveBits&indexMask) }

// at returns the same move and score at another index.
func (r ranked) at(index int) ranked {
	return r&^(indexMask<<moveBits) | ranked(indexMask-index)<<moveBits
}

// rank stores a move with its score at an index of the frame's list.
func (f *frame) rank(i int, m board.Move, score int32) { f.ranked[i] = newRanked(m, score, i) }
