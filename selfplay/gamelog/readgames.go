package gamelog

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
)

// ReadGames calls visit with the games in a run's folder and their numbers: those of the
// complete data set in order, or, as long as there is none, those of the journal as ReadPlayed
// visits them. The folder of a self-play run is itself the data set, and its journal has the games
// that are in no listed shard.
func ReadGames(dir string, visit func(number uint64, g *dataset.GameRow)) error {
	folder, m, err := dataSet(dir)
	journal := filepath.Join(dir, JournalName)
	played := func(first uint64) error {
		return ReadPlayed(journal, func(r *selfplay.Result) error {
			if r.Number < first {
				return nil
			}
			row, err := Row(r, "")
			if err != nil {
				return err
			}
			row.White, row.Black = r.Players[0], r.Players[1]
			visit(r.Number, row)
			return nil
		})
	}
	if err != nil || !m.Complete && (folder != dir || m.Rows == 0) {
		if jerr := played(0); !errors.Is(jerr, fs.ErrNotExist) {
			return jerr
		}
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && (m.Schema != dataset.GamesFormat || m.Rows == 0) {
		return nil // no games here, or none yet
	} else if err != nil {
		return err
	}
	games, err := dataset.OpenGames(folder, dataset.Partial())
	if err != nil {
		return err
	}
	n := uint64(0)
	for g, err := range games.All() {
		if err != nil {
			return err
		}
		visit(n, &g)
		n++
	}
	if m.Complete {
		return nil
	}
	if err := played(n); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// dataSet returns the data set of the games in a run's folder.
func dataSet(dir string) (folder string, m *durable.Manifest, err error) {
	folder = filepath.Join(dir, GamesName)
	if m, err = durable.LoadManifest(folder); errors.Is(err, fs.ErrNotExist) {
		folder = dir
		m, err = durable.LoadManifest(dir)
	}
	return folder, m, err
}
