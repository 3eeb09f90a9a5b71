package search

import (
	"slices"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// iterate deepens the search of the root until a limit ends it.
func (e *Engine) iterate(lim engine.Limits) engine.Result {
	root := &e.root
	p := &e.at(0).pos
	if root.n == 0 {
		return e.ended(lim.Info)
	}
	// If not even the first iteration ends, answer with the first move and the static
	// evaluation.
	result := engine.Result{Move: root.at(0).move, Score: engine.Score(e.evaluate(p)), PV: []board.Move{root.at(0).move}}
	lines := min(max(lim.MultiPV, 1), root.n)
	for depth := 1; ; depth++ {
		e.depth = depth
		for i := range root.n {
			rm := root.at(i)
			rm.previous, rm.score = rm.score, -infinite
		}
		for line := 0; line < lines && !e.stopped; line++ {
			e.aspirate(depth, line, lim.Info)
		}
		best := root.at(0)
		if e.stopped {
			e.stopIn(&result, lim.Info)
			return result
		}
		result.Move, result.Score, result.Depth = best.move, engine.Score(best.score), depth
		result.PV = append(result.PV[:0], best.pv[:best.pvLen]...)
		if lim.Info != nil {
			for line := range lines {
				e.report(lim.Info, line, root.at(line).score, 0)
			}
		}
		if e.enough(depth) {
			return result
		}
	}
}

// stopIn completes the result of a search that was stopped in an iteration, and reports its nodes and
// time once more, for callers that go by the last report. If a move has become the best in this
// iteration, it is the answer, and its score is only a bound.
func (e *Engine) stopIn(result *engine.Result, info func(engine.Info)) {
	best := e.root.at(0)
	if best.score > -infinite {
		if changed := best.move != result.Move; changed && info != nil {
			e.report(info, 0, best.score, 1)
			info = nil
		}
		result.Move, result.PV = best.move, slices.Clone(best.pv[:best.pvLen])
	}
	if info != nil {
		info(engine.Info{Depth: max(result.Depth, 1), SelDepth: best.selDepth, MultiPV: 1, Score: result.Score,
			Nodes: e.nodes, Time: e.limits.elapsed(), HashFull: e.table.full(), PV: slices.Clone(result.PV)})
	}
}

// ended returns the answer in a position without legal moves.
func (e *Engine) ended(info func(engine.Info)) (r engine.Result) {
	if e.at(0).pos.InCheck() {
		r.Score = -engine.MateScore
	}
	if info != nil {
		info(engine.Info{MultiPV: 1, Score: r.Score})
	}
	return r
}

// reportBounds is the time of a search from which scores outside the window are reported.
const reportBounds = 3 * time.Second

// aspirate searches the root moves from the given line on, first with a narrow window,
// which it widens until the score is inside.
func (e *Engine) aspirate(depth, line int, info func(engine.Info)) {
	alpha, beta := -infinite, infinite
	window := e.params.values[firstWindow]
	if previous := e.root.at(line).previous; depth >= 4 && abs(previous) < mateBound {
		alpha, beta = max(previous-window, -infinite), min(previous+window, infinite)
	}
	less := 0 // plies: a fail high need not be searched as deep again to be confirmed
	for {
		score := e.searchRoot(max(depth-less, 1), alpha, beta, line)
		e.root.sort(line)
		if e.stopped {
			return
		}
		bound := 0
		switch {
		case score <= alpha:
			beta = (alpha + beta) / 2
			alpha = max(score-window, -infinite)
			bound, less = -1, 0
		case score >= beta:
			beta = min(score+window, infinite)
			bound = 1
			less++
		default:
			e.root.sort(0)
			return
		}
		if window += window * e.params.values[windowGrowth] >> plyBits; window > 500 {
			alpha, beta = -infinite, infinite
		}
		if info != nil && e.limits.elapsed() >= reportBounds {
			e.report(info, line, score, bound)
		}
	}
}

// report passes one line of the current iteration to info.
func (e *Engine) report(info func(engine.Info), line, score, bound int) {
	rm := e.root.at(line)
	info(engine.Info{
		Depth:    e.depth,
		SelDepth: rm.selDepth,
		MultiPV:  line + 1,
		Score:    engine.Score(score),
		Bound:    bound,
		Nodes:    e.nodes,
		Time:     e.limits.elapsed(),
		HashFull: e.table.full(),
		PV:       slices.Clone(rm.pv[:rm.pvLen]),
	})
}
