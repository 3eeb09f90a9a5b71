package search

import (
	"math/bits"

	"github.com/assay-chess/assay/engine/board"
)

// hasPieces tells whether the side has more than king and pawns.
func hasPieces(p *board.Position, c board.Color) bool {
	return p.ByColor(c)&^(p.ByType(board.Pawn)|p.ByType(board.King)) != 0
}

// prune tries to prove, without searching moves, that a null-window node fails. It
// returns the score and whether it did.
func (e *Engine) prune(ply, depth, beta, eval int, improving, cut bool) (int, bool) {
	f := e.at(ply)
	p := &f.pos
	v := &e.params.values
	// Reverse futility: so far above beta that no move would lose it all again.
	margin := v[reverseMargin] * depth
	if improving {
		margin -= v[reverseImproving]
	}
	if depth <= v[reverseDepth] && eval-margin >= beta && eval < mateBound && beta > -mateBound {
		return (eval + beta) / 2, true
	}
	// Null move (Beal 1989): if passing is good enough, some move is better still.
	// Not where passing might be best, in zugzwang: without pieces.
	if depth < v[nullDepth] || eval < beta || f.eval < beta-v[nullEvalSlope]*depth+v[nullEvalBase] || e.at(ply-1).move == board.NullMove ||
		ply < e.nullFrom || !hasPieces(p, p.SideToMove()) || beta <= -mateBound {
		return 0, false
	}
	r := (v[nullBase]+v[nullSlope]*depth)>>plyBits + min((eval-beta)/v[nullEvalStep], v[nullEvalMost])
	e.makeNull(ply)
	s := -e.search(ply+1, depth-r, -beta, -beta+1, !cut)
	if e.stopped || s < beta {
		f.threat = s <= -mateBound
		return 0, false
	}
	s = min(s, mateBound-1) // a mate after a pass is none
	if depth < v[nullVerifyDepth] || e.nullFrom > 0 {
		return s, true
	}
	// Deep enough to be worth a second look for zugzwang with few pieces left.
	e.nullFrom = ply + 3*(depth-r)/4
	again := e.search(ply, depth-r, beta-1, beta, false)
	e.nullFrom = 0
	return s, again >= beta
}

// late returns by how many plies a move that is not among the first of a node is
// searched less than others. What history speaks for loses less.
func (e *Engine) late(k *picker, m board.Move, depth, count int, pv, cut, improving, check bool) int {
	v := &e.params.values
	r := e.params.reduction(depth, count)
	if pv {
		r -= v[latePV]
	}
	if cut {
		r += v[lateCut]
	}
	if !improving {
		r += v[lateWorsening]
	}
	if k.hash != board.NullMove && !isQuiet(&k.f.pos, k.hash) {
		r += v[lateCapture] // a capture to begin with leaves little to quiet moves
	}
	if check {
		r -= v[lateCheck]
	}
	if k.f.threat {
		r -= v[lateThreat] // what meets the threat may look late
	}
	r >>= plyBits
	if k.stage != stageBadCaptures {
		r -= int(k.record.of(k.f.piece, m)) * v[lateHistory] / (historyMax << plyBits)
	}
	return r
}

// reduction returns by how much the move of a number is searched less at a depth, in
// 1024ths of a ply.
func (p *params) reduction(depth, count int) int {
	return int(p.reductions[min(depth, 63)&63][min(count, 63)&63])
}

// fillReductions computes base + slope log2(depth) log2(count), base in 1024ths of a ply
// and slope in 10000ths, in integers, which are the same on every machine.
func (p *params) fillReductions(base, slope int) {
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
func (p *params) moveLimit(depth int, improving bool) int {
	n := (p.values[quietBase] + p.values[quietSlope]*depth*depth) >> plyBits
	if !improving {
		n = n * p.values[quietWorsening] >> plyBits
	}
	return max(n, 2)
}
