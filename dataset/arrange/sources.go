package arrange

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
)

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
			return nil, fmt.Errorf("dataset: %s and %s: %w", first, path, dataset.ErrTwice)
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
