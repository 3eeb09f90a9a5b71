package models

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

const (
	// centipawn is the field "unit" of weights in centipawns: of all but a foreign
	// evaluation that has a unit of its own.
	centipawn = "centipawn"

	leastUnit, mostUnit = 10, 10_000 // engine units a pawn, as in data sets of features
)

func validUnit(n float64) bool { return n >= leastUnit && n <= mostUnit }

// unitField returns the field "unit": a centipawn, or "1/256 pawn".
func (f *File) unitField() string {
	if f.Unit == 0 {
		return centipawn
	}
	return fmt.Sprintf("1/%s pawn", strconv.FormatFloat(f.Unit, 'g', -1, 64))
}

// UnitName returns the unit of the weights, for people: "centipawn", or "engine unit" with
// the number of units a pawn, as in "engine unit (256 a pawn)".
func (f *File) UnitName() string {
	if f.Unit == 0 {
		return centipawn
	}
	return fmt.Sprintf("engine unit (%g a pawn)", f.Unit)
}

// Units returns the unit of the weights in the plural: "centipawns" or "engine units".
func (f *File) Units() string {
	if f.Unit == 0 {
		return "centipawns"
	}
	return "engine units"
}

func parseUnit(text string) (float64, error) {
	if text == centipawn {
		return 0, nil
	}
	number, ok := strings.CutPrefix(text, "1/")
	number, ok2 := strings.CutSuffix(number, " pawn")
	n, err := strconv.ParseFloat(number, 64)
	if !ok || !ok2 || err != nil || !validUnit(n) {
		return 0, fmt.Errorf("want %q, or of an external evaluation \"1/N pawn\" with N from %d to %d engine units, "+
			"got %.60q",
			centipawn, leastUnit, mostUnit, text)
	}
	if n == 100 {
		return 0, nil
	}
	return n, nil
}
