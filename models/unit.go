package models

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// Unit is the field "unit" of weights in centipawns: of all but those of a foreign
	// evaluation that has a unit of its own.
	Unit = "centipawn"

	leastUnit, mostUnit = 10, 10_000 // engine units a pawn, as in data sets of features
)

func validUnit(n float64) bool { return n >= leastUnit && n <= mostUnit }

// unitField returns the field "unit": a centipawn, or "1/256 pawn".
func (f *File) unitField() string {
	if f.Unit == 0 {
		return Unit
	}
	return fmt.Sprintf("1/%s pawn", strconv.FormatFloat(f.Unit, 'g', -1, 64))
}

// UnitName returns the unit of the weights, for people: "centipawn", or "engine unit" with
// the number of units a pawn, as in "engine unit (256 a pawn)".
func (f *File) UnitName() string {
	if f.Unit == 0 {
		return Unit
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

// parseUnit reads the field "unit".
func parseUnit(text string) (float64, error) {
	if text == Unit {
		return 0, nil
	}
	number, ok := strings.CutPrefix(text, "1/")
	number, ok2 := strings.CutSuffix(number, " pawn")
	n, err := strconv.ParseFloat(number, 64)
	if !ok || !ok2 || err != nil || !validUnit(n) {
		return 0, fmt.Errorf("want %q, or of a foreign evaluation \"1/N pawn\" with N from %d to %d engine units, "+
			"got %.60q",
			Unit, leastUnit, mostUnit, text)
	}
	if n == 100 {
		return 0, nil
	}
	return n, nil
}
