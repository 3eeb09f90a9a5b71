// Package relabel does to positions what needs a search: it finds the quiet
// positions that noisy ones lead to. It knows nothing of files; dataset.Extract
// calls it.
//
// Start reading at Quiescence.
package relabel

import (
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/eval"
)

// Quiescence returns what dataset.ExtractConfig.NewResolve asks for: resolvers that
// replace a position by the leaf of its quiescence search under the weights, one
// coefficient a term of the model. Each resolver serves one goroutine.
//
// The weights only choose the captures that are played out; the leaf's own score is
// not a label, or a tuner would learn its own start weights back.
func Quiescence(m *eval.Model, weights []eval.Coef) (func() dataset.Resolve, error) {
	if _, err := m.NewEvaluator(weights); err != nil {
		return nil, fmt.Errorf("relabel: %w", err)
	}
	return func() dataset.Resolve {
		ev, err := m.NewEvaluator(weights)
		if err != nil {
			panic(err) // it was made from the same weights before
		}
		leaves := search.NewLeafSearch(ev)
		return func(p *board.Position) (board.Position, int, bool) {
			leaf, score := leaves.Leaf(p)
			return leaf, score, leaf != *p
		}
	}, nil
}
