package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/internal/source"
)

// ImportConfig configures Import.
type ImportConfig struct {
	Format  Format   // "": by each file name
	Columns []string // of tables without a header; see dataset/lines
	Results []string // values of tables for Black won, draw, White won; nil: the usual spellings
	Mover   bool     // scores are from the side to move's view, not White's
	// MoverResults says that results of lists and tables are so, too.
	MoverResults bool
	// OtherView names players whose scores have the other view than the comments.
	OtherView []string
	// InferGames says that positions are in game order: see dataset.GameRuns.
	InferGames   bool
	OpeningPlies int  // number of book plies of each game; 0: those that a PGN marks
	NoBookMarks  bool // they are OpeningPlies even if that is 0
	// Comments says how to read the scores of a PGN. pgn.White holds for ce in lists too.
	Comments pgn.Reading
	Strict   bool // the first row that cannot be read is an error

	Program  string // version of the program, for the manifest
	Stdin    io.Reader
	Workers  int                                  // goroutines that parse; 0: one per core
	Refused  func(*Refusal)                       // is called for each refused row; nil for none
	Notice   func(kind, text string)              // is called with a "warning" or a "skipped" file, at any time
	Progress func(done, total int64, note string) // of bytes on disk (compressed); nil for none

	writer []dataset.WriterOption // tests write small shards
}

// Refusal is a row of the input that cannot be read.
type Refusal struct {
	File string
	Unit string // what Number counts, as "line"
	// Number of the line, from 1; for a game, the line where the error was noticed.
	Number int64
	Err    error
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s, %s %d: %v", quote.Text(r.File), r.Unit, r.Number, r.Err)
}
func (r *Refusal) Unwrap() error { return r.Err }

// Imported has the counts of an import. It is the manifest's report.
type Imported struct {
	Schema  string `json:"schema"`  // dataset.GamesFormat or PositionsFormat
	Rows    int64  `json:"rows"`    // imported
	Refused int64  `json:"refused"` // reported, and not imported
	// ForeignScores counts scores that were stored as missing: mates such as M2, and
	// numbers beyond dataset.MateScore; of rows, or of the moves of games.
	ForeignScores int64 `json:"foreign_scores"`
	Games         int64 `json:"games"` // read or inferred; 0 where a table names them itself
	Inferred      bool  `json:"games_inferred"`
	Named         bool  `json:"games_named"` // a row of a table names its game
	// Comments says what the comments of PGN files have and how they were read.
	Comments *pgn.Tally `json:"comments,omitempty"`

	Views *dataset.ViewFault `json:"-"` // what makes the scores of little use, if anything does
}

// Errors about whole files.
var (
	ErrNothing   = errors.New("no row could be read")
	ErrUnordered = errors.New("the rows are not in game order")
	ErrStream    = errors.New("it exists already, and a stream cannot be compared with it")
)

// importIdentity is the configuration in the manifest: everything that influences the rows.
type importIdentity struct {
	Inputs       []string `json:"inputs"` // SHA-256 of the files on disk (compressed)
	Formats      []Format `json:"formats"`
	Columns      []string `json:"columns,omitempty"`
	Results      []string `json:"results,omitempty"`
	Mover        bool     `json:"mover_scores"`
	OtherView    []string `json:"other_view,omitempty"`
	InferGames   bool     `json:"infer_games"`
	OpeningPlies int      `json:"opening_plies"`

	WhiteScores bool        `json:"white_scores,omitempty"` // of lists, in ce too
	NoBookMarks bool        `json:"no_book_marks,omitempty"`
	Comments    pgn.Reading `json:"comments,omitzero"`

	MoverResults bool `json:"mover_results,omitempty"`
}

// Import reads files, folders and streams ("-" is c.Stdin) and writes their rows as a data
// set in dir. An interrupted import of files is resumed; one of streams starts again. After
// an error in the input, nothing stays on disk. The error is dataset.ErrComplete (wrapped)
// if dir is complete already.
func Import(ctx context.Context, paths []string, dir string, c ImportConfig) (*durable.Manifest, *Imported, error) {
	inputs, err := source.List(paths, c.Stdin)
	if err != nil {
		return nil, nil, err
	}
	id := importIdentity{Columns: c.Columns, Results: c.Results, Mover: c.Mover, OtherView: c.OtherView,
		InferGames: c.InferGames, OpeningPlies: c.OpeningPlies, MoverResults: c.MoverResults}
	if inputs, err = c.formats(ctx, inputs, paths, &id); err != nil {
		return nil, nil, err
	}
	for i, in := range inputs {
		switch f := id.Formats[i]; {
		case c.MoverResults && f != formatTable && f != formatEPD:
			return nil, nil, fmt.Errorf("convert: %s: results of %s have one view: only lists and tables may have another",
				in.Path, f)
		case c.Results != nil && f == formatEPD:
			return nil, nil, fmt.Errorf("convert: %s: values of results are given for tables, and this is %s: to read a list "+
				"as a table, give its columns", in.Path, f)
		case c.Results != nil && f != formatTable:
			return nil, nil, fmt.Errorf("convert: %s: values of results are given for tables, and this is %s", in.Path, f)
		}
		sum, err := in.Identity()
		if err != nil {
			return nil, nil, err
		}
		if i := slices.Index(id.Inputs, sum); i >= 0 && c.Notice != nil {
			c.Notice("warning", fmt.Sprintf("%s has the same bytes as %s; its rows will occur twice", in.Path, inputs[i].Path))
		}
		id.Inputs = append(id.Inputs, sum)
	}
	if slices.Contains(id.Formats, formatPGN) {
		id.NoBookMarks, id.Comments = c.NoBookMarks, c.Comments
	}
	id.WhiteScores = c.Comments.View == pgn.White && (slices.Contains(id.Formats, formatEPD) ||
		slices.Contains(id.Formats, formatPlain) || slices.Contains(id.Formats, formatBinpack))
	if slices.Contains(id.Formats, formatLichess) && c.Notice != nil {
		c.Notice("warning", "evaluations of Lichess come without results: each row gets the result to expect of its score")
	}
	w := dataset.WriterConfig{Config: id, Program: c.Program}
	im := &importer{ImportConfig: c, inputs: inputs, formats: id.Formats, run: strings.Join(id.Inputs, "\n"),
		opposed: make([]bool, len(c.OtherView))}
	if id.Formats[0].Games() {
		im.counts.Schema = dataset.GamesFormat
		return write(ctx, im, dir, w, dataset.NewGameWriter, im.readGames, im.takeGame)
	}
	im.counts.Schema = dataset.PositionsFormat
	return write(ctx, im, dir, w, dataset.NewPositionWriter, im.readPositions, im.takePosition)
}

// formats determines the format of each input. A file that was named must have a known
// format; files in folders are skipped otherwise.
func (c *ImportConfig) formats(ctx context.Context, inputs []*source.Input, named []string,
	id *importIdentity) ([]*source.Input, error) {
	byName := map[string]bool{}
	for _, path := range named {
		byName[path] = true
	}
	var kept []*source.Input
	for _, in := range inputs {
		why := errors.New("no format has this file name extension")
		f, ok := c.formatOf(in.Path)
		if !ok && !in.Stream {
			var err error
			if f, ok, err = formatInside(ctx, in); err != nil && byName[in.Path] {
				return nil, err
			}
			why = cmp.Or(err, why)
		}
		if name := filepath.Base(in.Path); name == durable.RunEventsName || name == durable.JournalName {
			ok = ok && byName[in.Path] // of a run in the folder: they are no data
		}
		switch {
		case !ok && byName[in.Path]:
			return nil, fmt.Errorf("convert: %s: %w", in.Path, ErrFormat)
		case !ok:
			if c.Notice != nil {
				c.Notice("skipped", in.Path+": "+strings.TrimPrefix(why.Error(), in.Path+": "))
			}
			continue
		case len(kept) > 0 && f.Games() != id.Formats[0].Games():
			return nil, fmt.Errorf("convert: %s and %s: %w", kept[0].Path, in.Path, ErrMixed)
		}
		kept = append(kept, in)
		id.Formats = append(id.Formats, f)
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("convert: %s: %w: there is no file of a known format", strings.Join(named, ", "), ErrNothing)
	}
	return kept, nil
}

func (c *ImportConfig) formatOf(path string) (Format, bool) {
	switch {
	case c.Format != "":
		return c.Format, true
	case c.Columns != nil:
		return formatTable, true
	}
	return FormatOf(path)
}

// formatInside returns the format of the file in an archive. The error names a format that is not
// read.
func formatInside(ctx context.Context, in *source.Input) (f Format, ok bool, err error) {
	file, err := in.Open(ctx, false, nil)
	if err != nil {
		return "", false, err
	}
	defer file.Close()
	f, ok = FormatOf(file.Name)
	return f, ok, nil
}

type importer struct {
	ImportConfig
	counts  Imported
	inputs  []*source.Input
	formats []Format // of inputs
	run     string   // input of the hash of game ids
	runs    dataset.GameRuns
	tally   pgn.Tally // belongs to the goroutine that reads
	views   dataset.Views
	opposed []bool       // players of OtherView that had Black
	ces     atomic.Int64 // and rows of .plain and .binpack
}

// write reads, parses and writes at the same time, and removes the rows if the input is wrong.
func write[R any](ctx context.Context, im *importer, dir string, config dataset.WriterConfig,
	open func(string, dataset.WriterConfig, ...dataset.WriterOption) (*dataset.Writer[R], error),
	read func(context.Context, func(*batch[R]) error) error, take func(*batch[R], *R)) (*durable.Manifest, *Imported,
	error) {
	w, err := open(dir, config, im.writer...)
	streams := slices.ContainsFunc(im.inputs, func(in *source.Input) bool { return in.Stream })
	switch {
	case errors.Is(err, dataset.ErrComplete) && streams:
		return nil, nil, fmt.Errorf("%w; %w", err, ErrStream)
	case errors.Is(err, dataset.ErrComplete):
		m, e := durable.LoadReport(dir, &im.counts)
		if e != nil {
			return nil, nil, fmt.Errorf("convert: %w", e)
		}
		return m, &im.counts, err
	case err == nil && streams:
		err = w.Restart()
	}
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	c := &collector[R]{importer: im, writer: w, skip: w.Rows(), take: take}
	err = inorder.Run(ctx, im.Workers, read, func(_ context.Context, batches iter.Seq[*batch[R]]) error {
		for b := range batches {
			if b.parse != nil { // else it is done already
				b.parse(b)
			}
		}
		return nil
	}, c.add)
	if err == nil {
		err = im.judge()
	}
	if err != nil {
		if ctx.Err() == nil && !c.full {
			err = errors.Join(err, w.Discard()) // the input is wrong: resuming makes no sense
		}
		return nil, &im.counts, err
	}
	m, err := w.Finish(im.counts)
	return m, &im.counts, err
}

// takenForMover reports whether most scores were taken for the mover's.
func (im *importer) takenForMover() bool {
	mover := int64(0)
	for _, t := range im.tally.Taken {
		if t.View == pgn.Mover.String() {
			mover += t.Scores
		} else {
			mover -= t.Scores
		}
	}
	if len(im.tally.Taken) == 0 && im.Comments.View != pgn.White {
		return im.Mover || 2*im.ces.Load() > im.counts.Rows
	}
	return mover > 0
}

// judge checks the import as a whole, and completes its counts.
func (im *importer) judge() error {
	if t := &im.tally; t.Books+t.Unknown+int64(len(t.Taken)) > 0 {
		im.counts.Comments = t
		im.counts.ForeignScores += t.Beyond
	}
	switch {
	case im.counts.Rows == 0:
		return fmt.Errorf("convert: %w: %d were refused", ErrNothing, im.counts.Refused)
	case im.InferGames && im.counts.Inferred && !im.runs.Plausible(im.counts.Rows):
		return fmt.Errorf("convert: %w: %d rows would be %d games", ErrUnordered, im.counts.Rows, im.runs.Games)
	}
	if i := slices.Index(im.opposed, false); i >= 0 {
		return fmt.Errorf("convert: no game has the player %.60q with Black", im.OtherView[i])
	}
	if im.counts.Views = im.views.Fault(); im.counts.Views != nil {
		im.counts.Views.Flipped = im.takenForMover()
	}
	if im.counts.Views.Wrong() {
		return fmt.Errorf("convert: %w", im.counts.Views)
	}
	return nil
}

// takePosition sets the game of a position if games are inferred.
func (im *importer) takePosition(b *batch[dataset.PositionRow], r *dataset.PositionRow) {
	if r.Game != 0 {
		im.counts.Named = true
	}
	if im.MoverResults && r.Board.SideToMove() == board.Black {
		r.Result = 1 - r.Result
	}
	if im.InferGames && r.Game == 0 {
		im.counts.Inferred = true
		if im.runs.Next(r) {
			im.counts.Games++
		}
		r.Game = dataset.GameID(im.run, uint64(im.runs.Games-1))
	}
	im.views.Position(r)
}

// takeGame sets the id of a game.
func (im *importer) takeGame(_ *batch[dataset.GameRow], g *dataset.GameRow) {
	g.Game = dataset.GameID(im.run, uint64(im.counts.Games))
	im.counts.Games++
	if i := slices.Index(im.OtherView, g.Black); i >= 0 {
		im.opposed[i] = true
		oppose(g)
	}
	im.views.Game(g)
}

// oppose turns the scores of a game with Black to move. A mate is a ply away for the side to
// move, and two for the other.
func oppose(g *dataset.GameRow) {
	for i, game := range g.Replay() {
		switch s := g.Scores; {
		case i == len(g.Moves) || s[i] == dataset.NoScore || game.Position().SideToMove() == board.White:
		case s[i] > dataset.MaxScore || s[i] < -dataset.MaxScore:
			s[i] = -1 - s[i]
		default:
			s[i] = -s[i]
		}
	}
}
