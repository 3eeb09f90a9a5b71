// Package arrange makes data sets of whole data sets, and looks at them: Merge puts rows
// one after the other, Split keeps the rows of a game together in one of several parts,
// Shuffle puts rows in random order, Summarize counts what a data set holds.
//
// All of them work on games, positions and features, and on more rows than fit into
// memory. The rows themselves do not change, but for their weights where Merge mixes; package positions
// makes new ones.
//
// No promise of stability.
//
// Start reading at Merge.
package arrange

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
)

// Merge concatenates data sets of one schema into a data set in dir. A game that occurs
// twice is an error. The manifest names the parents and how many rows each gave, in their order. An interrupted Merge
// is resumed; the error is dataset.ErrComplete (wrapped) if dir is complete already. Config.Fault learns the fault of
// the labels.
func Merge(ctx context.Context, paths []string, dir string, c Config) error {
	kind, err := kindOf(paths)
	if err != nil {
		return err
	}
	c.Seed = 0
	switch kind {
	case dataset.GamesFormat:
		var seen dedup.KeySet
		return merge(ctx, paths, dir, c, dataset.OpenGames, func(v *dataset.Views, g *dataset.GameRow) error {
			v.Game(g)
			if !seen.Add(g.Game) {
				return fmt.Errorf("dataset: game %d: %w", g.Game, dataset.ErrDuplicate)
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
	take func(v *dataset.Views, row *R) error) error {
	s, err := openAll(paths, open, c)
	if err != nil {
		return err
	}
	w, err := s.writer(dir, map[string]string{"operation": "merge"})
	if err != nil {
		return err
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
		return err
	}
	for _, f := range dataset.Faults(paths, views) {
		if c.Fault != nil {
			c.Fault(f)
		}
	}
	_, err = w.Finish(report)
	return err
}

// ErrSchemas says that data sets cannot be combined: their schemas differ, or they are
// features of different evaluations.
var ErrSchemas = errors.New("the data sets are of different kinds")

// Config has the settings of Merge, Split and Shuffle.
type Config struct {
	Seed     uint64 // of Split and Shuffle
	Program  string // version of the program, for the manifest
	Progress dataset.Progress

	Fault func(error) // is called by Merge for each fault of the scores and results; nil for none
}

// sources are data sets of one schema that are read one after the other.
type sources[R any] struct {
	Config
	readers []*dataset.Reader[R]
	ids     []string
	total   int64 // rows
	at      int   // reader whose rows are read
}

// opener opens data sets of one schema.
type opener[R any] func(path string, opts ...dataset.OpenOption) (*dataset.Reader[R], error)

func openFeatures(path string, opts ...dataset.OpenOption) (*dataset.Reader[dataset.FeatureRow], error) {
	r, _, err := dataset.OpenFeatures(path, opts...)
	return r, err
}

// kindOf returns the schema that all paths have.
func kindOf(paths []string) (string, error) {
	var first string
	for i, path := range paths {
		format, err := dataset.Detect(path)
		if err != nil {
			return "", err
		}
		if i > 0 && format != first {
			return "", fmt.Errorf("dataset: %s holds %s, %s holds %s: %w", paths[0], first, path, format, ErrSchemas)
		}
		first = format
	}
	return first, nil
}

func openAll[R any](paths []string, open opener[R], c Config) (*sources[R], error) {
	s := &sources[R]{Config: c}
	seen := map[string]string{}
	for _, path := range paths {
		r, err := open(path)
		if err != nil {
			return nil, err
		}
		id, err := r.ID()
		if err != nil {
			return nil, err
		}
		if first, twice := seen[id]; twice {
			return nil, fmt.Errorf("dataset: %s and %s: %w", first, path, dataset.ErrDuplicate)
		}
		seen[id] = path
		if len(s.readers) > 0 {
			if err := s.readers[0].SameSchema(r); err != nil {
				return nil, fmt.Errorf("dataset: %s and %s: %w: %w", s.readers[0].Path(), path, ErrSchemas, err)
			}
		}
		s.readers, s.ids, s.total = append(s.readers, r), append(s.ids, id), s.total+r.Len()
	}
	return s, nil
}

// writer starts or resumes a data set of the sources' schema.
func (s *sources[R]) writer(dir string, config any, opts ...dataset.WriterOption) (*dataset.Writer[R], error) {
	c := dataset.WriterConfig{Config: config, Seed: s.Seed, Program: s.Program, Parents: s.ids}
	return s.readers[0].NewWriter(dir, c, opts...)
}

// each calls visit with every row of all sources.
func (s *sources[R]) each(ctx context.Context, note string, visit func(*R) error) error {
	before := int64(0)
	for i, r := range s.readers {
		s.at = i
		var progress dataset.Progress
		if s.Progress != nil {
			progress = func(done, _ int64, note string) { s.Progress(before+done, s.total, note) }
		}
		if err := dataset.Each(ctx, r, progress, note, visit); err != nil {
			return err
		}
		before += r.Len()
	}
	return nil
}
