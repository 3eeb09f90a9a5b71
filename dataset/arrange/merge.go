package arrange

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/internal/durable"
)

// Merge concatenates data sets of one schema into a data set in dir. A game that occurs
// twice is an error. The manifest names the parents and how many rows each gave, in their order. An interrupted Merge is resumed; the error is
// dataset.ErrComplete (wrapped) if dir is complete already.
func Merge(ctx context.Context, paths []string, dir string, c Config) (*durable.Manifest, error) {
	kind, err := kindOf(paths)
	if err != nil {
		return nil, err
	}
	c.Seed = 0
	switch kind {
	case dataset.GamesFormat:
		var seen dedup.KeySet
		return merge(ctx, paths, dir, c, dataset.OpenGames, func(g *dataset.GameRow) error {
			if !seen.Add(g.Game) {
				return fmt.Errorf("dataset: game %d: %w", g.Game, dataset.ErrTwice)
			}
			return nil
		})
	case dataset.PositionsFormat:
		return merge(ctx, paths, dir, c, dataset.OpenPositions, func(*dataset.PositionRow) error { return nil })
	default:
		return merge(ctx, paths, dir, c, openFeatures, func(*dataset.FeatureRow) error { return nil })
	}
}

// mergeReport is the report in the manifest of a merged set.
type mergeReport struct {
	ParentRows []int64 `json:"parent_rows"` // in the order of the parents and of the rows
}

func merge[R any](ctx context.Context, paths []string, dir string, c Config, open opener[R],
	take func(row *R) error) (*durable.Manifest, error) {
	s, err := openAll(paths, open, c)
	if err != nil {
		return nil, err
	}
	w, err := s.writer(dir, map[string]string{"operation": "merge"})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	var report mergeReport
	for _, r := range s.readers {
		report.ParentRows = append(report.ParentRows, r.Len())
	}
	skip := w.Rows()
	err = s.each(ctx, "", func(row *R) error {
		if err := take(row); err != nil {
			return errors.Join(err, w.Discard())
		}
		if skip--; skip >= 0 {
			return nil
		}
		return w.Append(row)
	})
	if err != nil {
		return nil, err
	}
	return w.Finish(report)
}
