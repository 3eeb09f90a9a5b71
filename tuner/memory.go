package tuner

import "github.com/assay-chess/assay/engine/cores"

// denseBytes estimates the memory that a fit with matrices takes beside its rows.
// TestManyParameters compares it with the real one.
func denseBytes(parameters, terms int) int64 {
	n, t := int64(parameters), int64(terms)
	const (
		squares   = 8 * 14   // as many as fourteen squares of parameters while errors are computed, some of them garbage
		triangles = 8 * 3    // six packed triangles of terms while the Hessian is summed
		rest      = 32 << 20 // sums over rows and clusters
	)
	return squares*n*n + triangles*t*t + rest
}

// defaultMemory is a quarter of the machine's memory in bytes; 0 where that is not known.
func defaultMemory() int64 { return cores.Memory() / 4 }
