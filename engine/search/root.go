package search

import (
	"errors"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// ErrSearchMoves is returned when none of Limits.SearchMoves is legal.
var ErrSearchMoves = errors.New("none of the moves to search is legal")

// rootMove is a legal move of the root position.
type rootMove struct {
	move     board.Move
	score    int // of the current iteration; -infinite where it only failed low
	previous int // of the iteration before
	selDepth int
	pvLen    int
	pv       [maxPly + 2]board.Move
}

// rootMoves are the moves of the root to be searched, the best so far first.
type rootMoves struct {
	n     int
	order [board.MaxMoves]int16 // indexes into moves
	moves [board.MaxMoves]rootMove
}

func (r *rootMoves) at(i int) *rootMove { return &r.moves[r.order[i]] }

// fill lists the legal moves, only those asked for if any are, in the order in which
// a node would try them.
func (r *rootMoves) fill(e *Engine, only []board.Move) error {
	r.n = 0
	f := e.at(0)
	hit, _ := e.table.probe(f.pos.Key())
	hash := hit.move
	if hash != board.NullMove && !f.pos.IsLegal(hash) {
		hash = board.NullMove
	}
	f.killers = [2]board.Move{}
	picker := e.newPicker(0, hash)
	seen := false
	for m := picker.pick(); m != board.NullMove; m = picker.pick() {
		seen = true
		if len(only) > 0 && !slices.Contains(only, m) {
			continue
		}
		rm := &r.moves[r.n]
		rm.move, rm.score, rm.previous, rm.selDepth = m, -infinite, -infinite, 0
		rm.pv[0], rm.pvLen = m, 1
		r.order[r.n] = int16(r.n)
		r.n++
	}
	if seen && r.n == 0 {
		return ErrSearchMoves
	}
	return nil
}

// sort puts the best of the moves from first on in front; equal ones keep their order.
func (r *rootMoves) sort(first int) {
	for i := first + 1; i < r.n; i++ {
		x := r.order[i]
		rx := &r.moves[x]
		j := i
		for ; j > first; j-- {
			ry := &r.moves[r.order[j-1]]
			if ry.score > rx.score || ry.score == rx.score && ry.previous >= rx.previous {
				break
			}
			r.order[j] = r.order[j-1]
		}
		r.order[j] = x
	}
}
