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
// twice is an error. The manifest names the parents and how many rows each gave, in their order. An interrupted Merge is
// resumed; the error is dataset.ErrComplete (wrapped) if dir is complete already. Config.Fault learns what is wrong with
// the labels.
func Merge(ctx context.Context, paths []string, dir string, c Config) (*durable.Manifest, error) {
	kind, err := kindOf(paths)
	if err != nil {
		return nil, err
	}
	c.Seed = 0
	switch kind {
	case dataset.GamesFormat:
		var seen dedup.KeySet
		return merge(ctx, paths, dir, c, dataset.OpenGames, func(v *dataset.Views, g *dataset.GameRow) error {
			v.Game(g)
			if !seen.Add(g.Game) {
				return fmt.Errorf("dataset: game %d: %w", g.Game, dataset.ErrTwice)
			}
			return nil
		})
	case dataset.PositionsFormat:
		return merge(ctx, paths, dir, c, dataset.OpenPositions, func(v *dataset.Views, p *dataset.PositionRow) error {
			v.Position(p)
			return nil
		})
	default:
		return merge(ctx, paths, dir, c, openFeatures, func(v *dataset.Views, f *dataset.FeatureRow) error {
			v.Feature(f, dataset.DefaultUnit)
			return nil
		})
	}
}

// mergeReport is the report in the manifest of a merged set.
type mergeReport struct {
	ParentRows []int64 `json:"parent_rows"` // in the order of the parents and of the rows
}

func merge[R any](ctx context.Context, paths []string, dir string, c Config, open opener[R],
	take func(v *dataset.Views, row *R) error) (*durable.Manifest, error) {
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
	var views []*dataset.Views
	for _, r := range s.readers {
		report.ParentRows = append(report.ParentRows, r.Len())
		views = append(views, &dataset.Views{})
	}
	skip := w.Rows()
	err = s.each(ctx, "", func(row *R) error {
		if err := take(views[s.at], row); err != nil {
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
	for _, f := range dataset.Faults(paths, views) {
		if c.Fault != nil {
			c.Fault(f)
		}
	}
	return w.Finish(report)
}
