package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/num"
)

// Share returns n as a percentage of the whole, with one decimal.
func Share(n, of int64) string {
	if of == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// CountsText lists counts, the largest first.
func CountsText(counts map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return int(counts[b] - counts[a])
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s %d", n, counts[n]))
	}
	return strings.Join(parts, ", ")
}

// ErrorText returns a standard error, a dash if it is not known.
func ErrorText(se num.Float, digits int) string {
	if !se.Known() {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, se)
}

// PercentOr returns a share in percent, a dash if it is not known.
func PercentOr(share num.Float, digits int) string {
	if !share.Known() {
		return "-"
	}
	return fmt.Sprintf("%.*f %%", digits, 100*float64(share))
}
