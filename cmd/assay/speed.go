package main

import (
	"context"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/search"
)

// measureSpeed returns search.Speed with the default weights.
func measureSpeed(ctx context.Context, cores int) (float64, error) {
	return search.Speed(ctx, cores, func() (engine.Evaluator, error) {
		x, err := openWeights("", "")
		if err != nil {
			return nil, err
		}
		return x.model.NewEvaluator(x.coefs)
	})
}
