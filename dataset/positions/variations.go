package positions

import (
	"errors"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
)

// variationsDir is the folder of the positions that Filter.PV adds to the data set in dir: those along the principal
// variation of the search of each row, with the row's game, result and new score. They are a data set of their own, so
// that a fit can weigh them or leave them out. Positions in check, and positions of the rows beside them, are left out.
func variationsDir(dir string) string { return filepath.Clean(dir) + "-pv" }

// variations writes the data set in variationsDir.
type variations struct {
	writer *dataset.Writer[dataset.PositionRow] // nil if it is complete
	skip   int64                                // rows that an earlier process wrote
}

func (e *extraction) openVariations() (err error) {
	v := &e.variations
	v.writer, err = dataset.NewPositionWriter(variationsDir(e.writer.Dir()), e.identity)
	if errors.Is(err, dataset.ErrComplete) {
		v.writer, err = nil, nil
	} else if err == nil {
		v.skip = v.writer.Rows()
	}
	return err
}

func (v *variations) close() {
	if v.writer != nil {
		v.writer.Close()
	}
}

func (v *variations) finish() error {
	if v.writer == nil {
		return nil
	}
	_, err := v.writer.Finish(nil)
	return err
}

// vary writes the positions along the variations of a block, each position once.
func (e *extraction) vary(job *rescoreJob) error {
	seen := make(map[uint64]bool, 2*len(job.rows))
	for i := range job.rows {
		seen[job.rows[i].Board.Key()] = true
	}
	for i := range job.lines {
		r := job.rows[i]
		if r.Score > dataset.MaxScore || r.Score < -dataset.MaxScore { // a mate, or none
			continue
		}
		for _, m := range job.lines[i] {
			if !r.Board.IsLegal(m) {
				break
			}
			r.Board.Make(m)
			r.Ply++
			if seen[r.Board.Key()] || r.Board.InCheck() || r.Board.CountLegal() == 0 || r.DrawByRule() {
				continue
			}
			seen[r.Board.Key()] = true
			e.counts.Variations++
			e.Filter.correct(&r)
			if v := &e.variations; v.writer != nil && e.counts.Variations > v.skip {
				if err := v.writer.Append(&r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
