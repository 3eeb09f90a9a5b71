package rows

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// Source is a set of labelled positions to learn from.
type Source struct {
	Name string // for errors
	Hash string // of the data set, for the pedigree
	// Rows yields the positions in a fixed order; an error ends it.
	Rows iter.Seq2[dataset.PositionRow, error]
	Len  int64 // number of rows, for progress; 0 if unknown
	// Weight multiplies the weight of every position; 0 means 1.
	Weight float32
	// TrainOnly keeps the source's games out of the validation set.
	TrainOnly bool
}

// SourceOf returns an opened data set as a source.
func SourceOf(r *dataset.Reader[dataset.PositionRow]) (Source, error) {
	id, err := r.ID()
	if err != nil {
		return Source{}, fmt.Errorf("%s: %w", r.Path(), err)
	}
	return Source{Name: r.Path(), Hash: id, Rows: r.All(), Len: r.Len()}, nil
}

// readBlock is the number of positions handed to a goroutine at once.
const readBlock = 2048

// job is a block of positions on its way to becoming rows.
type job struct {
	source    int
	first     int64 // number in its source of the first position
	positions []dataset.PositionRow
	entries   []Entry // of all rows, one after the other
	rows      []Row   // entries are slices of the above
	ends      []int   // of each row's entries
	done      chan struct{}
}

// Build says how a store is built. The zero value is a store in memory, built
// with all cores.
type Build struct {
	// Workers is the number of goroutines, 0 = all cores. The store is the
	// same for any number of them.
	Workers int
	// Disk is a folder for the entries of a store that is not kept in memory;
	// see NewDiskBuilder. Empty means memory.
	Disk string
	// KeepFormula evaluates features with a formula by it even where it is linear. The store is
	// then slower, and its fit the same.
	KeepFormula bool
	// Formula, if not empty, is another formula of the channels of the model of positions.
	Formula string
	// Unchecked leaves out the comparison with the engine's evaluation, whose formula may be
	// another.
	Unchecked bool
	// Progress, if not nil, is called now and then.
	Progress func(done, total int64, note string)
}

func (b Build) builder(terms int) (*Builder, error) {
	if b.Disk == "" {
		return NewBuilder(terms), nil
	}
	return NewDiskBuilder(terms, b.Disk)
}

func (b Build) progress(done, total int64) {
	if b.Progress != nil {
		b.Progress(done, total, "features")
	}
}

// BuildStore is Build.Positions into memory.
func BuildStore(ctx context.Context, m *eval.Model, sources []Source, want int, progress func(done, total int64, note string)) (*Store, error) {
	return Build{Workers: want, Progress: progress}.Positions(ctx, m, sources)
}

// Positions extracts the model's features from all positions of the sources.
// Errors name the source and the row, counted from 1.
func (b Build) Positions(ctx context.Context, m *eval.Model, sources []Source) (*Store, error) {
	to, err := b.builder(len(m.Terms))
	if err != nil {
		return nil, err
	}
	var bend *Bend
	if m.Bend != nil {
		set, err := SetOf(m, b.Formula)
		if err == nil {
			bend, err = newBend(&set)
		}
		if err != nil {
			return nil, errors.Join(err, to.abandon())
		}
		to.bendBy(bend)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := workers(b.Workers, 1<<30)
	todo, queue, used := make(chan *job, n), make(chan *job, 2*n), make(chan *job, 4*n)
	failed := make(chan error, 1)
	go func() {
		defer close(queue)
		defer close(todo)
		failed <- read(ctx, sources, todo, queue, used)
	}()
	for range n {
		go func() {
			var f eval.Features
			for j := range todo {
				j.extract(m, bend, &f, &sources[j.source])
				close(j.done)
			}
		}()
	}
	c := collector{b: to, infos: make([]SourceInfo, len(sources)), progress: b.progress}
	for i, s := range sources {
		c.infos[i] = SourceInfo{Name: s.Name, Hash: s.Hash}
		c.total += s.Len
	}
	err = c.collect(queue, used, cancel)
	if readErr := <-failed; err == nil {
		err = readErr
	}
	if err != nil {
		return nil, errors.Join(err, to.abandon())
	}
	s, err := c.b.Finish()
	if err != nil {
		return nil, err
	}
	s.sources = c.infos
	if bend != nil { // a piece has no value of its own: it depends on the rest of the position
		return s, nil
	}
	if s.Pieces, err = samplePieces(ctx, m, c.sample.positions, b.Workers); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// read cuts the sources into jobs, in order. Those that were used are filled again.
func read(ctx context.Context, sources []Source, todo, queue chan<- *job, used <-chan *job) error {
	for i, s := range sources {
		j := newJob(i, 0, used)
		for row, err := range s.Rows {
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			j.positions = append(j.positions, row)
			if len(j.positions) == readBlock {
				if err := send(ctx, j, todo, queue); err != nil {
					return err
				}
				j = newJob(i, j.first+readBlock, used)
			}
		}
		if len(j.positions) > 0 {
			if err := send(ctx, j, todo, queue); err != nil {
				return err
			}
		}
	}
	return nil
}

func newJob(source int, first int64, used <-chan *job) *job {
	var j *job
	select {
	case j = <-used:
	default:
		j = &job{positions: make([]dataset.PositionRow, 0, readBlock)}
	}
	j.source, j.first, j.positions, j.done = source, first, j.positions[:0], make(chan struct{})
	return j
}

func send(ctx context.Context, j *job, todo, queue chan<- *job) error {
	select {
	case queue <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	todo <- j // workers do not stop before todo is closed
	return nil
}

// extract turns the job's positions into rows.
func (j *job) extract(m *eval.Model, bend *Bend, f *eval.Features, s *Source) {
	factor := s.Weight
	if factor == 0 {
		factor = 1
	}
	j.rows, j.entries, j.ends = j.rows[:0], j.entries[:0], j.ends[:0]
	if bend != nil {
		j.extractBent(m, bend, f, factor, s.TrainOnly)
		return
	}
	for i := range j.positions {
		p := &j.positions[i]
		m.Features(&p.Board, f)
		for _, e := range f.Entries {
			j.entries = append(j.entries, Entry{e.Term, float32(e.Count)})
		}
		j.ends = append(j.ends, len(j.entries))
		j.rows = append(j.rows, Row{
			Phase: f.Phase, Scale: float32(f.ScaleNum) / float32(f.ScaleDen),
			Result: p.Result, Score: p.Score, Weight: p.Weight * factor,
			Game: p.Game, Opening: p.Opening, TrainOnly: s.TrainOnly,
		})
	}
	j.share()
}

// extractBent is extract for a model with a formula.
func (j *job) extractBent(m *eval.Model, bend *Bend, f *eval.Features, factor float32, trainOnly bool) {
	var features dataset.FeatureRow
	var row Row
	for i := range j.positions {
		p := &j.positions[i]
		m.Features(&p.Board, f)
		countedBy(f, &features)
		bend.row(&features, j.first+int64(i), &row)
		j.entries = append(j.entries, row.Entries...)
		j.ends = append(j.ends, len(j.entries))
		next := row
		next.Result, next.Score, next.Weight, next.Game, next.Opening, next.TrainOnly = p.Result, p.Score, p.Weight*factor, p.Game, p.Opening, trainOnly
		j.rows = append(j.rows, next)
	}
	j.share()
}

// share gives each row its part of the entries.
func (j *job) share() {
	from := 0
	for i, end := range j.ends {
		j.rows[i].Entries = j.entries[from:end]
		from = end
	}
}

// collector takes the finished jobs in order.
type collector struct {
	b           *Builder
	sample      reservoir
	infos       []SourceInfo
	done, total int64
	progress    func(done, total int64)
}

// collect adds the rows of all jobs. After an error it cancels the reading
// and drains what is under way.
func (c *collector) collect(queue <-chan *job, used chan<- *job, cancel func()) error {
	var failed error
	for j := range queue {
		<-j.done
		if failed != nil {
			continue
		}
		info := &c.infos[j.source]
		for i := range j.rows {
			if err := c.b.Add(&j.rows[i]); err != nil {
				failed = fmt.Errorf("%s: row %d: %w", info.Name, j.first+int64(i)+1, err)
				cancel()
				break
			}
			if j.rows[i].Weight > 0 {
				c.sample.add(&j.positions[i].Board)
			}
		}
		info.Rows += int64(len(j.rows))
		c.done += int64(len(j.rows))
		c.progress(c.done, c.total)
		select {
		case used <- j:
		default:
		}
	}
	return failed
}
