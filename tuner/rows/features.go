package rows

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/assay-chess/assay/dataset"
)

// FeatureSource is a set of positions seen through a foreign evaluation.
type FeatureSource struct {
	Name string // for errors
	Hash string // of the data set, for the pedigree
	// Rows yields the rows in a fixed order; an error ends it.
	Rows iter.Seq2[dataset.FeatureRow, error]
	Len  int64 // number of rows, for progress; 0 if unknown
}

// FeatureSourceOf returns an opened data set as a source.
func FeatureSourceOf(r *dataset.Reader[dataset.FeatureRow]) (FeatureSource, error) {
	id, err := r.ID()
	if err != nil {
		return FeatureSource{}, fmt.Errorf("%s: %w", r.Path(), err)
	}
	return FeatureSource{Name: r.Path(), Hash: id, Rows: r.All(), Len: r.Len()}, nil
}

// Features builds a store from rows of features. Where a row has the engine's own evaluation, that must be the
// sum of its features under the set's start values: else the error wraps dataset.ErrDrift. Errors name the
// source and the row, counted from 1.
func (b Build) Features(ctx context.Context, set dataset.FeatureSet, sources []FeatureSource) (*Store, error) {
	if err := set.Check(); err != nil {
		return nil, err
	}
	line := NewLinear(set)
	to, err := b.builder(len(line.Terms()))
	if err != nil {
		return nil, err
	}
	c := featureCollector{line: line, to: to}
	total, done := int64(0), int64(0)
	for _, s := range sources {
		total += s.Len
	}
	infos := make([]SourceInfo, len(sources))
	for i, s := range sources {
		infos[i] = SourceInfo{Name: s.Name, Hash: s.Hash}
		for row, err := range s.Rows {
			if err == nil && done%readBlock == 0 {
				err = ctx.Err()
				b.progress(done, total)
			}
			if err == nil {
				if err = c.add(&row); err != nil {
					err = fmt.Errorf("row %d: %w", infos[i].Rows+1, err)
				}
			}
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", s.Name, err), to.s.Close())
			}
			infos[i].Rows++
			done++
		}
	}
	s, err := to.Finish()
	if err != nil {
		return nil, err
	}
	s.sources, s.before, s.local = infos, line.counted(), set.Local
	return s, nil
}

// featureCollector turns rows of features into rows of a store.
type featureCollector struct {
	line *Linear
	to   *Builder
}

func (c *featureCollector) add(f *dataset.FeatureRow) error {
	if err := c.line.set.CheckRow(f); err != nil {
		return fmt.Errorf("%w: %w", ErrRow, err)
	}
	var row Row
	if err := c.line.row(f, &row); err != nil {
		return fmt.Errorf("%w: %w", ErrRow, err)
	}
	if row.Weight > 0 {
		c.line.count(f)
	}
	return c.to.Add(&row)
}
