package search

import "github.com/assay-chess/assay/engine/board"

// ranked packs a move, its score and its index in a list into one number, of which the
// highest is the best move and, among equals, the first. So the best of a list is found
// without branches that are hard to predict.
type ranked int64

const (
	moveBits  = 16
	indexBits = 16
	indexMask = 1<<indexBits - 1
)

func newRanked(m board.Move, score int32, index int) ranked {
	return ranked(score)<<(moveBits+indexBits) | ranked(indexMask-index)<<moveBits | ranked(m)
}

func (r ranked) move() board.Move { return board.Move(r) }

func (r ranked) index() int { return indexMask - int(r>>moveBits&indexMask) }

// at returns the same move and score at another index.
func (r ranked) at(index int) ranked {
	return r&^(indexMask<<moveBits) | ranked(indexMask-index)<<moveBits
}

// rank stores a move with its score at an index of the frame's list.
func (f *frame) rank(i int, m board.Move, score int32) { f.ranked[i] = newRanked(m, score, i) }
