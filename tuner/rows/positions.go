package rows

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/inorder"
)

// source is a set of labelled rows to learn from.
type source[R any] struct {
	Name string // for errors
	Hash string // of the data set, for the pedigree
	// Rows yields the rows in a fixed order; an error ends it.
	Rows iter.Seq2[R, error]
	Len  int64 // number of rows, for progress; 0 if unknown
	// Weight multiplies the weight of every position; 0 means 1. Rows of features keep theirs.
	Weight float32
	// TrainOnly keeps the games of positions out of the validation set.
	TrainOnly bool
}

// Sources of positions, and of positions seen through an external evaluation.
type (
	Source        = source[dataset.PositionRow]
	FeatureSource = source[dataset.FeatureRow]
)

// SourceOf returns an opened data set as a source.
func SourceOf[R any](r *dataset.Reader[R]) (source[R], error) {
	id, err := r.ID()
	if err != nil {
		return source[R]{}, fmt.Errorf("%s: %w", r.Path(), err)
	}
	return source[R]{Name: r.Path(), Hash: id, Rows: r.All(), Len: r.Len()}, nil
}

// readBlock is the number of positions handed to a goroutine at once.
const readBlock = 2048

// job is a block of positions on its way to becoming rows.
type job struct {
	source    int
	first     int64 // number in its source of the first position
	positions []dataset.PositionRow
	entries   []Entry // of all rows, one after the other
	ends      []int   // of each row's entries
	rows      []Row   // their Entries are slices of the above
}

// Build says how a store is built. The zero value is a store in memory, built with all cores.
type Build struct {
	// Workers is the number of goroutines, 0 = all cores. The store is the same for any number of them.
	Workers int
	// Disk is a folder for the entries of a store that is not kept in memory;
	// see NewDiskBuilder. Empty means memory.
	Disk string
	// Progress, if not nil, is called now and then.
	Progress func(done, total int64, note string)
}

func (b Build) progress(done, total int64) {
	if b.Progress != nil {
		b.Progress(done, total, "features")
	}
}

// Positions extracts the model's features from all positions of the sources.
// Errors name the source and the row, counted from 1.
func (b Build) Positions(ctx context.Context, m *eval.Model, sources []Source) (*Store, error) {
	to, err := NewDiskBuilder(len(m.Terms), b.Disk)
	if err != nil {
		return nil, err
	}
	bend := nonlinearOf(m)
	if bend != nil {
		to.SetNonlinear(bend)
	}
	n := inorder.Workers(b.Workers)
	c := collector{b: to, used: make(chan *job, 4*n), infos: make([]SourceInfo, len(sources)), progress: b.progress}
	for i, s := range sources {
		c.infos[i] = SourceInfo{Name: s.Name, Hash: s.Hash}
		c.total += s.Len
	}
	var unread error // of the sources; rows before it come first
	err = inorder.Run(ctx, n, func(_ context.Context, send func(*job) error) error {
		unread = c.read(sources, send)
		return nil
	}, func(_ context.Context, jobs iter.Seq[*job]) error {
		var f eval.Features
		for j := range jobs {
			j.extract(m, bend, &f, &sources[j.source])
		}
		return nil
	}, c.take)
	if err == nil {
		err = unread
	}
	if err != nil {
		return nil, errors.Join(err, to.s.Close())
	}
	s, err := to.Finish()
	if err != nil {
		return nil, err
	}
	s.sources = c.infos
	if bend == nil {
		s.Seen = c.sample.seen(m)
	}
	return s, nil
}

// extract turns the job's positions into rows.
func (j *job) extract(m *eval.Model, bend *Nonlinear, f *eval.Features, s *Source) {
	factor := s.Weight
	if factor == 0 {
		factor = 1
	}
	j.rows, j.entries, j.ends = j.rows[:0], j.entries[:0], j.ends[:0]
	var row Row
	for i := range j.positions {
		p := &j.positions[i]
		m.Features(&p.Board, f)
		if bend != nil {
			for _, e := range f.Entries {
				j.entries = bend.Entries(j.entries, e.Term, float32(e.Count), float32(e.Black))
			}
			row.Phase, row.Scale, row.MG = OwnFactors, 1, float32(f.Phase)/MaxPhase
			row.EG = 1 - row.MG
		} else {
			for _, e := range f.Entries {
				j.entries = append(j.entries, Entry{e.Term, float32(e.Count)})
			}
			row.Phase, row.Scale = f.Phase, float32(f.ScaleNum)/float32(f.ScaleDen)
		}
		j.ends = append(j.ends, len(j.entries))
		j.rows = append(j.rows, row)
		to := &j.rows[i]
		to.Result, to.Score, to.Weight = p.Result, p.Score, p.Weight*factor
		to.Game, to.Opening, to.TrainOnly = p.Game, p.Opening, s.TrainOnly
	}
	from := 0
	for i, end := range j.ends {
		j.rows[i].Entries = j.entries[from:end]
		from = end
	}
}

// collector cuts sources into jobs and takes the finished ones in order.
type collector struct {
	b           *Builder
	sample      reservoir
	used        chan *job // to be filled again
	infos       []SourceInfo
	done, total int64
	progress    func(done, total int64)
}

// read sends the sources' positions as jobs.
func (c *collector) read(sources []Source, send func(*job) error) error {
	for i, s := range sources {
		j := c.job(i, 0)
		for row, err := range s.Rows {
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			j.positions = append(j.positions, row)
			if len(j.positions) == readBlock {
				if err := send(j); err != nil {
					return err
				}
				j = c.job(i, j.first+readBlock)
			}
		}
		if len(j.positions) > 0 {
			if err := send(j); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *collector) job(source int, first int64) *job {
	var j *job
	select {
	case j = <-c.used:
	default:
		j = &job{positions: make([]dataset.PositionRow, 0, readBlock)}
	}
	j.source, j.first, j.positions = source, first, j.positions[:0]
	return j
}

// take adds the rows of a job.
func (c *collector) take(j *job) error {
	info := &c.infos[j.source]
	for i := range j.rows {
		if err := c.b.Add(&j.rows[i]); err != nil {
			return fmt.Errorf("%s: row %d: %w", info.Name, j.first+int64(i)+1, err)
		}
		if j.rows[i].Weight > 0 {
			c.sample.add(&j.positions[i].Board)
		}
	}
	info.Rows += int64(len(j.rows))
	c.done += int64(len(j.rows))
	c.progress(c.done, c.total)
	select {
	case c.used <- j:
	default:
	}
	return nil
}

// Features builds a store from rows of features. Where a row has the engine's own evaluation, that must be the
// sum of its features under the set's start values: else the error wraps dataset.ErrDrift. Errors name the
// source and the row, counted from 1.
func (b Build) Features(ctx context.Context, set dataset.FeatureSet, sources []FeatureSource) (*Store, error) {
	if err := set.Check(); err != nil {
		return nil, err
	}
	line := NewLinear(set)
	to, err := NewDiskBuilder(len(line.terms), b.Disk)
	if err != nil {
		return nil, err
	}
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
				if err = line.addTo(to, &row); err != nil {
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

// addTo adds a row of features to a store.
func (l *linear) addTo(b *Builder, f *dataset.FeatureRow) error {
	var row Row
	err := l.set.CheckRow(f)
	if err == nil {
		err = l.row(f, &row)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRow, err)
	}
	if row.Weight > 0 {
		l.count(f)
	}
	return b.Add(&row)
}
