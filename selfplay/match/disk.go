package match

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
)

// Names of what a match's folder holds beside the files of every run.
const (
	JournalName = "journal.jsonl" // one line a finished game, in the order they finished
	GamesName   = "games"         // data set of the games that count, in order
	PGNName     = "games.pgn"     // the same games
)

// disk is what a match writes. The journal is the truth; data set and PGN follow from
// it, and are completed from it where a match is resumed. A nil disk keeps nothing.
type disk struct {
	config  *Config
	run     *store.Run
	runID   string
	journal *store.Journal
	dirty   bool // the journal has lines that are not synced
	games   *dataset.Writer[dataset.GameRow]
	kept    uint64 // games that the data set had when it was opened
	pgn     *os.File
	pgnOut  *bufio.Writer
}

// open opens the files in the run's folder, then replays the games of the journal in
// the order they finished.
func (d *disk) open(id identity, replay func(*selfplay.Result) error) error {
	var err error
	if d.runID, err = id.runID(); err != nil {
		return err
	}
	if err := d.openGames(id); err != nil {
		return err
	}
	// The PGN is written anew: nothing in it tells a whole file from half a one.
	if d.pgn, err = os.Create(d.run.Path(PGNName)); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	d.pgnOut = bufio.NewWriter(d.pgn)
	n := 0
	d.journal, err = store.OpenJournal(d.run.Path(JournalName), func(line []byte) error {
		n++
		return visitGame(line, replay)
	})
	if err != nil {
		return err
	}
	return d.run.Event("playing", map[string]any{"journal": n})
}

func (d *disk) openGames(id identity) error {
	w, err := dataset.NewGameWriter(d.run.Path(GamesName),
		dataset.WriterConfig{Config: id, Seed: d.config.Seed, Program: d.config.Program})
	switch {
	case errors.Is(err, dataset.ErrComplete):
		// The process ended between the data set and the result: all is in there.
		m, err := store.LoadManifest(d.run.Path(GamesName))
		if err != nil {
			return err
		}
		d.kept = uint64(m.Rows)
		return nil
	case err != nil:
		return err
	}
	d.games, d.kept = w, uint64(w.Rows())
	return nil
}

// readGames calls visit with the games of a journal, in the order they finished.
func readGames(path string, visit func(*selfplay.Result) error) error {
	return store.ReadJournal(path, func(line []byte) error { return visitGame(line, visit) })
}

func visitGame(line []byte, visit func(*selfplay.Result) error) error {
	g := &selfplay.Result{}
	if err := json.Unmarshal(line, g); err != nil {
		return fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	return visit(g)
}

// journalize notes a game that finished. It may count after the next sync.
func (d *disk) journalize(g *selfplay.Result) error {
	if d == nil {
		return nil
	}
	d.dirty = true
	return d.journal.Append(g)
}

// sync returns once every game noted is on disk.
func (d *disk) sync() error {
	if d == nil || !d.dirty {
		return nil
	}
	d.dirty = false
	return d.journal.Sync()
}

// record writes the games of a pair that counts.
func (d *disk) record(pair []selfplay.Result, opening uint64) error {
	if d == nil {
		return nil
	}
	for i := range pair {
		row, err := d.row(&pair[i], opening)
		if err != nil {
			return fmt.Errorf("match: %w", err)
		}
		if pair[i].Number >= d.kept {
			if d.games == nil {
				return fmt.Errorf("match: %s has %d games and is complete, but game %d counts too: %w",
					d.run.Path(GamesName), d.kept, pair[i].Number, store.ErrDamaged)
			}
			if err := d.games.Append(row); err != nil {
				return err
			}
		}
		if err := pgn.Write(d.pgnOut, row, d.tags(&pair[i])...); err != nil {
			return fmt.Errorf("match: %s: %w", d.run.Path(PGNName), err)
		}
	}
	if err := d.pgnOut.Flush(); err != nil {
		return fmt.Errorf("match: %s: %w", d.run.Path(PGNName), err)
	}
	return nil
}

// tags holds nothing that differs between equal matches: what a player said when it
// failed is in the journal.
func (d *disk) tags(g *selfplay.Result) []pgn.Tag {
	return []pgn.Tag{
		{Name: "Event", Value: "assay match"},
		{Name: "Round", Value: fmt.Sprintf("%d.%d", g.Number/2+1, g.Number%2+1)},
	}
}

func (d *disk) row(g *selfplay.Result, opening uint64) (*dataset.GameRow, error) {
	game, err := g.Game()
	if err != nil {
		return nil, err
	}
	row, err := dataset.NewGameRow(game)
	if err != nil {
		return nil, err
	}
	names := [2]string{d.config.A.Identity(), d.config.B.Identity()}
	row.Game = dataset.GameID(d.runID, g.Number)
	row.Opening, row.OpeningPlies = opening, uint16(g.Opening)
	row.Scores = g.Scores
	row.Nodes = uint32(d.config.Limits[playerOf(g.Number, board.White)].Nodes)
	row.Result, row.Termination = int8(g.Result), string(g.Termination)
	row.White, row.Black = names[playerOf(g.Number, board.White)], names[playerOf(g.Number, board.Black)]
	row.Seed = g.Seed
	return &row, nil
}

// finish completes what was recorded: when it returns, all of it is on disk.
func (d *disk) finish(r *Result) error {
	if err := d.sync(); err != nil {
		return err
	}
	if err := errors.Join(d.pgnOut.Flush(), d.pgn.Sync()); err != nil {
		return fmt.Errorf("match: %s: %w", d.run.Path(PGNName), err)
	}
	if err := store.SyncDir(d.run.Dir()); err != nil {
		return err
	}
	if d.games == nil {
		return nil
	}
	_, err := d.games.Finish(r)
	return err
}

func (d *disk) close() error {
	var all []error
	if d.journal != nil {
		all = append(all, d.journal.Close())
	}
	if d.pgn != nil {
		all = append(all, d.pgn.Close())
	}
	if d.games != nil {
		all = append(all, d.games.Close())
	}
	return errors.Join(all...)
}
