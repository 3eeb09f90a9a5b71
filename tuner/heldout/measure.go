package heldout

import (
	"context"
	"errors"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/inorder"
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

// batch is a number of positions with their values.
type batch struct {
	read   int64 // rows that these are of
	rows   []dataset.PositionRow
	values [][]float64 // by candidate
}

// batchSize bounds the positions of a batch.
const batchSize = 512

// evaluate has every candidate evaluate every position that is not in check.
func (c *Config) evaluate(ctx context.Context, r *Report, total int64) (*sample, error) {
	s := &sample{values: make([][]float64, len(c.Candidates))}
	done := int64(0)
	err := inorder.Run(ctx, max(c.Workers, 1), func(_ context.Context, send func(*batch) error) error {
		return c.read(r, send)
	}, func(_ context.Context, batches iter.Seq[*batch]) error {
		return c.evaluateBatches(batches)
	}, func(b *batch) error {
		for i := range b.rows {
			row := &b.rows[i]
			s.result, s.weight = append(s.result, row.Result), append(s.weight, row.Weight)
			s.game, s.phase = append(s.game, row.Game), append(s.phase, uint8(eval.Phase(&row.Board)))
		}
		for i := range s.values {
			s.values[i] = append(s.values[i], b.values[i]...)
		}
		if done += b.read; c.Progress != nil {
			c.Progress(done, total, "")
		}
		return nil
	})
	return s, err
}

// read sends the positions that count.
func (c *Config) read(r *Report, send func(*batch) error) error {
	b := new(batch)
	for _, d := range c.Data {
		for row, err := range d.All() {
			if err != nil {
				return err
			}
			b.read++
			switch {
			case row.Weight == 0:
				r.Weightless++
			case row.Board.InCheck():
				r.InCheck++
			default:
				b.rows = append(b.rows, row)
			}
			if len(b.rows) == batchSize {
				if err := send(b); err != nil {
					return err
				}
				b = new(batch)
			}
		}
	}
	return send(b)
}

// evaluateBatches evaluates batches with evaluators of its own.
func (c *Config) evaluateBatches(batches iter.Seq[*batch]) error {
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
		positions := make([]board.Position, len(b.rows))
		for i := range b.rows {
			positions[i] = b.rows[i].Board
		}
		for _, e := range evaluators {
			values := make([]float64, len(positions))
			if err := e.Evaluate(positions, values); err != nil {
				return err
			}
			b.values = append(b.values, values)
		}
	}
	return nil
}
