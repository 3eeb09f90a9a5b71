package search

import (
	"fmt"
	"os"
)

const (
	minHashMB   = 1
	hashLimitMB = 65536
)

// maxHashMB returns the largest size of the transposition table, in MiB: 7/8 of the
// machine's memory. A Go process that runs out of memory dies.
func maxHashMB() int {
	if mb := memoryMB(); mb > 0 {
		return max(min(mb*7/8, hashLimitMB), minHashMB)
	}
	return hashLimitMB
}

// memoryMB returns the machine's memory in MiB on Linux, and 0 elsewhere.
func memoryMB() (mb int) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	var kB int
	if _, err := fmt.Fscanf(f, "MemTotal: %d kB", &kB); err != nil {
		return 0
	}
	return kB >> 10
}
