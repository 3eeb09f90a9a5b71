package tuner

import (
	"cmp"
	"fmt"

	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/tuner/objective"
)

// matrixBytes estimates the memory that the matrices of a fit take beside its rows.
// TestManyParameters compares it with the real one.
func matrixBytes(parameters, terms int) int64 {
	n, t := int64(parameters), int64(terms)
	const (
		squares   = 8 * 14   // as many as fourteen squares of parameters while errors are computed, some of them garbage
		triangles = 8 * 3    // six packed triangles of terms while the Hessian is summed
		rest      = 32 << 20 // sums over rows and clusters
	)
	return squares*n*n + triangles*t*t + rest
}

// memory returns what the matrices of the fit take and may take, in bytes; the latter is 0 where
// it is not known. The triangles of a formula are over the halves of terms.
func (f *fitting) memory() (need, have int64) {
	terms := f.s.Terms()
	if f.s.Bend() != nil {
		terms *= 2
	}
	return matrixBytes(f.free.N, terms), cmp.Or(f.c.Memory, cores.Memory()/2)
}

// fits reports whether matrices fit into memory.
func (f *fitting) fits() bool {
	need, have := f.memory()
	f.c.progress(0, 0, "%d parameters: matrices take %d MiB of %d MiB", f.free.N, need>>20, have>>20)
	return have == 0 || need <= have
}

// checkMemory refuses a fit with a formula that would take more than it may.
func (f *fitting) checkMemory() error {
	need, have := f.memory()
	if f.s.Bend() == nil || have == 0 || need <= have {
		return nil
	}
	return fmt.Errorf("%w: a fit with a formula needs matrices, for %d parameters about %d MiB, and may take %d: "+
		"allow more memory (--memory %dM), or freeze terms", objective.ErrConfig, f.free.N, need>>20, have>>20, need>>20+1)
}
