package arrange

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/internal/dedup"
)

// Merge concatenates data sets of one schema into a data set in dir. A game that occurs
// twice is an error. The manifest names the parents and how many rows each gave, in their order; with
// c.Mix the rows' weights are multiplied. An interrupted Merge is resumed; the error is
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
		if c.Mix != nil {
			return nil, errors.New("dataset: games have no weights: merge the positions that are made of them")
		}
		return merge(ctx, paths, dir, c, dataset.OpenGames, func(g *dataset.GameRow, _ float32) error {
			if !seen.Add(g.Game) {
				return fmt.Errorf("dataset: game %d: %w", g.Game, dataset.ErrTwice)
			}
			return nil
		})
	case dataset.PositionsFormat:
		return merge(ctx, paths, dir, c, dataset.OpenPositions, func(p *dataset.PositionRow, weight float32) error {
			p.Weight *= weight
			return nil
		})
	default:
		return merge(ctx, paths, dir, c, openFeatures, func(f *dataset.FeatureRow, weight float32) error {
			f.Weight *= weight
			return nil
		})
	}
}

// mergeConfig is the part of a merged set's manifest that says how it was made.
type mergeConfig struct {
	Operation string `json:"operation"`
	Mix       Mix    `json:"mix,omitempty"`
}

// mergeReport is the part that says what is in it.
type mergeReport struct {
	ParentRows []int64 `json:"parent_rows"` // in the order of the parents and of the rows
}

func merge[R any](ctx context.Context, paths []string, dir string, c Config, open opener[R],
	take func(row *R, weight float32) error) (*durable.Manifest, error) {
	s, err := openAll(paths, open, c)
	if err != nil {
		return nil, err
	}
	if err := c.Mix.Check(paths, s.ids); err != nil {
		return nil, fmt.Errorf("dataset: the mix has %w", err)
	}
	w, err := s.writer(dir, mergeConfig{"merge", c.Mix})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	var report mergeReport
	for _, r := range s.readers {
		report.ParentRows = append(report.ParentRows, r.Len())
	}
	skip, parent, left := w.Rows(), -1, int64(0)
	err = s.each(ctx, "", func(row *R) error {
		for ; left == 0; left = report.ParentRows[parent] {
			parent++
		}
		left--
		if err := take(row, c.Mix.Of(s.ids[parent])); err != nil {
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
