package dataset

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset/durable"
)

// ErrSchemas says that data sets of different schemas, or features of different
// evaluations, were to become one.
var ErrSchemas = errors.New("the data sets are of different kinds")

// ArrangeConfig is what Merge, Split and Shuffle have in common.
type ArrangeConfig struct {
	Seed     uint64 // of Split and Shuffle
	Program  string // version of the program, for the manifest
	Progress Progress
}

// sources are data sets of one kind, to be read one after the other.
type sources[R any] struct {
	ArrangeConfig
	readers []*Reader[R]
	ids     []string
	total   int64 // rows
	codec   codec[R]
}

// opener opens a data set of one kind.
type opener[R any] func(path string, opts ...OpenOption) (*Reader[R], error)

func openFeatures(path string, opts ...OpenOption) (*Reader[FeatureRow], error) {
	r, _, err := OpenFeatures(path, opts...)
	return r, err
}

// kindOf returns the one schema of all paths.
func kindOf(paths []string) (string, error) {
	var first string
	for i, path := range paths {
		format, err := Detect(path)
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

func openAll[R any](paths []string, open opener[R], c ArrangeConfig) (*sources[R], error) {
	s := &sources[R]{ArrangeConfig: c}
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
			return nil, fmt.Errorf("dataset: %s and %s: %w", first, path, ErrTwice)
		}
		seen[id] = path
		if s.codec == nil {
			s.codec = r.codec
		} else if err := s.alike(r); err != nil {
			return nil, fmt.Errorf("dataset: %s and %s: %w: %w", s.readers[0].path, path, ErrSchemas, err)
		}
		s.readers, s.ids, s.total = append(s.readers, r), append(s.ids, id), s.total+r.Len()
	}
	return s, nil
}

// alike compares what the features of data sets count.
func (s *sources[R]) alike(r *Reader[R]) error {
	got, want := r.codec.schema(), s.codec.schema()
	if err := checkSchema(got, want); err != nil {
		return err
	}
	gm, wm := got.Metadata(), want.Metadata()
	for _, key := range []string{metaModel, metaTerms} {
		g, _ := gm.GetValue(key)
		if w, _ := wm.GetValue(key); g != w {
			return fmt.Errorf("they differ in %s", key)
		}
	}
	return nil
}

// writer begins or goes on with a data set of the sources' kind.
func (s *sources[R]) writer(dir string, config any) (*Writer[R], error) {
	return newWriter(dir, WriterConfig{Config: config, Seed: s.Seed, Program: s.Program, Parents: s.ids}, s.codec, s.codec.layout(), memory.NewGoAllocator())
}

// all yields the rows of all sources with their number.
func (s *sources[R]) all(ctx context.Context, note string) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		w := watch{ctx: ctx, progress: s.Progress, note: note, total: s.total}
		for _, r := range s.readers {
			for row, err := range r.All() {
				if err == nil {
					err = w.row()
				}
				if !yield(&row, err) || err != nil {
					return
				}
			}
		}
	}
}

// Merge writes the rows of data sets of one schema one after the other as a data set
// in dir. A game that is there twice is an error. An interrupted Merge is gone on
// with; the error is ErrComplete (wrapped) if nothing is left to do.
func Merge(ctx context.Context, paths []string, dir string, c ArrangeConfig) (*durable.Manifest, error) {
	kind, err := kindOf(paths)
	if err != nil {
		return nil, err
	}
	c.Seed = 0
	switch kind {
	case GamesFormat:
		var seen keySet
		return merge(ctx, paths, dir, c, OpenGames, func(g *GameRow) error {
			if !seen.add(g.Game) {
				return fmt.Errorf("dataset: game %d: %w", g.Game, ErrTwice)
			}
			return nil
		})
	case PositionsFormat:
		return merge(ctx, paths, dir, c, OpenPositions, nil)
	default:
		return merge(ctx, paths, dir, c, openFeatures, nil)
	}
}

func merge[R any](ctx context.Context, paths []string, dir string, c ArrangeConfig, open opener[R], check func(*R) error) (*durable.Manifest, error) {
	s, err := openAll(paths, open, c)
	if err != nil {
		return nil, err
	}
	w, err := s.writer(dir, map[string]string{"operation": "merge"})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	skip := w.Rows()
	for row, err := range s.all(ctx, "") {
		if err != nil {
			return nil, err
		}
		if check != nil {
			if err := check(row); err != nil {
				return nil, errors.Join(err, w.Discard())
			}
		}
		if skip--; skip >= 0 {
			continue
		}
		if err := w.Append(row); err != nil {
			return nil, err
		}
	}
	return w.Finish(nil)
}
