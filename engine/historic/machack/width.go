package machack

import "github.com/assay-chess/assay/engine/board"

// widths are the basic widths by level; the last stands for all deeper ones.
var widths = map[string][]int{
	"tournament": {15, 15, 9, 9, 7},
	"normal":     {6},
}

// picker selects the moves of one position that are investigated, by plausibility.
type picker struct {
	list   []candidate
	next   int
	width  int            // basic width
	used   int            // of it
	pieces int            // least number of distinct pieces
	moved  board.Bitboard // pieces whose moves were investigated
	top    bool           // first or second level: all captures
}

// pick returns a picker for a position at the given level, counted from 0.
func pick(list []candidate, basic []int, level int) picker {
	k := picker{list: list, width: basic[min(level, len(basic)-1)], top: level < 2}
	var movable board.Bitboard
	for i := range list {
		if list[i].safe {
			movable |= list[i].move.From().Bitboard()
		}
	}
	k.pieces = min(k.width/2, movable.Count())
	return k
}

// pop returns the next move to investigate: those within the width, and beyond it safe
// checks, at the first two levels captures, and moves of other pieces until there are
// enough of these.
func (k *picker) pop() *candidate {
	for k.next < len(k.list) {
		c := &k.list[k.next]
		k.next++
		from := c.move.From()
		if k.used < k.width || c.check && c.safe || k.top && c.capture ||
			k.moved.Count() < k.pieces && c.safe && !k.moved.Has(from) {
			k.moved |= from.Bitboard()
			return c
		}
	}
	return nil
}

// tally counts a move investigated against the width, but for those that get mated.
func (k *picker) tally(value int) {
	if value > -mateBound {
		k.used++
	}
}
