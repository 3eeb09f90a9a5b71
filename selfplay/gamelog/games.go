package gamelog

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
)

// Names of what a folder holds beside the files of every run.
const (
	JournalName = durable.JournalName // one line a finished game, in the order they finished
	GamesName   = "games"             // data set of the games that count, in order
	PGNName     = "games.pgn"         // the same games
)

// RunID returns the run's part of the ids of games. Runs of equal configuration have equal
// games and ids; others share no id.
func RunID(identity any) string {
	doc, _ := json.Marshal(identity) // config.json or a manifest has it
	return durable.SumBytes(doc)
}

// destination says where games are kept, and what identifies them.
type destination struct {
	Run      *durable.Run
	Identity any // everything that decides a game, for the manifest and the ids of games
	Seed     uint64
	Program  string
	Event    string    // in the PGN
	Tags     []pgn.Tag // more of each game there
	// White's and Black's player and limits in a game; they must not change when the run is resumed
	Sides func(game uint64) ([2]selfplay.Player, [2]selfplay.Limits)
}

// games are the files of a run. A nil Games keeps nothing.
type games struct {
	destination
	runID   string
	journal journal
	games   *dataset.Writer[dataset.GameRow]
	kept    uint64 // games in the data set when it was opened
	pgn     *os.File
	pgnOut  *bufio.Writer
}

// journal is a durable.Journal, or one that a test watches.
type journal interface {
	Append(v any) error
	Sync() error
	Close() error
}

// open opens the files in the run's folder, then calls replay with the games of the
// journal in the order they finished.
func (g *games) open(replay func(*selfplay.Result) error) error {
	g.runID = RunID(g.Identity)
	err := g.openData()
	if err != nil {
		return err
	}
	// The PGN is written from the start: nothing in it shows whether it is complete.
	if g.pgn, err = os.Create(g.Run.Path(PGNName)); err != nil {
		return err
	}
	g.pgnOut = bufio.NewWriter(g.pgn)
	n := 0
	j, err := durable.OpenJournal(g.Run.Path(JournalName), func(line []byte) error {
		n++
		r, err := parseLine(line)
		if err != nil {
			return err
		}
		return replay(r)
	})
	if err != nil {
		return err
	}
	g.journal = j
	return g.Run.Event("playing", map[string]any{"journal": n})
}

// openData opens the data set. One that is complete although the run is not is opened again: its last games are
// in the journal.
func (g *games) openData() error {
	err := dataset.ReopenGames(g.Run.Path(GamesName), func(int64, []dataset.GameRow) error { return nil })
	if err != nil {
		return err
	}
	w, err := dataset.NewGameWriter(g.Run.Path(GamesName),
		dataset.WriterConfig{Config: g.Identity, Seed: g.Seed, Program: g.Program})
	if err != nil {
		return err
	}
	g.games, g.kept = w, uint64(w.Rows())
	return nil
}

// ReadPlayed calls visit with the games of a journal, but no void pairs, which are
// played again: a game that counts is visited once. The games of a pair are visited together when both have ended; of
// the others, those that have ended come last, in the order of their numbers.
func ReadPlayed(path string, visit func(*selfplay.Result) error) error {
	waiting := map[uint64]*selfplay.Result{}
	err := durable.ReadJournal(path, func(line []byte) error {
		r, err := parseLine(line)
		if err != nil {
			return err
		}
		partner, both := waiting[r.Number^1]
		if !both {
			waiting[r.Number] = r
			return nil
		}
		delete(waiting, partner.Number)
		if r.Void != "" || partner.Void != "" {
			return nil
		}
		return errors.Join(visit(partner), visit(r))
	})
	for _, n := range slices.Sorted(maps.Keys(waiting)) {
		if err == nil && waiting[n].Void == "" {
			err = visit(waiting[n])
		}
	}
	return err
}

// parseLine reads a line of the journal, in a third of the time that encoding/json takes.
func parseLine(line []byte) (*selfplay.Result, error) {
	r := new(selfplay.Result)
	if err := jsonv2.Unmarshal(line, r, jsonv1.FormatDurationAsNano(true)); err != nil {
		return nil, fmt.Errorf("%w: %w", durable.ErrDamaged, err)
	}
	return r, nil
}

// journalize appends a finished game to the journal, and keeps the log of a fault beside it
// (see KeepFaultLog). The game may count after the next Sync.
func (g *games) journalize(r *selfplay.Result) error {
	if g == nil {
		return nil
	}
	if err := KeepFaultLog(g.Run.Dir(), r); err != nil {
		return err
	}
	return g.journal.Append(Line(r))
}

// Line returns the game as a line of the journal: without its fault log, which has a file of its own.
func Line(r *selfplay.Result) *selfplay.Result {
	line := *r
	line.FaultLog = ""
	return &line
}

// OpenPending opens the journal of a run that writes games to its data set alone. The first games
// are in listed shards.
func OpenPending(dir string, first uint64) (*durable.Pending[selfplay.Result], error) {
	return durable.OpenPending(filepath.Join(dir, JournalName), first, number)
}

// ReadPending returns the games in such a journal that are not among the first, by number.
func ReadPending(dir string, first uint64) (map[uint64]selfplay.Result, error) {
	return durable.ReadPending(filepath.Join(dir, JournalName), first, number)
}

func number(r *selfplay.Result) uint64 { return r.Number }

// Sync returns when every journaled game is on disk.
func (g *games) Sync() error {
	if g == nil {
		return nil
	}
	return g.journal.Sync()
}

// Record writes games that count, in the order of their numbers, from 0.
func (g *games) Record(games []selfplay.Result) error {
	if g == nil {
		return nil
	}
	for i := range games {
		if err := g.record(&games[i]); err != nil {
			return err
		}
	}
	if err := g.pgnOut.Flush(); err != nil {
		return fmt.Errorf("%s: %w", g.Run.Path(PGNName), err)
	}
	return nil
}

func (g *games) record(r *selfplay.Result) error {
	sides, limits := g.Sides(r.Number)
	row, err := Row(r, g.runID, limits[0].Nodes, sides[0].Identity(), sides[1].Identity())
	if err != nil {
		return err
	}
	if r.Number >= g.kept {
		if err := g.games.Append(row); err != nil {
			return err
		}
	}
	// Only what equal runs share: the text of a fault is in the journal.
	notes := pgn.Notes{Depths: r.Depths, Times: r.Times}
	err = pgn.WriteNoted(g.pgnOut, row, notes, g.tags(r.Number)...)
	if err != nil {
		return fmt.Errorf("%s: %w", g.Run.Path(PGNName), err)
	}
	return nil
}

// tags returns what the PGN says of a game beside the game itself. Players are shown by
// their names for people; their names in data follow where they differ. Games by the clock
// have a date; those that can be repeated do not, for they have the same bytes on any day.
func (g *games) tags(game uint64) []pgn.Tag {
	sides, limits := g.Sides(game)
	tags := append([]pgn.Tag{{Name: "Event", Value: g.Event},
		{Name: "Round", Value: fmt.Sprintf("%d.%d", game/2+1, game%2+1)},
		{Name: "White", Value: sides[0].Label()}, {Name: "Black", Value: sides[1].Label()}}, g.Tags...)
	white, black := limits[0].TimeControl(), limits[1].TimeControl()
	if white != "" || black != "" {
		tags = append(tags, pgn.Tag{Name: "Date", Value: g.Run.Info().Started.Format("2006.01.02")})
	}
	switch {
	case white != black:
		tags = append(tags, pgn.Tag{Name: "WhiteTimeControl", Value: cmp.Or(white, "-")},
			pgn.Tag{Name: "BlackTimeControl", Value: cmp.Or(black, "-")})
	case white != "":
		tags = append(tags, pgn.Tag{Name: "TimeControl", Value: white})
	}
	for i, e := range sides {
		if e.Label() != e.Identity() {
			tags = append(tags, pgn.Tag{Name: [2]string{"WhiteId", "BlackId"}[i], Value: e.Identity()})
		}
	}
	return tags
}

// Row returns the game as a row of a data set, with the limit of nodes and the players.
func Row(r *selfplay.Result, runID string, nodes uint64, white, black string) (*dataset.GameRow, error) {
	game, opening, err := r.Replay()
	if err != nil {
		return nil, err
	}
	row, err := dataset.NewGameRow(game)
	if err != nil {
		return nil, err
	}
	row.Game = dataset.GameID(runID, r.Number)
	row.Opening, row.OpeningPlies = opening, uint16(r.Opening)
	row.Scores = r.Scores
	row.Result, row.Termination = int8(r.Result), string(r.Termination)
	row.Seed, row.Nodes, row.White, row.Black = r.Seed, uint32(nodes), white, black
	return &row, nil
}

// ResultOf returns the game of a row, as far as the row has it, for a journal.
func ResultOf(g *dataset.GameRow, number uint64, players [2]string) *selfplay.Result {
	return &selfplay.Result{Number: number, Players: players, Start: g.Start, Opening: int(g.OpeningPlies), Moves: g.Moves,
		Scores: g.Scores, Depths: make([]uint8, len(g.Moves)), Result: board.GameResult(g.Result),
		Termination: board.Termination(g.Termination), Late: board.Termination(g.Termination) == selfplay.TimeForfeit,
		Seed: g.Seed}
}

// Finish completes the files: when it returns, everything recorded is on disk.
func (g *games) Finish(summary any) error {
	if err := g.Sync(); err != nil {
		return err
	}
	if err := errors.Join(g.pgnOut.Flush(), g.pgn.Sync()); err != nil {
		return fmt.Errorf("%s: %w", g.Run.Path(PGNName), err)
	}
	if err := durable.SyncDir(g.Run.Dir()); err != nil {
		return err
	}
	_, err := g.games.Finish(summary)
	return err
}

// Close closes the files. Without Finish, the run is completed when it is resumed.
func (g *games) Close() error {
	var all []error
	if g.journal != nil {
		all = append(all, g.journal.Close())
	}
	if g.pgn != nil {
		all = append(all, g.pgn.Close())
	}
	if g.games != nil {
		all = append(all, g.games.Close())
	}
	return errors.Join(all...)
}

// ReadGames calls visit with the games in a run's folder and their numbers: from the
// complete data set in order, or, as long as there is none, from the journal as ReadPlayed
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
			row, err := Row(r, "", 0, r.Players[0], r.Players[1])
			if err != nil {
				return err
			}
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
	games, err := dataset.OpenGames(folder, dataset.Partial)
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
