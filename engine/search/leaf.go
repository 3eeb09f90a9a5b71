package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// leafPlies bounds the lines of a quiescence leaf.
const leafPlies = 32

// QuiescenceLeaf returns the position at the end of the principal variation of p's
// quiescence search and that position's evaluation, in centipawns from White's view:
// p itself where it is quiet. A mated leaf has the score -(MateScore - n) for the side
// mated, n plies from p.
//
// Who asks for many leaves keeps a LeafSearch.
func QuiescenceLeaf(ev eval.Evaluator, p *board.Position) (leaf board.Position, score int) {
	return NewLeafSearch(ev).Leaf(p)
}

// LeafSearch finds quiescence leaves. It holds the memory for it, and serves one
// goroutine at a time.
//
// It is the quiescence search of Engine without what only saves time there: the
// transposition table and delta pruning.
type LeafSearch struct {
	ev     eval.Evaluator
	frames [leafPlies + 2]leafFrame
}

type leafFrame struct {
	pos, leaf board.Position
	moves     [maxList]board.Move
	scores    [maxList]int32
}

// NewLeafSearch returns a search for leaves by the evaluator.
func NewLeafSearch(ev eval.Evaluator) *LeafSearch { return &LeafSearch{ev: ev} }

// Leaf is QuiescenceLeaf without allocation.
func (l *LeafSearch) Leaf(p *board.Position) (leaf board.Position, score int) {
	l.frames[0].pos = *p
	score = l.search(0, board.NoSquare, -infinite, infinite)
	if p.SideToMove() == board.Black {
		score = -score
	}
	return l.frames[0].leaf, score
}

// search sets the frame's leaf when it returns a score above alpha. The square last
// is where the other side just captured.
func (l *LeafSearch) search(ply int, last board.Square, alpha, beta int) int {
	f := &l.frames[ply]
	p := &f.pos
	inCheck := p.InCheck()
	best := -infinite
	if !inCheck || ply >= leafPlies {
		best = l.ev.Evaluate(p)
		if p.SideToMove() == board.Black {
			best = -best
		}
		if best > alpha {
			alpha, f.leaf = best, *p
		}
		if best >= beta || ply >= leafPlies {
			return best
		}
	}
	n := f.list()
	if inCheck && n == 0 {
		f.leaf = *p
		return -engine.MateScore + ply
	}
	child := &l.frames[ply+1]
	for i := range n {
		m := f.takeBest(i, n)
		if inCheck {
			if best > -mateBound && isQuiet(p, m) {
				continue
			}
		} else if ply > recapturePly && m.To() != last || !p.SEEAtLeast(m, 0) {
			continue
		}
		child.pos = *p
		child.pos.Make(m)
		s := -l.search(ply+1, m.To(), -beta, -alpha)
		if s > best {
			best = s
			if s > alpha {
				alpha, f.leaf = s, child.leaf
			}
			if s >= beta {
				break
			}
		}
	}
	return best
}

// list fills the frame with what quiescence plays here and returns how many.
func (f *leafFrame) list() int {
	p := &f.pos
	var moves []board.Move
	if p.InCheck() {
		moves = p.LegalMoves(f.moves[:0])
	} else {
		moves = p.LegalCaptures(f.moves[:0])
	}
	for i, m := range moves {
		f.scores[i] = 0
		if !isQuiet(p, m) {
			f.scores[i] = 1<<20 + captureScore(p, m)
		}
	}
	return len(moves)
}

// takeBest moves the best of the moves from i to n to i and returns it.
func (f *leafFrame) takeBest(i, n int) board.Move {
	b := i
	for j := i + 1; j < n; j++ {
		if f.scores[j] > f.scores[b] {
			b = j
		}
	}
	f.moves[i], f.moves[b] = f.moves[b], f.moves[i]
	f.scores[i], f.scores[b] = f.scores[b], f.scores[i]
	return f.moves[i]
}
