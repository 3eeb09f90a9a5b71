package tuner

import (
	"cmp"
	"fmt"

	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/tuner/objective"
)

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

// bentBytes is denseBytes of a fit with a formula, whose triangles are over the halves of terms.
func bentBytes(parameters, terms int) int64 {
	return denseBytes(parameters, 2*terms)
}

// checkMemory refuses a fit with a formula that would take more than it may: without matrices
// there are only linear ones.
func (f *fitting) checkMemory() error {
	if f.s.Bend() == nil {
		return nil
	}
	need, have := bentBytes(f.free.N, f.s.Terms()), cmp.Or(f.c.Memory, defaultMemory())
	if have == 0 || need <= have {
		return nil
	}
	return fmt.Errorf("%w: a fit with a formula needs matrices, for %d parameters about %d MiB, and may take %d: allow more memory (--memory %dM), or freeze terms",
		objective.ErrConfig, f.free.N, need>>20, have>>20, need>>20+1)
}

// defaultMemory is a quarter of the machine's memory in bytes; 0 where that is not known.
func defaultMemory() int64 { return cores.Memory() / 4 }
