package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/assay-chess/assay/dataset/store"
)

// ExtractConfig says how to make positions of games.
type ExtractConfig struct {
	Filter  Filter
	Program string // version of the program, for the manifest
	// NewResolve returns a Resolve for one goroutine. It is not asked for ResolveKeep.
	NewResolve func() Resolve
	Workers    int                                  // goroutines; 0: as many as there are cores
	Progress   func(done, total int64, note string) // of games; nil for none
}

// extractBlock is the number of games handed to a goroutine at once.
const extractBlock = 64

// block of games on its way to becoming rows.
type extractJob struct {
	games  []GameRow
	rows   []candidate
	counts Counts
	done   chan struct{}
}

// Extract writes the positions of games, in the order of the games, as a data set in
// dir. The bytes do not depend on the number of workers; an interrupted data set is
// gone on with. The counts are also the manifest's report. The error is ErrComplete
// (wrapped) if dir has the positions already: the counts are then those of then.
func Extract(ctx context.Context, sources []*Reader[GameRow], dir string, c ExtractConfig) (*store.Manifest, Counts, error) {
	var counts Counts
	if err := c.Filter.Check(); err != nil {
		return nil, counts, err
	}
	config := WriterConfig{Config: c.Filter, Seed: c.Filter.Seed, Program: c.Program}
	total := int64(0)
	for _, s := range sources {
		id, err := s.ID()
		if err != nil {
			return nil, counts, err
		}
		config.Parents = append(config.Parents, id)
		total += s.Len()
	}
	w, err := NewPositionWriter(dir, config)
	if errors.Is(err, ErrComplete) {
		return extracted(dir, err)
	}
	if err != nil {
		return nil, counts, err
	}
	defer w.Close()
	e := &extraction{ExtractConfig: c, writer: w, skip: w.Rows(), total: total}
	if err := e.run(ctx, sources); err != nil {
		return nil, e.counts, err
	}
	m, err := w.Finish(e.counts)
	return m, e.counts, err
}

// extracted reads what an earlier Extract left in dir, and passes on err.
func extracted(dir string, err error) (*store.Manifest, Counts, error) {
	var counts Counts
	m, e := store.LoadManifest(dir)
	if e == nil {
		e = json.Unmarshal(m.Report, &counts)
	}
	if e != nil {
		return nil, counts, fmt.Errorf("dataset: %s: %w", dir, e)
	}
	return m, counts, err
}

// extraction is an Extract at work.
type extraction struct {
	ExtractConfig
	writer *Writer[PositionRow]
	skip   int64 // rows that were on disk before
	total  int64 // games
	seen   keySet
	counts Counts
}

// run reads games, has workers make rows of them, and collects the rows in order.
func (e *extraction) run(ctx context.Context, sources []*Reader[GameRow]) error {
	n := e.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	todo, queue := make(chan *extractJob), make(chan *extractJob, 2*n)
	g.Go(func() error {
		defer close(todo)
		defer close(queue)
		return readJobs(ctx, sources, todo, queue)
	})
	for range n {
		g.Go(func() error {
			e.work(todo)
			return nil
		})
	}
	g.Go(func() error { return e.collect(ctx, queue) })
	return g.Wait()
}

// readJobs cuts the games into blocks. Every block goes into queue, which keeps the
// order, before a worker can take it from todo.
func readJobs(ctx context.Context, sources []*Reader[GameRow], todo, queue chan<- *extractJob) error {
	job := &extractJob{done: make(chan struct{})}
	send := func() error {
		for _, to := range []chan<- *extractJob{queue, todo} {
			select {
			case to <- job:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		job = &extractJob{done: make(chan struct{})}
		return nil
	}
	for _, s := range sources {
		for game, err := range s.All() {
			if err != nil {
				return err
			}
			if job.games = append(job.games, game); len(job.games) == extractBlock {
				if err := send(); err != nil {
					return err
				}
			}
		}
	}
	return send()
}

func (e *extraction) work(todo <-chan *extractJob) {
	var resolve Resolve
	if e.Filter.Resolve != ResolveKeep {
		resolve = e.NewResolve()
	}
	for job := range todo {
		for i := range job.games {
			job.rows = append(job.rows, e.Filter.candidates(&job.games[i], resolve, &job.counts)...)
		}
		close(job.done)
	}
}

// collect drops duplicates and writes what is left.
func (e *extraction) collect(ctx context.Context, queue <-chan *extractJob) error {
	row := int64(0)
	for job := range queue {
		select {
		case <-job.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		e.counts.add(&job.counts)
		for i := range job.rows {
			r := &job.rows[i]
			if !e.Filter.KeepDuplicates && !e.seen.add(r.Board.Key()) {
				e.counts.Duplicate++
				continue
			}
			e.counts.Kept++
			if r.replaced {
				e.counts.Replaced++
			}
			if row++; row <= e.skip {
				continue
			}
			if err := e.writer.Append(&r.PositionRow); err != nil {
				return err
			}
		}
		if e.Progress != nil {
			e.Progress(e.counts.Games, e.total, fmt.Sprintf("%d positions", e.counts.Kept))
		}
	}
	if ctx.Err() == nil && row < e.skip {
		return fmt.Errorf("dataset: %s has %d rows, but the games give %d: %w", e.writer.Dir(), e.skip, row, errGamesChanged)
	}
	return ctx.Err()
}

var errGamesChanged = errors.New("it was not made from them")
