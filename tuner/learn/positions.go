package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/positions"
)

// positions makes the generation's positions of its games: noisy ones are replaced by
// the leaves of their quiescence search under the weights that played.
func (l *learner) positions(ctx context.Context, g int) (positions.Counts, error) {
	var none positions.Counts
	games, err := dataset.OpenGames(l.run.Path(Folder(g), "games"))
	if err != nil {
		return none, err
	}
	filter := l.Plan.Generations[g-1].Filter.dataset(l.champion.ID, l.Plan.Seed)
	m, coefs, err := l.champion.Values.Weights()
	if err != nil {
		return none, err
	}
	newResolve, err := positions.Quiescence(m, coefs)
	if err != nil {
		return none, err
	}
	stage := l.stage(fmt.Sprintf("generation %d: positions", g))
	manifest, counts, err := positions.Extract(ctx, []*dataset.Reader[dataset.GameRow]{games},
		l.run.Path(Folder(g), "positions"), positions.Config{
			Filter: filter, Program: l.Program, NewResolver: newResolve, Workers: l.Concurrency, Progress: stage.Update,
		})
	if errors.Is(err, dataset.ErrComplete) {
		return l.counted(g)
	}
	if err != nil {
		return none, err
	}
	stage.Finish(fmt.Sprintf("%d of %d kept, %d of them replaced by a quiet leaf",
		manifest.Rows, counts.Positions, counts.Replaced))
	return counts, nil
}

// counted returns the counts of positions that an earlier call wrote.
func (l *learner) counted(g int) (counts positions.Counts, err error) {
	d, err := dataset.OpenPositions(l.run.Path(Folder(g), "positions"))
	if err != nil {
		return counts, err
	}
	if err := json.Unmarshal(d.Manifest().Report, &counts); err != nil {
		return counts, fmt.Errorf("%s: report: %w", d.Path(), err)
	}
	return counts, nil
}
