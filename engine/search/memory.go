package search

import "github.com/assay-chess/assay/engine/machine"

const (
	minHashMB   = 1
	hashLimitMB = 65536
)

// maxHashMB returns the largest size of the transposition table, in MiB: 7/8 of the
// machine's memory. A Go process that runs out of memory dies.
func maxHashMB() int {
	if mb := int(machine.Memory() >> 20); mb > 0 {
		return max(min(mb*7/8, hashLimitMB), minHashMB)
	}
	return hashLimitMB
}
