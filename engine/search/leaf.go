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

// correction learns by how much the static evaluation is wrong. It remembers how searches
// differed from static evaluations in positions with the same pawns and kings, with the same
// pieces of a side, and after the same move.
type correction struct {
	pawns  [2][correctionSize]int16    // by the side to move, as all of them
	pieces [2][2][correctionSize]int16 // by the pieces' side too
	moves  [2][pieceTos]int16
	none   int16 // in place of moves, where no move came before
}

const (
	// correctionSize is the number of pawn structures and of placements that are distinguished.
	correctionSize = 1 << 14
	// correctionStep is the largest change by one search.
	correctionStep = historyMax / 4
)

// corrections returns the entries for the position at the ply: by its pawns, White's
// pieces, Black's pieces and the last move. Values are up to historyMax, from the side to
// move's view.
func (e *Engine) corrections(ply int) [4]*int16 {
	p := &e.at(ply).pos
	us := p.SideToMove() & 1
	c := &e.correction
	last := &c.none
	if before := e.at(ply - 1); before.move != board.NullMove {
		last = &c.moves[us][pieceTo(before.piece, before.move)]
	}
	return [4]*int16{&c.pawns[us][p.PawnKey()%correctionSize], &c.pieces[us][0][piecesIndex(p, board.White)],
		&c.pieces[us][1][piecesIndex(p, board.Black)], last}
}

// piecesIndex returns an index below correctionSize for the squares of the side's pieces other
// than king and pawns.
func piecesIndex(p *board.Position, c board.Color) uint64 {
	h := uint64(p.Pieces(c, board.Knight))*0x9e3779b97f4a7c15 ^ uint64(p.Pieces(c, board.Bishop))*0xc2b2ae3d27d4eb4f ^
		uint64(p.Pieces(c, board.Rook))*0x165667b19e3779f9 ^ uint64(p.Pieces(c, board.Queen))*0xd6e8feb86659fd93
	return (h ^ h>>32) * 0x9e3779b97f4a7c15 >> 32 % correctionSize
}

// corrected returns the static evaluation of the position at the ply, given without it, with
// its correction.
func (e *Engine) corrected(ply, raw int) int {
	v := &e.params.values
	c := e.corrections(ply)
	sum := int(*c[0])*v[correctPawns] + (int(*c[1])+int(*c[2]))*v[correctPieces] + int(*c[3])*v[correctMoves]
	return min(max(raw+sum/historyMax, -mateBound+1), mateBound-1)
}

// correct learns from a search of the position at the ply to the depth, if its score says
// something of the static evaluation: not if a capture was best, and not if it is a bound on the
// side of the static evaluation.
func (e *Engine) correct(ply, depth, score int, b bound, best board.Move) {
	f := e.at(ply)
	if f.eval == noEval || abs(score) >= mateBound || best != board.NullMove && !isQuiet(&f.pos, best) ||
		b == lowerBound && score <= f.eval || b == upperBound && score >= f.eval {
		return
	}
	step := (score - f.eval) * depth * e.params.values[correctRate] >> plyBits
	step = min(max(step, -correctionStep), correctionStep)
	for _, h := range e.corrections(ply) {
		if h != &e.correction.none {
			update(h, step)
		}
	}
}
