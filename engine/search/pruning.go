package search

import (
	"math/bits"

	"github.com/assay-chess/assay/engine/board"
)

// hasPieces reports whether the side has a piece other than king and pawns.
func hasPieces(p *board.Position, c board.Color) bool {
	return p.ByColor(c)&^(p.ByType(board.Pawn)|p.ByType(board.King)) != 0
}

// prune tries to prove that a null-window node fails high without searching its moves. It
// returns the score and whether it succeeded. The hash move may be of another position.
func (e *Engine) prune(n *node, beta int) (int, bool) {
	ply, depth, eval := n.ply, n.depth, n.eval
	f := e.at(ply)
	p := &f.pos
	v := &e.params.values
	// Reverse futility: the evaluation is so far above beta that no reply makes up for it. Not
	// where a quiet move was best before, which shows more than the evaluation.
	margin := v[reverseMargin] * depth
	if n.improving {
		margin -= v[reverseImproving]
	}
	quiet := n.hash != board.NullMove && isQuiet(p, n.hash)
	if !quiet && depth <= v[reverseDepth] && eval-margin >= beta && eval < mateBound && beta > -mateBound {
		return (eval + beta) / 2, true
	}
	// Null move (Beal 1989): if passing fails high, some move does too. Not without pieces,
	// where zugzwang is likely.
	if depth < v[nullDepth] || eval < beta || f.eval < beta-v[nullEvalSlope]*depth+v[nullEvalBase] ||
		e.at(ply-1).move == board.NullMove ||
		ply < e.nullFrom || !hasPieces(p, p.SideToMove()) || beta <= -mateBound {
		return 0, false
	}
	r := (v[nullBase]+v[nullSlope]*depth)>>plyBits + min((eval-beta)/v[nullEvalStep], v[nullEvalMost])
	e.makeNull(ply)
	s := -e.search(ply+1, depth-r, -beta, -beta+1, !n.cut)
	if e.stopped || s < beta {
		f.threat = s <= -mateBound
		return 0, false
	}
	s = min(s, mateBound-1) // a mate after a null move is not proved
	if depth < v[nullVerifyDepth] || e.nullFrom > 0 {
		return s, true
	}
	// At high depths, verify by a search without null moves that this is not zugzwang.
	e.nullFrom = ply + 3*(depth-r)/4
	again := e.search(ply, depth-r, beta-1, beta, false)
	e.nullFrom = 0
	return s, again >= beta
}

// probCut tries to prove that a null-window node fails high by a capture whose score in a
// shallow search exceeds beta by a margin (Buro 1995).
func (e *Engine) probCut(n *node, beta int) (int, bool) {
	ply, depth, hit := n.ply, n.depth, &n.hit
	f := e.at(ply)
	p := &f.pos
	limit := beta + e.params.values[probMargin]
	if abs(beta) >= mateBound || n.found && int(hit.depth) >= depth-3 && hit.scoreAt(ply) < limit {
		return 0, false
	}
	hash := hit.move
	if hash != board.NullMove && (isQuiet(p, hash) || !f.targets.IsLegal(p, hash)) {
		hash = board.NullMove
	}
	picker := e.newNoisyPicker(ply, hash, false)
	for m := picker.pick(); m != board.NullMove; m = picker.pick() {
		if !p.SEEAtLeast(m, limit-f.eval) {
			continue
		}
		if !e.tick() {
			return 0, false
		}
		e.makeMove(ply, m)
		e.at(ply + 1).doubles = f.doubles
		s := -e.quiesce(ply+1, 0, -limit, -limit+1)
		if s >= limit && !e.stopped {
			s = -e.search(ply+1, depth-4, -limit, -limit+1, !n.cut)
		}
		if e.stopped {
			return 0, false
		}
		if s >= limit {
			e.table.store(p.Key(), ply, result{depth - 3, s, f.raw, lowerBound, false, m})
			return s, true
		}
	}
	return 0, false
}

// skips reports whether a move is pruned: a late quiet move or one with a bad history, a move too far below alpha, or
// one that loses much material.
func (e *Engine) skips(n *node, c candidate, alpha int) bool {
	v := &e.params.values
	p := &e.at(n.ply).pos
	if !c.quiet || c.check || n.inCheck {
		if n.depth > v[captureDepth] {
			return false
		}
		hopeless := !c.quiet && !c.check && !n.inCheck && c.move < 1<<12 &&
			n.eval+v[captureMargin]+v[captureSlope]*n.depth+victimGain(p, c.move) <= alpha
		return hopeless || !p.SEEAtLeast(c.move, -v[captureSEE]*n.depth)
	}
	if n.count > e.params.moveLimit(n.depth, n.improving) {
		n.picker.noQuiets = true
		return true
	}
	left := max(n.depth-e.params.reduction(n.depth, n.count)>>plyBits, 0)
	if left > v[quietDepth] {
		return false
	}
	history := int(n.picker.history.score(p.PieceAt(c.move.From()), c.move))
	return history < -v[pruneHistory]*n.depth || n.eval+v[futilityBase]+v[futilitySlope]*left <= alpha ||
		!p.SEEAtLeast(c.move, -v[quietSEE]*left*left)
}

// lateReduction returns the reduction of a late move in plies. Moves with a good history
// are reduced less.
func (e *Engine) lateReduction(n *node, c candidate) int {
	v, k := &e.params.values, &n.picker
	r := e.params.reduction(n.depth, n.count)
	if n.pv {
		r -= v[latePV]
	}
	if n.cut {
		r += v[lateCut]
	}
	if !n.improving {
		r += v[lateWorsening]
	}
	if n.hash != board.NullMove && !isQuiet(&k.f.pos, n.hash) {
		r += v[lateCapture] // where a capture is best, quiet moves rarely are
	}
	if !c.quiet && k.stage != stageBadCaptures {
		r -= v[lateNoisy]
	}
	if c.check {
		r -= v[lateCheck]
	}
	if k.f.threat {
		r -= v[lateThreat] // the answer to the threat may be a late move
	}
	r >>= plyBits
	if c.quiet {
		r -= int(k.history.score(k.f.piece, c.move)) * v[lateHistory] / (historyMax << plyBits)
	}
	return r
}

// reduction returns the basic reduction of the count-th move at a depth, in 1024ths of a
// ply.
func (p *params) reduction(depth, count int) int {
	return int(p.reductions[min(depth, 63)&63][min(count, 63)&63])
}

// fillReductions computes base + slope * log2(depth) * log2(count), with base in 1024ths
// of a ply and slope in 10000ths. Integers give the same result on every machine.
func (p *params) fillReductions() {
	base, slope := p.values[lateBase], p.values[lateSlope]
	for d := 1; d < 64; d++ {
		for c := 1; c < 64; c++ {
			p.reductions[d][c] = int16(base + log2(uint64(d))*log2(uint64(c))/1024*slope/10000)
		}
	}
}

// log2 returns the binary logarithm of n > 0 in units of 1/1024.
func log2(n uint64) int {
	whole := bits.Len64(n) - 1
	x := n << (31 - whole)
	result := whole
	for range 10 { // squaring doubles the logarithm and so yields its next bit
		x = x * x >> 31
		result *= 2
		if x >= 1<<32 {
			x >>= 1
			result++
		}
	}
	return result
}

// moveLimit returns the number of moves after which quiet moves are pruned.
func (p *params) moveLimit(depth int, improving bool) int {
	n := (p.values[quietBase] + p.values[quietSlope]*depth*depth) >> plyBits
	if !improving {
		n = n * p.values[quietWorsening] >> plyBits
	}
	return max(n, 2)
}
