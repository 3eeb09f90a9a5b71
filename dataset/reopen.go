package dataset

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/assay-chess/assay/internal/durable"
)

// ReopenGames makes a complete data set of games one that a writer resumes, for a run that is given more
// games. Its last shard, if it is not full, leaves the data set, because its file would hold more games now:
// keep gets the number of games before that shard and the games in it, and must have them on disk when it
// returns. A data set that is not complete, or not there, stays as it is.
func ReopenGames(dir string, keep func(before int64, last []GameRow) error) error {
	m, err := durable.LoadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !m.Complete {
		return nil
	}
	if err != nil {
		return err
	}
	open := *m
	open.Complete, open.Report = false, nil
	if n := len(m.Shards) - 1; n >= 0 && m.Shards[n].Rows < int64(gamesCodec.layout.shardRows) {
		open.Shards, open.Rows = m.Shards[:n], m.Rows-m.Shards[n].Rows
		r, err := OpenGames(dir)
		if err != nil {
			return err
		}
		var last []GameRow
		for row, err := range r.From(open.Rows) {
			if err != nil {
				return err
			}
			row.Moves, row.Scores = slices.Clone(row.Moves), slices.Clone(row.Scores) // the reader uses theirs again
			last = append(last, row)
		}
		if err := keep(open.Rows, last); err != nil {
			return err
		}
	}
	return open.Save(dir)
}
