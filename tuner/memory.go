package tuner

import (
	"fmt"
	"os"
)

// denseBytes estimates the memory of the matrices of a fit.
func denseBytes(parameters, terms int) int64 {
	n, t := int64(parameters), int64(terms)
	const (
		square    = 8 * 10 // ten squares of parameters are in memory while errors are computed
		triangles = 8 * 3  // six packed triangles of terms while the Hessian is summed
	)
	return square*n*n + triangles*t*t
}

// defaultMemory is a quarter of the machine's memory in bytes, on Linux; 0 elsewhere.
func defaultMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	var kB int64
	if _, err := fmt.Fscanf(f, "MemTotal: %d kB", &kB); err != nil {
		return 0
	}
	return kB << 10 / 4
}
