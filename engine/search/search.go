package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// search returns the score of the position at the ply from the side to move's view,
// searched to the depth in plies. Between alpha and beta it is exact, otherwise a bound
// (fail-soft). A cut node is expected to fail high.
func (e *Engine) search(ply, depth, alpha, beta int, cut bool) int {
	if depth <= 0 {
		return e.quiesce(ply, 0, alpha, beta)
	}
	f, child := e.at(ply), e.at(ply+1)
	p := &f.pos
	v := &e.params.values
	pv := beta-alpha > 1
	f.pvLen = 0
	if e.isDraw(ply) {
		return 0
	}
	inCheck := p.InCheck()
	if ply >= maxPly-1 {
		if inCheck {
			return 0
		}
		return e.evaluate(p)
	}
	e.selDepth = max(e.selDepth, ply)
	// Mate distance pruning: a line is at best a mate next move, at worst a mate now.
	alpha, beta = max(alpha, -engine.MateScore+ply), min(beta, engine.MateScore-ply-1)
	if alpha >= beta {
		return alpha
	}

	key := p.Key()
	hit, found := e.table.probe(key)
	hash := hit.move
	if found && !pv && f.excluded == board.NullMove && int(hit.depth) >= depth && p.Halfmove() < 90 {
		if s := hit.scoreAt(ply); cutsOff(hit.bound(), s, beta) {
			return s
		}
	}

	e.at(ply + 2).killers = [2]board.Move{}
	f.raw, f.eval = noEval, noEval
	if f.excluded == board.NullMove {
		f.threat = false
	}
	eval, improving := noEval, false
	if !inCheck {
		f.raw, f.eval, eval = e.staticEval(ply, hit, found)
		before := e.at(ply - 2).eval
		improving = before == noEval || f.eval > before
	}

	if !pv && !inCheck && f.excluded == board.NullMove {
		if s, ok := e.prune(ply, depth, beta, eval, hash, improving, cut); ok || e.stopped {
			return s
		}
	}
	f.targets = p.Targets()
	if hash != board.NullMove && !f.targets.IsLegal(p, hash) {
		hash = board.NullMove // of another position whose key has the same tag
	}
	if !pv && !inCheck && f.excluded == board.NullMove && depth >= v[probDepth] {
		if s, ok := e.probCut(ply, depth, beta, hit, found, cut); ok || e.stopped {
			return s
		}
	}
	// Internal iterative reduction: without a hash move, a shallower search finds one at
	// less cost.
	if hash == board.NullMove && depth >= v[internalDepth] && (pv || cut) {
		depth--
	}

	us := p.SideToMove()
	picker := e.newPicker(ply, hash)
	best, bestMove := -infinite, board.NullMove
	start := alpha
	count, tried, taken := 0, 0, 0
	for m := picker.pick(); m != board.NullMove; m = picker.pick() {
		if m == f.excluded {
			continue
		}
		count++
		quiet := isQuiet(p, m)
		check := picker.given.Given(p, m)
		if best > -mateBound && hasPieces(p, us) {
			left := max(depth-e.params.reduction(depth, count)>>plyBits, 0)
			if quiet && !check && !inCheck {
				if count > e.params.moveLimit(depth, improving) {
					picker.noQuiets = true
					continue
				}
				if left <= v[quietDepth] && (eval+v[futilityBase]+v[futilitySlope]*left <= alpha ||
					!p.SEEAtLeast(m, -v[quietSEE]*left*left)) {
					continue
				}
			} else if depth <= v[captureDepth] && !p.SEEAtLeast(m, -v[captureSEE]*depth) {
				continue
			}
		}
		extension := 0
		if m == hash && depth >= v[singularDepth] && f.excluded == board.NullMove && ply < 2*e.depth {
			n, s, ok := e.singular(ply, depth, beta, hit, pv, cut)
			if ok || e.stopped {
				return s
			}
			extension = n
		}
		if !e.tick() {
			return 0
		}
		e.makeMove(ply, m)
		newDepth := depth - 1 + extension
		child.doubles = f.doubles + extension/2
		if extension == 0 && child.pos.InCheck() && ply < 2*e.depth && (pv || p.SEEAtLeast(m, 0)) {
			newDepth++
		}
		score := 0
		switch {
		case depth >= 2 && count > 1 && (quiet || picker.stage == stageBadCaptures):
			r := e.lateReduction(&picker, m, depth, count, pv, cut, improving, check)
			reduced := min(max(newDepth-r, 1), newDepth)
			score = -e.search(ply+1, reduced, -alpha-1, -alpha, true)
			if score > alpha && reduced < newDepth && !e.stopped {
				// A much better move is searched a ply deeper, a barely better one a ply
				// shallower.
				if score > best+v[deeperMargin] {
					newDepth++
				} else if score < best+v[shallowerMargin] {
					newDepth--
				}
				score = -e.search(ply+1, newDepth, -alpha-1, -alpha, !cut)
			}
		case !pv || count > 1:
			score = -e.search(ply+1, newDepth, -alpha-1, -alpha, !cut)
		}
		if pv && (count == 1 || score > alpha) && !e.stopped {
			score = -e.search(ply+1, newDepth, -beta, -alpha, false)
		}
		if e.stopped {
			return 0
		}
		if score > best {
			best = score
			if score > alpha {
				alpha, bestMove = score, m
				if pv {
					f.takePV(child)
				}
				if score >= beta {
					e.creditCaptures(ply, m, quiet, f.taken[:taken], depth)
					if quiet {
						e.credit(ply, m, f.tried[:tried], depth)
					}
					break
				}
			}
		}
		switch {
		case quiet && tried < maxTried:
			f.tried[tried] = m
			tried++
		case !quiet && taken < maxTaken:
			f.taken[taken] = m
			taken++
		}
	}
	if count == 0 {
		if f.excluded != board.NullMove {
			return alpha
		}
		if inCheck {
			return -engine.MateScore + ply
		}
		return 0
	}
	bound := upperBound
	switch {
	case best >= beta:
		bound = lowerBound
	case best > start:
		bound = exactBound
	}
	if f.excluded == board.NullMove {
		e.table.store(key, depth, ply, best, f.raw, bound, pv, bestMove)
		e.correct(ply, depth, best, bound, bestMove)
		if bound == upperBound {
			e.creditUnrefuted(ply-1, depth)
		}
	}
	return best
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
		if s := hit.scoreAt(ply); abs(s) < mateBound && refines(hit.bound(), s, static) {
			return raw, static, s
		}
	}
	return raw, static, static
}

// singular returns the extension of the hash move, which failed high before, in plies. It
// is 1 if all other moves stay well below its score in a shallower search (Anantharaman,
// Campbell and Hsu 1988), 2 if they stay further below it still, and -1 if the hash move should
// fail high again but is not singular. If the node fails high even without the hash move,
// singular returns a score for a cutoff.
func (e *Engine) singular(ply, depth, beta int, hit entry, pv, cut bool) (extension, score int, cutoff bool) {
	f := e.at(ply)
	before := hit.scoreAt(ply)
	if int(hit.depth) < depth-e.params.values[singularLag] || hit.bound()&lowerBound == 0 || abs(before) >= mateBound {
		return 0, 0, false
	}
	limit := before - e.params.values[singularMargin]*depth>>plyBits
	f.excluded = hit.move
	v := e.search(ply, (depth-1)/2, limit-1, limit, cut)
	f.excluded = board.NullMove
	f.pvLen = 0
	switch {
	case e.stopped:
		return 0, 0, false
	case v < limit-e.params.values[doubleMargin] && !pv && f.doubles < maxDoubles:
		return 2, 0, false
	case v < limit:
		return 1, 0, false
	case limit >= beta:
		return 0, limit, true
	case before >= beta:
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

// refines reports whether a stored score is a better estimate than the static evaluation.
func refines(b bound, score, eval int) bool {
	if score > eval {
		return b&lowerBound != 0
	}
	return b&upperBound != 0
}
