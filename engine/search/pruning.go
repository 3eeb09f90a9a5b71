package search

import (
	"math/bits"

	"github.com/assay-chess/assay/engine/board"
)

// Margins of the pruning, in centipawns.
const (
	reverseMargin  = 80
	futilityMargin = 90
	futilityStep   = 80
	quietSEE       = -25
	captureSEE     = -90
	// A reduced move that beats the best by these is searched one ply deeper, or
	// one shallower where by less.
	deeperMargin    = 40
	shallowerMargin = 8
	// singularDepth is from where hash moves are tried for being the only good ones.
	singularDepth = 7
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
	// Reverse futility: so far above beta that no move would lose it all again.
	margin := reverseMargin * depth
	if improving {
		margin -= reverseMargin
	}
	if depth <= 8 && eval-margin >= beta && eval < mateBound && beta > -mateBound {
		return (eval + beta) / 2, true
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
		f.threat = s <= -mateBound
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

// late returns by how many plies a move that is not among the first of a node is
// searched less than others. What history speaks for loses less.
func (e *Engine) late(k *picker, m board.Move, depth, count int, pv, cut, improving, check bool) int {
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
	if k.hash != board.NullMove && !isQuiet(&k.f.pos, k.hash) {
		r++ // a capture to begin with leaves little to quiet moves
	}
	if check {
		r--
	}
	if k.f.threat {
		r-- // what meets the threat may look late
	}
	if k.stage != stageBadCaptures {
		r -= int(k.record.of(k.f.piece, m)) / historyMax
	}
	return r
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
