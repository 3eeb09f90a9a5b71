package machack

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// hashEntries is the size of the table, as in the paper.
const hashEntries = 32000

// entry is the value of a position from the view of the side to move, or a bound, and the
// depth of the search that found it.
type entry struct {
	key   uint64
	value int16
	depth int8
	bound int8 // -1: the value is at most this, 1: at least, 0: exact
}

// hash is the transposition table. A new entry always replaces the old one.
type hash []entry

func (h hash) clear() { clear(h) }

// probe returns the value of a position if a search at least as deep has decided it for the
// window.
func (h hash) probe(p *board.Position, depth, ply, alpha, beta int) (int, bool) {
	e := &h[p.Key()%hashEntries]
	if e.key != p.Key() || int(e.depth) < depth {
		return 0, false
	}
	v := fromRoot(int(e.value), ply)
	if e.bound == 0 || e.bound > 0 && v >= beta || e.bound < 0 && v <= alpha {
		return v, true
	}
	return 0, false
}

func (h hash) store(p *board.Position, depth, ply, value, alpha, beta int) {
	bound := int8(0)
	switch {
	case value <= alpha:
		bound = -1
	case value >= beta:
		bound = 1
	}
	h[p.Key()%hashEntries] = entry{p.Key(), int16(fromRoot(value, -ply)), int8(depth), bound}
}

// mateBound is the least score that means a mate.
const mateBound = engine.MateScore - 1000

// fromRoot converts a mate score from counting plies at a position to counting them at the
// root, ply plies above it. With a negative ply it converts back.
func fromRoot(v, ply int) int {
	switch {
	case v >= mateBound:
		return v - ply
	case v <= -mateBound:
		return v + ply
	}
	return v
}
