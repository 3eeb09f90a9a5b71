package positions

import (
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
func Quiescence(m *eval.Model, weights []eval.Coef) (func() resolver, error) {
	if _, err := m.NewEvaluator(weights); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return func() resolver {
		ev, err := m.NewEvaluator(weights)
		if err != nil {
			panic(err) // it was made from the same weights before
		}
		leaves := search.NewLeafSearch(ev)
		return func(p *board.Position) resolved {
			leaf, score := leaves.Leaf(p)
			r := resolved{Leaf: leaf, Score: score, Changed: leaf != *p}
			if r.Changed {
				r.Noise = max(score, ev.Evaluate(p)) - min(score, ev.Evaluate(p))
			}
			return r
		}
	}, nil
}

// hashMB is the size of a Searcher's transposition table, in megabytes. The table is
// cleared for each position. Its size influences the scores.
const hashMB = 1

// Searcher returns a value for Config.NewPlayer: engines with the weights. Within a limit of
// nodes their scores are the same on every machine.
func Searcher(m *eval.Model, weights []eval.Coef) func() (engine.Player, error) {
	return func() (engine.Player, error) {
		ev, err := m.NewEvaluator(weights)
		if err != nil {
			return nil, err
		}
		return search.New(ev, hashMB), nil
	}
}
