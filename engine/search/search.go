package search

import (
	"math/bits"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// searchRoot searches the root moves from the given one on and returns the best
// score. A score at or beyond a bound of the window is itself a bound.
func (e *Engine) searchRoot(depth, alpha, beta, first int) int {
	f, child := e.at(0), e.at(1)
	inCheck := f.pos.InCheck()
	f.eval = noEval
	if !inCheck {
		f.eval = e.evaluate(&f.pos)
	}
	e.at(2).killers = [2]board.Move{}
	best, start := -infinite, alpha
	for i := first; i < e.root.n; i++ {
		rm := e.root.at(i)
		if !e.tick() {
			return best
		}
		e.selDepth = 0
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
				r = reduction(depth, i-first+1) - 1
			}
			r = max(r, 0)
			score = -e.search(1, newDepth-r, -alpha-1, -alpha, true)
			if r > 0 && score > alpha && !e.stopped {
				score = -e.search(1, newDepth, -alpha-1, -alpha, true)
			}
		}
		if i == first || score > alpha && !e.stopped {
			score = -e.search(1, newDepth, -beta, -alpha, false)
		}
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
	bound := exactBound
	switch {
	case best >= beta:
		bound = lowerBound
	case best <= start:
		bound = upperBound
	}
	if first == 0 {
		e.table.store(f.pos.Key(), depth, 0, best, f.eval, bound, true, e.bestRoot())
	}
	return best
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

// Margins of the pruning, in centipawns.
const (
	reverseMargin  = 80
	futilityMargin = 90
	futilityStep   = 80
	quietSEE       = -25
	captureSEE     = -90
)

// search returns the score of the position at the ply, searched to the depth in
// plies, from the view of the side to move. It is exact between alpha and beta, else
// a bound (fail-soft). A node is a cut node if it is expected to fail high.
func (e *Engine) search(ply, depth, alpha, beta int, cut bool) int {
	if depth <= 0 {
		return e.quiesce(ply, 0, alpha, beta)
	}
	f, child := e.at(ply), e.at(ply+1)
	p := &f.pos
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
	// No line from here is better than mate next move or worse than mate now.
	alpha, beta = max(alpha, -engine.MateScore+ply), min(beta, engine.MateScore-ply-1)
	if alpha >= beta {
		return alpha
	}

	key := p.Key()
	hit, found := e.table.probe(key)
	hash := hit.move
	if found {
		if hash != board.NullMove && !p.IsLegal(hash) {
			hash = board.NullMove // another position with the same bits of the key
		}
		if !pv && int(hit.depth) >= depth && p.Halfmove() < 90 {
			if s := hit.scoreAt(ply); cutsOff(hit.bound(), s, beta) {
				return s
			}
		}
	}

	eval, static := noEval, noEval
	improving := false
	e.at(ply + 2).killers = [2]board.Move{}
	if !inCheck {
		if static = int(hit.eval); !found || static == noEval {
			static = e.evaluate(p)
		}
		eval = static
		if found {
			if s := hit.scoreAt(ply); abs(s) < mateBound && refines(hit.bound(), s, eval) {
				eval = s
			}
		}
		before := e.at(ply - 2).eval
		improving = before == noEval || static > before
	}
	f.eval = static

	if !pv && !inCheck {
		if s, ok := e.prune(ply, depth, beta, eval, improving, cut); ok || e.stopped {
			return s
		}
	}
	// Without a move to begin with, a shallower search finds one more cheaply
	// (internal iterative reduction).
	if hash == board.NullMove && depth >= 4 && (pv || cut) {
		depth--
	}

	checks := newChecks(p)
	us := p.SideToMove()
	picker := e.newPicker(ply, hash)
	best, bestMove := -infinite, board.NullMove
	start := alpha
	count, tried := 0, 0
	for m := picker.pick(); m != board.NullMove; m = picker.pick() {
		count++
		quiet := isQuiet(p, m)
		check := checks.given(p, m)
		if best > -mateBound && hasPieces(p, us) {
			left := max(depth-reduction(depth, count), 0)
			if quiet && !check && !inCheck {
				if count > moveLimit(depth, improving) ||
					left <= 6 && eval+futilityMargin+futilityStep*left <= alpha {
					picker.noQuiets = true
					continue
				}
				if left <= 6 && !p.SEEAtLeast(m, quietSEE*left*left) {
					continue
				}
			} else if depth <= 6 && !p.SEEAtLeast(m, captureSEE*depth) {
				continue
			}
		}
		if !e.tick() {
			return 0
		}
		e.makeMove(ply, m)
		newDepth := depth - 1
		if child.pos.InCheck() && ply < 2*e.depth && (pv || p.SEEAtLeast(m, 0)) {
			newDepth++
		}
		score := 0
		switch {
		case depth >= 2 && count > 1 && (quiet || picker.stage == stageBadCaptures):
			r := reduction(depth, count)
			if pv {
				r--
			}
			if cut {
				r++
			}
			if !improving {
				r++
			}
			if check {
				r--
			}
			if quiet {
				r -= int(e.history.of(us, m)) / 4096
			}
			reduced := min(max(newDepth-r, 1), newDepth)
			score = -e.search(ply+1, reduced, -alpha-1, -alpha, true)
			if score > alpha && reduced < newDepth && !e.stopped {
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
					if quiet {
						e.credit(ply, m, f.tried[:tried], depth)
					}
					break
				}
			}
		}
		if quiet && tried < maxTried {
			f.tried[tried] = m
			tried++
		}
	}
	if count == 0 {
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
	e.table.store(key, depth, ply, best, static, bound, pv, bestMove)
	return best
}

// cutsOff tells whether a stored score decides a null-window node.
func cutsOff(b bound, score, beta int) bool {
	if score >= beta {
		return b&lowerBound != 0
	}
	return b&upperBound != 0
}

// refines tells whether a stored score says more than the static evaluation.
func refines(b bound, score, eval int) bool {
	if score > eval {
		return b&lowerBound != 0
	}
	return b&upperBound != 0
}

// hasPieces tells whether the side has more than king and pawns.
func hasPieces(p *board.Position, c board.Color) bool {
	return p.ByColor(c)&^(p.ByType(board.Pawn)|p.ByType(board.King)) != 0
}

// prune tries to prove, without searching moves, that a null-window node fails. It
// returns the score and whether it did.
func (e *Engine) prune(ply, depth, beta, eval int, improving, cut bool) (int, bool) {
	f := e.at(ply)
	p := &f.pos
	// Reverse futility: so far above beta that no move would lose it all again.
	margin := reverseMargin * depth
	if improving {
		margin -= reverseMargin
	}
	if depth <= 8 && eval-margin >= beta && eval < mateBound && beta > -mateBound {
		return (eval + beta) / 2, true
	}
	// Razoring: so far below alpha that only captures could help.
	if depth <= 3 && eval+250*depth < beta {
		if s := e.quiesce(ply, 0, beta-1, beta); s < beta || e.stopped {
			return s, true
		}
	}
	// Null move (Beal 1989): if passing is good enough, some move is better still.
	// Not where passing might be best, in zugzwang: without pieces.
	if depth < 3 || eval < beta || f.eval < beta-20*depth+100 || e.at(ply-1).move == board.NullMove ||
		ply < e.nullFrom || !hasPieces(p, p.SideToMove()) || beta <= -mateBound {
		return 0, false
	}
	r := 3 + depth/3 + min((eval-beta)/200, 3)
	e.makeNull(ply)
	s := -e.search(ply+1, depth-r, -beta, -beta+1, !cut)
	if e.stopped || s < beta {
		return 0, false
	}
	s = min(s, mateBound-1) // a mate after a pass is none
	if depth < 12 || e.nullFrom > 0 {
		return s, true
	}
	// Deep enough to be worth a second look for zugzwang with few pieces left.
	e.nullFrom = ply + 3*(depth-r)/4
	v := e.search(ply, depth-r, beta-1, beta, false)
	e.nullFrom = 0
	return s, v >= beta
}

// reductions holds how many plies late moves are searched less, by depth and number.
var reductions = newReductions()

func reduction(depth, count int) int {
	return int(reductions[min(depth, 63)&63][min(count, 63)&63])
}

// newReductions computes 0.75 + ln(depth) ln(count) / 2.2 in integers, which are the
// same on every machine.
func newReductions() (t [64][64]int8) {
	for d := 1; d < 64; d++ {
		for c := 1; c < 64; c++ {
			// log2 a log2 b ln(2)^2 / 2.2 = 0.2184 log2 a log2 b
			t[d][c] = int8((768 + log2(uint64(d))*log2(uint64(c))/1024*2184/10000) / 1024)
		}
	}
	return t
}

// log2 returns the binary logarithm of n > 0 in units of 1/1024.
func log2(n uint64) int {
	whole := bits.Len64(n) - 1
	x := n << (31 - whole)
	result := whole
	for range 10 { // squaring doubles the logarithm, whose next bit is then its whole part
		x = x * x >> 31
		result *= 2
		if x >= 1<<32 {
			x >>= 1
			result++
		}
	}
	return result
}

// moveLimit is the number of moves after which quiet ones are no longer searched.
func moveLimit(depth int, improving bool) int {
	n := 3 + depth*depth
	if !improving {
		n /= 2
	}
	return max(n, 2)
}
