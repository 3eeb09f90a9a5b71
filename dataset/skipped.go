package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Skipped counts rows of features that are in no fit, by the reason that the engine gave.
type Skipped map[string]int64

// maxReasons bounds the reasons that are counted on their own.
const maxReasons = 1000

// Add counts a row if it is skipped.
func (s Skipped) Add(r *FeatureRow) {
	reason := r.Skip
	if reason == "" {
		return
	}
	if _, known := s[reason]; !known && len(s) >= maxReasons {
		reason = "other reasons"
	}
	s[reason]++
}

// Total returns the number of skipped rows.
func (s Skipped) Total() (n int64) {
	for _, k := range s {
		n += k
	}
	return n
}

// Text says how many of the rows are skipped, and why; it is empty if none are.
func (s Skipped) Text(rows int64) string {
	if len(s) == 0 {
		return ""
	}
	reasons := slices.SortedFunc(maps.Keys(s), func(a, b string) int {
		return cmp.Or(cmp.Compare(s[b], s[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, r := range reasons[:min(5, len(reasons))] {
		parts = append(parts, fmt.Sprintf("%d %q", s[r], r))
	}
	if n := len(reasons) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("and %d reasons more", n))
	}
	n := s.Total()
	return fmt.Sprintf("%d of %d rows (%.1f %%) are skipped: %s",
		n, rows, 100*float64(n)/float64(max(1, rows)), strings.Join(parts, ", "))
}

// Check returns an error if more than half of the rows are skipped: a fit would not be about these
// positions.
func (s Skipped) Check(rows int64) error {
	if 2*s.Total() <= rows {
		return nil
	}
	return fmt.Errorf("%s. That is more than half, so that a fit would be about other positions than these. "+
		"Does the dump skip what it should count? Else leave such positions out of the data", s.Text(rows))
}
