package numbers

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
)

// nameWords are the lower-case words of an identifier: KingPST, king_pst and KING_PST are king and pst.
func nameWords(name string) []string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 && (unicode.IsLower(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.FieldsFunc(b.String(), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// notWeights are words in names of numbers that an evaluation reads and authors do not tune.
var notWeights = map[string]string{
	"phase": "a phase", "phases": "a phase", "limit": "a limit", "limits": "a limit",
	"threshold": "a limit", "thresholds": "a limit", "max": "a limit", "min": "a limit",
	"mate": "a sentinel", "checkmate": "a sentinel", "inf": "a sentinel", "infinity": "a sentinel",
	"infinite": "a sentinel",
	"size":     "a size", "entries": "a size", "mask": "a mask", "shift": "a shift", "masks": "a mask", "mb": "a size",
	"flip": "geometry", "mirror": "geometry", "mirrored": "geometry", "steps": "geometry", "offsets": "geometry",
	"dirs": "geometry", "directions": "geometry", "index": "an index", "idx": "an index", "ix": "an index",
	"version": "a version", "divisor": "a divisor", "depth": "search", "margin": "search", "lmr": "search",
	"nmp": "search",
}

// aside is why a table with these values is no weight of an evaluation, "" if it may be one.
func aside(table string, values []float64) string {
	geometry := false
	for _, w := range nameWords(table) {
		if why := notWeights[w]; why != "" {
			return fmt.Sprintf("%s, by its name", why)
		}
		geometry = geometry || slices.Contains([]string{"dist", "distance", "square", "squares", "color", "colour"}, w)
	}
	sorted := slices.Sorted(slices.Values(values))
	for i, v := range sorted {
		if v != float64(i)+sorted[0] || sorted[0] != 0 && sorted[0] != 1 {
			break
		}
		if i == len(sorted)-1 && len(sorted) >= 8 {
			return "a permutation"
		}
	}
	if isSteps(sorted) {
		return "steps of a piece, by its values"
	}
	if geometry && len(values) >= 64 && !slices.Contains(nameWords(table), "piece") { // but piece-square tables
		return "geometry, by its name"
	}
	if len(values) == 1 && isSentinel(values[0]) {
		return "a sentinel, by its value"
	}
	return ""
}

// usual says why a table is left out unless it is asked for; use is why by its uses, or "".
func usual(table string, found []Number, use string) string {
	values := make([]float64, len(found))
	for i, n := range found {
		values[i] = n.Value
	}
	if why := aside(table, values); why != "" {
		return why
	}
	return use
}

var limits = map[string][2]float64{
	"i8": {math.MinInt8, math.MaxInt8}, "i16": {math.MinInt16, math.MaxInt16}, "u8": {0, math.MaxUint8},
	"u16": {0, math.MaxUint16}, "u32": {0, math.MaxUint32}, "u": {0, math.MaxUint32},
}

var rustTypes = strings.NewReplacer("uint", "u", "int", "i")

// bounds are the least and the largest value of a type of few bits in Rust or Go, such as uint16; 0 and 0 of others.
func bounds(name string) (least, most float64) {
	l := limits[rustTypes.Replace(name)]
	return l[0], l[1]
}

// isSteps tells the steps of a piece between squares: each one and its opposite, and perhaps a 0 for their end.
func isSteps(sorted []float64) bool {
	sorted = slices.DeleteFunc(slices.Clone(sorted), func(v float64) bool { return v == 0 })
	if len(sorted) < 4 || len(sorted) > 16 || len(sorted)%2 != 0 {
		return false
	}
	for i, v := range sorted {
		if v != -sorted[len(sorted)-1-i] || i > 0 && v == sorted[i-1] {
			return false
		}
	}
	return true
}

// isSentinel tells values such as 10000 of a king and 32767 of infinity.
func isSentinel(v float64) bool {
	v = math.Abs(v)
	return v >= 8000 && (math.Mod(v, 1000) == 0 || v >= 32700 && v <= 32768 || v >= 65535)
}

// outside tells the files that search or generate moves, whose uses of a number a measured slope does not see.
func outside(file string) bool {
	folder, base := path.Split(strings.TrimSuffix(file, path.Ext(file)))
	for _, w := range nameWords(path.Base(folder) + " " + base) {
		switch w {
		case "search", "see", "movegen", "movepick", "movepicker", "movesort", "order", "ordering", "time", "clock",
			"tt", "uci":
			return true
		}
	}
	return false
}
