package machack

import "github.com/assay-chess/assay/engine/board"

// widths are the basic widths by level. The last one holds for all deeper levels.
var widths = map[string][]int{
	"tournament": {15, 15, 9, 9, 7},
	"normal":     {6},
}

// picker selects the moves of one position that are searched, by plausibility.
type picker struct {
	list   []candidate
	next   int
	width  int            // basic width
	used   int            // moves counted against the width
	pieces int            // least number of distinct pieces
	moved  board.Bitboard // pieces whose moves have been searched
	top    bool           // first or second level, where all captures are searched
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

// pop returns the next move to search: those within the width, and beyond it safe checks,
// captures at the first two levels, and moves of further pieces until there are enough of
// these. It returns nil after the last.
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

// tally counts a searched move against the width, unless it leads to being mated.
func (k *picker) tally(value int) {
	if value > -mateBound {
		k.used++
	}
}
