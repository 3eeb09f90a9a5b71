package data

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/convert"
	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/source"
	"github.com/spf13/cobra"
)

type importFlags struct {
	config  convert.ImportConfig
	out     string
	format  string
	columns []string
	view    string
	results string // view of the results
	ply     string
}

func newImport() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import SRC... --out DIR",
		Short: "Import EPD, CSV, TSV, PGN or bulletformat files",
		Long: `Read files, folders or standard input (-) and write a data set: games from PGN, positions from lists
(FEN [0.5], FEN c9 "1/2-1/2"; FEN;score;result), tables (CSV, TSV), bulletformat, .plain, .binpack
and evaluations of Lichess (.jsonl). Files may be compressed (zstd, gzip, bzip2, xz, zip, tar).

Nothing is filtered and no duplicate is dropped. A row that cannot be read is refused: its file,
line and reason are printed, and the other rows are imported. With --strict the first refused row
is an error; without it, 1,000 refused rows before the first good one. Scores must rise with the
results with either side to move; if they do not, the error names the cure.

dataset/FORMAT.md has the spellings of all formats, and which comments of PGN are scores. Positions
without a game count as independent of each other; --infer-games finds the games of rows in order.`,
		Example: `  assay data import games.pgn.zst --out games
  assay data import positions.epd --out positions --infer-games
  assay data import x.tsv --columns fen,score,result --results -1,0,1 --out rows`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return ui.Usage(err)
			}
			f.config.Stdin = ui.Input(cmd)
			f.config.NoBookMarks = cmd.Flags().Changed("opening-plies")
			if cmd.Flags().Changed("score-view") {
				f.config.Comments.View = map[string]pgn.View{"white": pgn.White, "mover": pgn.Mover}[f.view]
			}
			return f.run(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "", "folder to write (required)")
	fs.StringVar(&f.format, "format", "", "of all files: "+formatNames(convert.ImportFormats,
		", ")+" (default: by the name of each file)")
	fs.StringSliceVar(&f.columns, "columns", nil, "names of the columns of tables without a header: fen, score, "+
		"result, ply, game, opening, weight, _")
	fs.StringSliceVar(&f.config.Results, "results", nil, "a table's values for Black won, draw and White won, such "+
		"as -1,0,1 (default: the usual spellings)")
	ui.Choice(fs, &f.view, "score-view", "white", "view of the scores: white (if given, also for ce in lists) or mover "+
		"(the side to move; in PGN, the side that moved); comments in PGN usually show it", "white", "mover")
	ui.Choice(fs, &f.results, "result-view", "white", "view of the results of lists and tables: white or mover",
		"white", "mover")
	ui.Choice(fs, &f.ply, "score-ply", "", "PGN: scores are of the position before or after the move that they follow "+
		"(default: as each program writes them)", "before", "after")
	fs.StringArrayVar(&f.config.OtherView, "other-view", nil, "games: player whose scores have the other view than "+
		"the comments say (repeatable)")
	fs.BoolVar(&f.config.InferGames, "infer-games", false, "positions are in game order: find the games")
	fs.IntVar(&f.config.OpeningPlies, "opening-plies", 0, "games: how many plies of each game are book moves "+
		"(default: those marked {book}, or 0)")
	fs.BoolVar(&f.config.Strict, "strict", false, "make the first row that cannot be read an error")
	fs.IntVar(&f.config.Workers, "workers", 0, "threads; 0 is one per core")
	ui.JSON(cmd)
	ui.ShortHelp(fs, "out", "format", "columns", "results", "score-view", "infer-games", "opening-plies", "strict")
	return cmd
}

func formatNames(list []convert.Format, between string) string {
	var names []string
	for _, f := range list {
		names = append(names, string(f))
	}
	return strings.Join(names, between)
}

func (f *importFlags) check(sources []string) (err error) {
	if f.out == "" {
		return errors.New("missing --out DIR")
	}
	if f.format != "" {
		if f.config.Format, err = convert.ParseFormat(f.format, convert.ImportFormats); err != nil {
			return err
		}
	}
	if f.columns != nil {
		if f.config.Columns, err = lines.ParseColumns(f.columns); err != nil {
			return fmt.Errorf("--columns: %w", err)
		}
		if f.format != "" && f.config.Format != "table" {
			return fmt.Errorf("--columns is for tables, but --format is %s", f.format)
		}
	}
	if n := len(f.config.Results); n != 0 && n != 3 {
		return fmt.Errorf("--results: want three values, for Black won, draw and White won; got %d", n)
	}
	f.config.Mover, f.config.MoverResults = f.view == "mover", f.results == "mover"
	f.config.Comments.Ply = map[string]pgn.Ply{"before": pgn.Before, "after": pgn.After}[f.ply]
	if f.config.OpeningPlies < 0 || f.config.OpeningPlies > dataset.MaxPlies {
		return fmt.Errorf("--opening-plies %d: want a number from 0 to %d", f.config.OpeningPlies, dataset.MaxPlies)
	}
	if i := slices.Index(sources, source.Stdin); i >= 0 && slices.Contains(sources[i+1:], source.Stdin) {
		return errors.New("standard input (-) can be read only once")
	}
	return nil
}

func (f *importFlags) run(cmd *cobra.Command, sources []string) error {
	stderr := cmd.ErrOrStderr()
	c := f.config
	c.Program = ui.Version()
	p := ui.NewProgress(stderr, "data import")
	c.Progress = p.Update
	c.Refused = func(r *convert.Refusal) { quote.Fprintf(stderr, "data import: refused: %v\n", r) }
	c.Notice = func(kind, text string) { quote.Fprintf(stderr, "data import: %s: %s\n", kind, text) }
	m, n, err := convert.Import(cmd.Context(), sources, f.out, c)
	var view *dataset.ViewFault
	switch {
	case errors.Is(err, dataset.ErrComplete) && !errors.Is(err, convert.ErrStream):
		quote.Fprintf(stderr, "data import: %s is complete: %d rows; nothing to do\n", f.out, n.Rows)
	case errors.As(err, &view):
		return fmt.Errorf("%w; %s", err, ui.ViewCure(view, false))
	case errors.Is(err, convert.ErrFormat):
		return fmt.Errorf("%w; set --format %s", err, formatNames(convert.ImportFormats, "|"))
	case err != nil:
		return err
	default:
		p.Finish(fmt.Sprintf("%d rows in %s, %d refused", n.Rows, f.out, n.Refused))
	}
	if n.ForeignScores > 0 {
		quote.Fprintf(stderr, "data import: %d scores are mates (M2, #-3) or beyond +-%d and were stored as missing\n",
			n.ForeignScores, dataset.MateScore)
	}
	if n.Schema == dataset.PositionsFormat && !n.Inferred && !n.Named {
		fmt.Fprintln(stderr, "data import: warning: the positions name no game; "+unclustered+
			"; --infer-games finds the games of rows in game order")
	}
	if n.Views != nil {
		fmt.Fprintf(stderr, "data import: warning: %v; %s\n", n.Views, ui.ViewCure(n.Views, false))
	}
	return f.print(cmd, m, n)
}

func (f *importFlags) print(cmd *cobra.Command, m *durable.Manifest, n *convert.Imported) error {
	games := ""
	switch {
	case n.Inferred:
		games = fmt.Sprintf(", %d games inferred", n.Games)
	case n.Schema == dataset.PositionsFormat && !n.Named:
		games = ", no games (unclustered)"
	}
	return ui.Show(cmd, struct {
		Out string `json:"out"`
		ID  string `json:"id"`
		*convert.Imported
	}{f.out, m.ID(), n}, func(w io.Writer) error {
		quote.Fprintf(w, "%s: %s, %d rows%s; %d refused\n", f.out, n.Schema, n.Rows, games, n.Refused)
		return printComments(w, n.Comments)
	})
}

// printComments says what was taken from the comments of PGN files.
func printComments(stdout io.Writer, t *pgn.Tally) error {
	if t == nil {
		return nil
	}
	var b strings.Builder
	for _, r := range t.Taken {
		if r.Left {
			fmt.Fprintf(&b, "scores: %d of %d games LEFT OUT (%s): nothing says which position they belong to; set "+
				"--score-ply before or after\n",
				r.Scores, r.Games, r.Dialect)
			continue
		}
		fmt.Fprintf(&b, "scores: %d of %d games (%s: %s, %s, %s%s)\n", r.Scores, r.Games, r.Dialect, r.Unit, r.View, r.Ply,
			ui.If(r.Why != "", "; %s", r.Why))
	}
	if t.Books > 0 {
		fmt.Fprintf(&b, "book moves: marked in %d games\n", t.Books)
	}
	if t.Unknown > 0 {
		fmt.Fprintf(&b, "unknown: %d comments seem to have a score, but no known dialect has them, such as %.60q in "+
			"line %d; they were left out\n",
			t.Unknown, t.Example, t.Line)
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}

func newExport() *cobra.Command {
	var out, format string
	cmd := &cobra.Command{
		Use:   "export PATH --out FILE",
		Short: "Write a data set as EPD, CSV, JSON lines, PGN or bulletformat",
		Long: `Write positions as EPD (c9 "1-0"; ce 34;), as FEN with the result behind it ([1.0]), CSV or
TSV, JSON lines, or bulletformat (32 bytes a position, from the side to move's view); games as
PGN or JSON lines. The ending of the file name decides the format (.epd .fen .csv .tsv .jsonl
.bullet .pgn), and a further .zst or .gz compresses the file. The file - is standard output.

The file gets its name only when it is complete. An existing file is never replaced.`,
		Example: `  assay data export positions --out positions.csv.zst
  assay data export games --out games.pgn
  assay data export positions --out positions.bullet`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if out == "" {
				return ui.Usagef("missing --out FILE")
			}
			p := ui.NewProgress(cmd.ErrOrStderr(), "data export")
			c := convert.ExportConfig{Stdout: ui.Raw(cmd.OutOrStdout()), Progress: p.Update}
			if format != "" {
				if c.Format, err = convert.ParseFormat(format, convert.ExportFormats); err != nil {
					return ui.Usage(err)
				}
			}
			if ui.WantsJSON(cmd) && out == source.Stdin {
				return ui.Usagef("--json and --out - both write to standard output")
			}
			rows, err := convert.Export(cmd.Context(), args[0], out, c)
			if errors.Is(err, convert.ErrFormat) {
				return fmt.Errorf("%w; set --format %s", err, formatNames(convert.ExportFormats, "|"))
			}
			if err != nil {
				return err
			}
			p.Finish(fmt.Sprintf("%d rows in %s", rows, out))
			return ui.Show(cmd, map[string]any{"out": out, "rows": rows}, ui.Text(""))
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&out, "out", "", "file to write (required)")
	fs.StringVar(&format, "format", "", formatNames(convert.ExportFormats, ", ")+" (default: by the file name)")
	ui.JSON(cmd)
	return cmd
}
