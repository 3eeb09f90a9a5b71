package gamelog

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
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

// ReadGame returns the game with a number, as ReadGames visits it; fs.ErrNotExist if there is none.
func ReadGame(dir string, number uint64) (game *dataset.GameRow, err error) {
	folder, m, err := dataSet(dir)
	if err != nil || !m.Complete {
		err = ReadGames(dir, func(n uint64, g *dataset.GameRow) {
			if n == number {
				row := *g // the reader uses the memory of its slices again
				row.Moves, row.Scores = slices.Clone(g.Moves), slices.Clone(g.Scores)
				game = &row
			}
		})
	} else if m.Schema == dataset.GamesFormat && number < uint64(m.Rows) {
		games, err := dataset.OpenGames(folder)
		if err != nil {
			return nil, err
		}
		for g, err := range games.From(int64(number)) {
			return &g, err
		}
	}
	if err == nil && game == nil {
		err = fmt.Errorf("game %d: %w", number, fs.ErrNotExist)
	}
	return game, err
}

// ReadResults is ReadGames for White's results alone, 1, 0 or -1: it does not read the moves.
func ReadResults(dir string, visit func(number uint64, result int)) error {
	type line struct {
		Number uint64 `json:"number"`
		Result int    `json:"result"`
		Void   string `json:"void"`
	}
	if folder, m, err := dataSet(dir); err != nil || !m.Complete && folder != dir {
		err := readPlayed(filepath.Join(dir, JournalName), func(r *line) (uint64, bool) { return r.Number, r.Void != "" },
			func(r *line) error {
				visit(r.Number, r.Result)
				return nil
			})
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return ReadGames(dir, func(n uint64, g *dataset.GameRow) { visit(n, int(g.Result)) })
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
