// Package relabel does to positions what needs a search: it finds the quiet
// positions that noisy ones lead to, and gives positions new scores. It knows nothing of
// files; dataset.Extract and dataset.Refine call it.
//
// Start reading at Quiescence and Search.
package positions

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/eval"
)

// Quiescence returns what Config.NewResolver asks for: resolvers that
// replace a position by the leaf of its quiescence search under the weights, one
// coefficient a term of the model. Each resolver serves one goroutine.
//
// The weights only choose the captures that are played out; the leaf's own score is
// not a label, or a tuner would learn its own start weights back.
func Quiescence(m *eval.Model, weights []eval.Coef) (func() Resolver, error) {
	if _, err := m.NewEvaluator(weights); err != nil {
		return nil, fmt.Errorf("relabel: %w", err)
	}
	return func() Resolver {
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

// hashMB is the transposition table of a Search, in megabytes. It is cleared for each
// position, and it is part of the score.
const hashMB = 1

// Search returns what Config.NewRescorer asks for: engines with the weights
// that search each position, forgetful of all others, until they have finished the
// iteration in which they pass the number of nodes. A score is the same whatever was
// searched before, and on every machine.
func Search(m *eval.Model, weights []eval.Coef, nodes uint64) (func() Rescorer, error) {
	if nodes == 0 {
		return nil, fmt.Errorf("relabel: a search wants a number of nodes")
	}
	if _, err := m.NewEvaluator(weights); err != nil {
		return nil, fmt.Errorf("relabel: %w", err)
	}
	return func() Rescorer {
		ev, err := m.NewEvaluator(weights)
		if err != nil {
			panic(err) // it was made from the same weights before
		}
		e := search.New(ev, hashMB)
		return func(ctx context.Context, p *board.Position) (int16, error) {
			if err := e.NewGame(0); err != nil {
				return 0, fmt.Errorf("relabel: %w", err)
			}
			r, err := e.Search(ctx, board.NewGame(*p), engine.Limits{Nodes: nodes})
			if err != nil {
				return 0, fmt.Errorf("relabel: %s: %w", p.FEN(), err)
			}
			if p.SideToMove() == board.Black {
				return int16(-r.Score), nil
			}
			return int16(r.Score), nil
		}
	}, nil
}
