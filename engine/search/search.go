package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

type node struct {
	ply, depth int
	pv         bool // of the principal variation: its score may be exact
	cut        bool // expected to fail high
	inCheck    bool
	improving  bool // the static evaluation is higher than two plies before
	eval       int  // estimate of the score; noEval in check

	hit   entry // of the transposition table
	found bool
	hash  board.Move // of the table; from picker on, legal

	picker   picker
	count    int // moves picked so far
	best     int // score
	bestMove board.Move
}

// candidate is a move that a node may search.
type candidate struct {
	move         board.Move
	quiet, check bool // check: see board.Checks.Given
}

// search returns the score of the position at the ply from the side to move's view,
// searched to the depth in plies. Between alpha and beta it is exact, otherwise a bound
// (fail-soft). A cut node is expected to fail high.
func (e *Engine) search(ply, depth, alpha, beta int, cut bool) int {
	if depth <= 0 {
		return e.quiesce(ply, 0, alpha, beta)
	}
	if score, over := e.enter(ply); over {
		return score
	}
	f, child := e.at(ply), e.at(ply+1)
	p := &f.pos
	n := node{ply: ply, depth: depth, pv: beta-alpha > 1, cut: cut, inCheck: p.InCheck(), eval: noEval, best: -infinite}
	// Mate distance pruning: a line is at best a mate next move, at worst a mate now.
	alpha, beta = max(alpha, -engine.MateScore+ply), min(beta, engine.MateScore-ply-1)
	if alpha >= beta {
		return alpha
	}
	if score, over := e.open(&n, beta); over || e.stopped {
		return score
	}

	v := &e.params.values
	us := p.SideToMove()
	n.picker = e.newPicker(ply, n.hash)
	start, tried, taken := alpha, 0, 0
	for m := n.picker.pick(); m != board.NullMove; m = n.picker.pick() {
		if m == f.excluded {
			continue
		}
		n.count++
		c := candidate{m, isQuiet(p, m), n.picker.given.Given(p, m)}
		if n.best > -mateBound && hasPieces(p, us) && e.skips(&n, c, alpha) {
			continue
		}
		extension := 0
		if m == n.hash && n.depth >= v[singularDepth] && f.excluded == board.NullMove && ply < 2*e.depth {
			plies, score, ok := e.singular(&n, beta)
			if ok || e.stopped {
				return score
			}
			extension = plies
		}
		if !e.tick() {
			return 0
		}
		e.makeMove(ply, m)
		newDepth := n.depth - 1 + extension
		child.doubles = f.doubles + extension/2
		if extension == 0 && child.pos.InCheck() && ply < 2*e.depth && (n.pv || p.SEEAtLeast(m, 0)) {
			newDepth++
		}
		score := e.searchMove(&n, c, newDepth, alpha, beta)
		if e.stopped {
			return 0
		}
		if score > n.best {
			n.best = score
			if score > alpha {
				alpha, n.bestMove = score, m
				if n.pv {
					f.takePV(child)
				}
				if score >= beta {
					e.creditCaptures(ply, c, f.taken[:taken], n.depth)
					if c.quiet {
						e.credit(ply, m, f.tried[:tried], n.depth)
					}
					break
				}
			}
		}
		switch {
		case c.quiet && tried < maxTried:
			f.tried[tried] = m
			tried++
		case !c.quiet && taken < maxTaken:
			f.taken[taken] = m
			taken++
		}
	}
	return e.finish(&n, start, alpha, beta)
}

// enter begins a node. It returns true, and the score, if no moves are to be searched.
func (e *Engine) enter(ply int) (score int, over bool) {
	f := e.at(ply)
	f.pvLen = 0
	if e.isDraw(ply) {
		return 0, true
	}
	if ply >= maxPly-1 {
		if f.pos.InCheck() {
			return 0, true
		}
		return e.evaluate(&f.pos), true
	}
	e.selDepth = max(e.selDepth, ply)
	return 0, false
}

// open tries to find the score of a node without its moves, and prepares it for them.
func (e *Engine) open(n *node, beta int) (score int, over bool) {
	f := e.at(n.ply)
	p := &f.pos
	v := &e.params.values
	alone := f.excluded == board.NullMove // no search of the same node is under way
	n.hit, n.found = e.table.probe(p.Key())
	n.hash = n.hit.move
	if n.found && !n.pv && alone && int(n.hit.depth) >= n.depth && p.Halfmove() < 90 {
		if s := n.hit.scoreAt(n.ply); cutsOff(n.hit.bound(), s, beta) {
			return s, true
		}
	}
	e.at(n.ply + 2).killers = [2]board.Move{}
	f.raw, f.eval = noEval, noEval
	if alone {
		f.threat = false
	}
	if !n.inCheck {
		f.raw, f.eval, n.eval = e.staticEval(n.ply, n.hit, n.found)
		before := e.at(n.ply - 2).eval
		n.improving = before == noEval || f.eval > before
		if alone {
			e.creditEval(n.ply)
		}
	}
	prunes := !n.pv && !n.inCheck && alone
	if prunes {
		if s, ok := e.prune(n, beta); ok || e.stopped {
			return s, true
		}
	}
	f.targets = p.Targets()
	if n.hash != board.NullMove && !f.targets.IsLegal(p, n.hash) {
		n.hash = board.NullMove // of another position whose key has the same tag
	}
	if prunes && n.depth >= v[probDepth] {
		if s, ok := e.probCut(n, beta); ok || e.stopped {
			return s, true
		}
	}
	// Internal iterative reduction: without a hash move, or with an entry of a much shallower
	// search, a shallower search finds a good move at less cost.
	if (n.pv || n.cut) && (n.hash == board.NullMove && n.depth >= v[internalDepth] ||
		n.found && alone && n.depth > int(n.hit.depth)+v[internalLag]) {
		n.depth--
	}
	return 0, false
}

// searchMove returns the score of the move that was made, searched to the depth.
func (e *Engine) searchMove(n *node, c candidate, depth, alpha, beta int) int {
	v := &e.params.values
	score := 0
	switch {
	case n.isLate(c):
		reduced := min(max(depth-e.lateReduction(n, c), 1), depth)
		score = -e.search(n.ply+1, reduced, -alpha-1, -alpha, true)
		if score > alpha && reduced < depth && !e.stopped {
			// A much better move is searched a ply deeper, a barely better one a ply
			// shallower.
			if score > n.best+v[deeperMargin] {
				depth++
			} else if score < n.best+v[shallowerMargin] {
				depth--
			}
			score = -e.search(n.ply+1, depth, -alpha-1, -alpha, !n.cut)
		}
	case !n.pv || n.count > 1:
		score = -e.search(n.ply+1, depth, -alpha-1, -alpha, !n.cut)
	}
	if n.pv && (n.count == 1 || score > alpha) && !e.stopped {
		score = -e.search(n.ply+1, depth, -beta, -alpha, false)
	}
	return score
}

// isLate reports whether a move is searched less deeply first. Captures that lose no material
// are from the third move on, but neither in check nor where a principal variation is or was.
func (n *node) isLate(c candidate) bool {
	if n.depth < 2 || n.count < 2 {
		return false
	}
	return c.quiet || n.picker.stage == stageBadCaptures ||
		n.count > 2 && !n.inCheck && !n.pv && !(n.found && n.hit.info&pvFlag != 0)
}

// finish returns the score of a node whose moves were searched with a window that began at
// start, and remembers it.
func (e *Engine) finish(n *node, start, alpha, beta int) int {
	f := e.at(n.ply)
	switch alone := f.excluded == board.NullMove; {
	case n.count == 0 && !alone:
		return alpha
	case n.count == 0 && n.inCheck:
		return -engine.MateScore + n.ply
	case n.count == 0:
		return 0
	case alone:
		b := boundOf(n.best, start, beta)
		e.table.store(f.pos.Key(), n.ply, result{n.depth, n.best, f.raw, b, n.pv, n.bestMove})
		e.correct(n.ply, n.depth, n.best, b, n.bestMove)
		if b == upperBound {
			e.creditUnrefuted(n.ply-1, n.depth)
		}
	}
	return n.best
}

// staticEval returns the static evaluation of the position at the ply without and with its
// correction, and an estimate of its score: the score in the transposition table if that is a
// better bound.
func (e *Engine) staticEval(ply int, hit entry, found bool) (raw, static, eval int) {
	if raw = int(hit.eval); !found || raw == noEval {
		raw = e.evaluate(&e.at(ply).pos)
	}
	static = e.corrected(ply, raw)
	if found {
		if s := hit.scoreAt(ply); abs(s) < mateBound && cutsOff(hit.bound(), s, static+1) {
			return raw, static, s
		}
	}
	return raw, static, static
}

// singular returns the extension of the hash move, which failed high before, in plies. It
// is 1 if all other moves stay well below its score in a shallower search (Anantharaman,
// Campbell and Hsu 1988), 2 if they stay further below it still, and -1 if the node should
// fail high, but not by this move alone. If the node fails high even without the hash move,
// singular returns a score for a cutoff.
func (e *Engine) singular(n *node, beta int) (extension, score int, cutoff bool) {
	f, hit := e.at(n.ply), &n.hit
	before := hit.scoreAt(n.ply)
	if int(hit.depth) < n.depth-e.params.values[singularLag] ||
		hit.bound()&lowerBound == 0 || abs(before) >= mateBound {
		return 0, 0, false
	}
	limit := before - e.params.values[singularMargin]*n.depth>>plyBits
	f.excluded = hit.move
	v := e.search(n.ply, (n.depth-1)/2, limit-1, limit, n.cut)
	f.excluded = board.NullMove
	f.pvLen = 0
	switch {
	case e.stopped:
		return 0, 0, false
	case v < limit-e.params.values[doubleMargin] && !n.pv && f.doubles < maxDoubles:
		return 2, 0, false
	case v < limit:
		return 1, 0, false
	case limit >= beta:
		return 0, limit, true
	case before >= beta, n.cut:
		return -1, 0, false
	}
	return 0, 0, false
}

// maxDoubles bounds the extensions by two plies in a line.
const maxDoubles = 6

// cutsOff reports whether a stored score decides a null-window node.
func cutsOff(b bound, score, beta int) bool {
	if score >= beta {
		return b&lowerBound != 0
	}
	return b&upperBound != 0
}
