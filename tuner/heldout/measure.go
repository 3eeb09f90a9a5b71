package heldout

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// Config configures Measure.
type Config struct {
	Data       []*dataset.Reader[dataset.PositionRow]
	Candidates []Candidate // the first is the one that others are compared with
	Workers    int         // threads, and processes of each engine; changes no result
	// Progress is called with the positions read so far; nil for none.
	Progress func(done, total int64, note string)
}

// Report is what Measure found.
type Report struct {
	Data        []string    `json:"data"` // ids of the data sets
	Rows        int         `json:"rows"`
	Games       int         `json:"games"`
	Ungrouped   int         `json:"rows_without_game"`
	InCheck     int         `json:"left_out_in_check"`
	NoValue     int         `json:"left_out_without_value"`
	Weightless  int         `json:"left_out_of_weight_0,omitempty"`
	MeanMSE     float64     `json:"mean_result_mse"` // of predicting the mean result always
	MeanEntropy float64     `json:"mean_result_cross_entropy"`
	Evaluators  []*Measured `json:"evaluators"` // in the order of Config.Candidates
}

// ErrNoPositions is returned, wrapped with the counts, where no position is left to
// measure.
var ErrNoPositions = errors.New("no position has a value")

// Measure has every candidate evaluate every position, and compares the values with the
// results of the games. Positions in check, of weight 0, and without a value from any
// candidate are left out for all.
func Measure(ctx context.Context, c Config) (*Report, error) {
	r := new(Report)
	total := int64(0)
	for _, d := range c.Data {
		id, err := d.ID()
		if err != nil {
			return nil, err
		}
		r.Data, total = append(r.Data, id), total+d.Len()
	}
	s, err := c.evaluate(ctx, r, total)
	if err != nil {
		return nil, err
	}
	r.NoValue = s.dropWithoutValue()
	if r.Rows = len(s.result); r.Rows == 0 {
		return r, ErrNoPositions
	}
	r.Games, r.Ungrouped = s.games()
	r.MeanMSE, r.MeanEntropy = s.meanResult()
	for i, candidate := range c.Candidates {
		var first *Measured
		if i > 0 {
			first = r.Evaluators[0]
		}
		m, err := s.measure(candidate.Name, s.values[i], first)
		if err != nil {
			return nil, err
		}
		r.Evaluators = append(r.Evaluators, m)
	}
	return r, nil
}

// evaluate has every candidate evaluate every position that is not in check.
func (c *Config) evaluate(ctx context.Context, r *Report, total int64) (*sample, error) {
	g := &reading{progress: c.Progress, total: total}
	g.values = make([][]float64, len(c.Candidates))
	work, stop := errgroup.WithContext(ctx)
	batches := make(chan *batch)
	work.Go(func() error {
		defer close(batches)
		return g.read(stop, c.Data, batches)
	})
	for range max(c.Workers, 1) {
		work.Go(func() error { return c.evaluateBatches(batches) })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for _, b := range g.batches {
		for i := range c.Candidates {
			g.values[i] = append(g.values[i], b.values[i]...)
		}
	}
	r.InCheck, r.Weightless = g.inCheck, g.weightless
	return &g.sample, nil
}

// batch is a number of positions with their values.
type batch struct {
	positions []board.Position
	values    [][]float64 // by candidate
}

// batchSize bounds the positions of a batch.
const batchSize = 512

// reading reads positions, and keeps the batches in the order of reading.
type reading struct {
	sample
	batches     []*batch
	inCheck     int
	weightless  int
	done, total int64
	progress    func(done, total int64, note string)
}

func (g *reading) read(ctx context.Context, sets []*dataset.Reader[dataset.PositionRow], to chan<- *batch) error {
	b := new(batch)
	send := func() error {
		g.batches = append(g.batches, b)
		select {
		case to <- b:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		b = new(batch)
		if g.progress != nil {
			g.progress(g.done, g.total, "")
		}
		return nil
	}
	for _, d := range sets {
		for row, err := range d.All() {
			if err != nil {
				return err
			}
			g.done++
			if row.Weight == 0 {
				g.weightless++
				continue
			}
			if row.Board.InCheck() {
				g.inCheck++
				continue
			}
			g.result, g.weight = append(g.result, row.Result), append(g.weight, row.Weight)
			g.game, g.phase = append(g.game, row.Game), append(g.phase, uint8(eval.Phase(&row.Board)))
			b.positions = append(b.positions, row.Board)
			if len(b.positions) == batchSize {
				if err := send(); err != nil {
					return err
				}
			}
		}
	}
	return send()
}

// evaluateBatches takes batches until there are none, with evaluators of its own.
func (c *Config) evaluateBatches(batches <-chan *batch) error {
	evaluators := make([]Evaluator, len(c.Candidates))
	for i, candidate := range c.Candidates {
		e, err := candidate.Open()
		if err != nil {
			return err
		}
		defer e.Close()
		evaluators[i] = e
	}
	for b := range batches {
		b.values = make([][]float64, len(evaluators))
		for i, e := range evaluators {
			b.values[i] = make([]float64, len(b.positions))
			if err := e.Evaluate(b.positions, b.values[i]); err != nil {
				return err
			}
		}
		b.positions = nil // only the values are needed from here
	}
	return nil
}
