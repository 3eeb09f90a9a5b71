package search

import (
	"fmt"
	"os"
)

const (
	minHashMB = 1
	mostMB    = 65536
)

// maxHashMB is the largest transposition table that the machine has room for: more
// would end the process, as memory that cannot be had does in Go.
func maxHashMB() int {
	if mb := memoryMB(); mb > 0 {
		return max(min(mb*7/8, mostMB), minHashMB)
	}
	return mostMB
}

// memoryMB returns the machine's memory in megabytes, or 0 where the system does not
// tell: it is Linux that does.
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
