package positions

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/eval"
)

// Quiescence returns a value for Config.NewResolver: resolvers that replace a position by
// the leaf of its quiescence search. Weights has one coefficient per term of the model.
// Each resolver serves one goroutine.
//
// The weights only choose which captures are played. The leaf's own score is not used as a
// label: a tuner would only learn its start weights back.
func Quiescence(m *eval.Model, weights []eval.Coef) (func() Resolver, error) {
	if _, err := m.NewEvaluator(weights); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
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

// hashMB is the size of a Search's transposition table, in megabytes. The table is cleared
// for each position. Its size influences the scores.
const hashMB = 1

// Search returns a value for Config.NewRescorer: engines with the weights that search each
// position until they finish the iteration in which they pass the number of nodes. They
// keep nothing from one position to the next, so a score does not depend on what was
// searched before, and is the same on every machine.
func Search(m *eval.Model, weights []eval.Coef, nodes uint64) (func() Rescorer, error) {
	if nodes == 0 {
		return nil, fmt.Errorf("dataset: a search needs a number of nodes")
	}
	if _, err := m.NewEvaluator(weights); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return func() Rescorer {
		ev, err := m.NewEvaluator(weights)
		if err != nil {
			panic(err) // it was made from the same weights before
		}
		e := search.New(ev, hashMB)
		return func(ctx context.Context, p *board.Position) (int16, error) {
			if err := e.NewGame(0); err != nil {
				return 0, fmt.Errorf("dataset: %w", err)
			}
			r, err := e.Search(ctx, board.NewGame(*p), engine.Limits{Nodes: nodes})
			if err != nil {
				return 0, fmt.Errorf("dataset: %s: %w", p.FEN(), err)
			}
			if p.SideToMove() == board.Black {
				return int16(-r.Score), nil
			}
			return int16(r.Score), nil
		}
	}, nil
}
