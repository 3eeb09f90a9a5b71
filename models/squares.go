package models

import (
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
}

// SquareTables finds the piece-square tables among terms by their names: those that end with a square, as
// psq.pawn.a2, and those that end with a number, if a table has all from 0 to 63 and no other.
func SquareTables(names []string) []SquareTable {
	type key struct {
		table    string
		numbered bool
	}
	var list []SquareTable
	at, found := map[key]int{}, []int{}
	for i, name := range names {
		table, end, _ := arrayName(name)
		square, named := board.ParseSquare(end)
		number, err := strconv.Atoi(end)
		if !named && err != nil {
			continue
		}
		n, seen := at[key{table, !named}]
		if !seen {
			n = len(list)
			at[key{table, !named}] = n
			list, found = append(list, SquareTable{Name: table, Numbered: !named}), append(found, 0)
			for s := range list[n].Terms {
				list[n].Terms[s] = -1
			}
		}
		if found[n]++; named {
			list[n].Terms[square] = i
		} else if 0 <= number && number < 64 {
			list[n].Terms[number] = i
		}
	}
	n := -1
	return slices.DeleteFunc(list, func(t SquareTable) bool {
		n++
		return t.Numbered && (found[n] != 64 || slices.Contains(t.Terms[:], -1))
	})
}

// ColorScale returns the middle of a scale of colors for values, and how far they reach from it. The middle is 0,
// or the mean of values that all lie far from 0, as those that hold the worth of a piece.
func ColorScale(values []float64) (middle, most float64) {
	lo, hi, sum := slices.Min(values), slices.Max(values), 0.0
	for _, v := range values {
		sum += v
	}
	if lo > hi-lo || -hi > hi-lo {
		middle = math.Round(sum / float64(len(values)))
	}
	return middle, max(1, hi-middle, middle-lo)
}
