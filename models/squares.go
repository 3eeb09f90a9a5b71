package models

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/assay-chess/assay/engine/board"
)

// SquareTable is the terms of a piece-square table.
type SquareTable struct {
	Name  string
	Terms [64]int // indices of the terms by square; -1 where a table has none, as of pawns on the first rank
	// Numbered tables have the terms NAME.0 to NAME.63. 0 stands for a1, but engines also call a8 so.
	Numbered bool
	first    int // number of its first term
}

// SquareTables finds the piece-square tables among terms by their names: those that end with a square, as
// psq.pawn.a2, and those that end with a number, if a name has all from 0 to 63 and no other, or several tables one
// after the other, as pst.0 to pst.383.
func SquareTables(names []string) []SquareTable {
	type key struct {
		table    string
		numbered bool
		board    int
	}
	var list []SquareTable
	at, counts, largest := map[key]int{}, map[string]int{}, map[string]int{}
	for i, name := range names {
		table, end, _ := arrayName(name)
		square, named := board.ParseSquare(end)
		number, err := strconv.Atoi(end)
		if !named && (err != nil || number < 0) {
			continue
		}
		k := key{table: table}
		if !named {
			k.numbered, k.board, square = true, number/64, board.Square(number%64)
			counts[table]++
			largest[table] = max(largest[table], number)
		}
		n, seen := at[k]
		if !seen {
			n = len(list)
			at[k] = n
			list = append(list, SquareTable{Name: table, Numbered: k.numbered, first: 64 * k.board})
			for s := range list[n].Terms {
				list[n].Terms[s] = -1
			}
		}
		list[n].Terms[square] = i
	}
	whole := map[string]bool{}
	for table, n := range counts {
		whole[table] = n%64 == 0 && largest[table] == n-1
	}
	for _, t := range list {
		whole[t.Name] = whole[t.Name] && (!t.Numbered || !slices.Contains(t.Terms[:], -1))
	}
	list = slices.DeleteFunc(list, func(t SquareTable) bool { return t.Numbered && !whole[t.Name] })
	for i := range list {
		if t := &list[i]; t.Numbered && counts[t.Name] > 64 {
			t.Name = fmt.Sprintf("%s %d to %d", t.Name, t.first, t.first+63)
		}
	}
	return list
}

// Board is the values of a half of a piece-square table, or how much they changed.
type Board struct {
	Title        string
	Half         int // 0 is the middlegame, 1 the endgame
	Changes      bool
	Values       [64]float64 // NaN where there is no term
	Middle, Most float64     // of a scale of colors: blue from Middle - Most, orange to Middle + Most
}

// Boards returns the boards of old and new values, which have these names, and of the differences, in the
// middlegame, and in the endgame where it has values of its own. at returns a term's values in a half.
func (t *SquareTable) Boards(names [2]string, at func(term, half int) (old, now float64)) []Board {
	list, same := make([]Board, 6), true
	var values, changes []float64
	for half, phase := range []string{"middlegame, ", "endgame, "} {
		b := list[3*half:]
		for k, name := range []string{names[0], names[1], "difference"} {
			b[k].Title, b[k].Half, b[k].Changes = phase+name, half, k == 2
		}
		for s, i := range t.Terms {
			old, now := math.NaN(), math.NaN()
			if i >= 0 {
				old, now = at(i, half)
				values, changes = append(values, old, now), append(changes, now-old, old-now)
				same = same && (half == 0 || old == list[0].Values[s] && now == list[1].Values[s])
			}
			b[0].Values[s], b[1].Values[s], b[2].Values[s] = old, now, now-old
		}
	}
	for k := range list {
		list[k].Middle, list[k].Most = colorScale(values)
		if list[k].Changes {
			list[k].Middle, list[k].Most = colorScale(changes)
		}
	}
	if same {
		return list[:3]
	}
	return list
}

// colorScale returns the middle of a scale of colors for values, and how far they reach from it. The middle is 0,
// or the mean of values that all lie far from 0, as those that hold the worth of a piece.
func colorScale(values []float64) (middle, most float64) {
	lo, hi, sum := slices.Min(values), slices.Max(values), 0.0
	for _, v := range values {
		sum += v
	}
	if lo > hi-lo || -hi > hi-lo {
		middle = math.Round(sum / float64(len(values)))
	}
	return middle, max(1, hi-middle, middle-lo)
}
