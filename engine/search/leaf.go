package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// leafPlies bounds the lines of a LeafSearch.
const leafPlies = 32

// LeafSearch finds quiescence leaves without allocating memory. One goroutine uses it at
// a time.
//
// It is the quiescence search of Engine without the transposition table and delta pruning,
// which only save time there.
type LeafSearch struct {
	ev     engine.Evaluator
	frames [leafPlies + 2]leafFrame
}

type leafFrame struct {
	pos, leaf board.Position
	moves     [maxList]board.Move
	scores    [maxList]int32
}

// NewLeafSearch returns a LeafSearch with the evaluator.
func NewLeafSearch(ev engine.Evaluator) *LeafSearch { return &LeafSearch{ev: ev} }

// Leaf returns the position at the end of the principal variation of p's quiescence
// search, and that position's evaluation in centipawns from White's view. In a quiet
// position the leaf is p itself. If a side is mated n plies from p, the score is
// MateScore - n from the winner's view.
func (l *LeafSearch) Leaf(p *board.Position) (leaf board.Position, score int) {
	l.frames[0].pos = *p
	score = l.search(0, board.NoSquare, -infinite, infinite)
	if p.SideToMove() == board.Black {
		score = -score
	}
	return l.frames[0].leaf, score
}

// search returns the score from the side to move's view. It sets the frame's leaf if the
// score is above alpha. The move before went to the square last.
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

// list lists the moves that quiescence searches here, and returns their number.
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

// takeBest moves the best of the moves from index i up to n to index i and returns it.
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
