package tuner

import "github.com/assay-chess/assay/engine/cores"

// denseBytes estimates the memory of the matrices of a fit.
func denseBytes(parameters, terms int) int64 {
	n, t := int64(parameters), int64(terms)
	const (
		square    = 8 * 10 // ten squares of parameters are in memory while errors are computed
		triangles = 8 * 3  // six packed triangles of terms while the Hessian is summed
	)
	return square*n*n + triangles*t*t
}

// defaultMemory is a quarter of the machine's memory in bytes; 0 where that is not known.
func defaultMemory() int64 { return cores.Memory() / 4 }
