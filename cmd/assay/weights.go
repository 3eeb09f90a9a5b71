package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/heldout"
)

func newWeightsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "weights",
		Short: "Show, compare and export weight files",
		Example: `  assay weights list
  assay weights show shannon-1950
  assay weights diff assay-start runs/first/weights.json
  assay weights export assay --format c --out weights.h`,
	}
	c.AddCommand(newWeightsShowCommand(), newWeightsDiffCommand(), newWeightsListCommand(), newWeightsExportCommand())
	return c
}

func newWeightsShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "show FILE",
		Short:   "Print the weights of a file, or embedded weights, with their provenance",
		Example: "  assay weights show assay",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := openAnyWeights(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				text, err := x.file.Encode()
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), showWeights(x))
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the file itself, in its normal form")
	return c
}

func showWeights(x *openedWeights) string {
	var b strings.Builder
	model := x.file.Model
	if x.model == nil {
		model += ", a foreign evaluation"
	}
	fmt.Fprintf(&b, "%-9s %s\n%-9s %s\n%-9s %d\n%-9s %.7f per centipawn\n", "model", model, "id", x.file.ID(), "terms", len(x.file.Terms), "K", x.file.K)
	b.WriteString(provenance(&x.file.Provenance))
	fmt.Fprintf(&b, "\n%-28s %15s %15s %10s\n", "term", "mg", "eg", "positions")
	boards := newSquareBoards()
	for i := range x.file.Terms {
		w := &x.file.Terms[i]
		if boards.take(w) {
			continue
		}
		eg := withError(w.EG, w.SEEG)
		if !x.terms[i].Tapered {
			eg = ""
		}
		count := ""
		if w.Count > 0 {
			count = fmt.Sprint(w.Count)
		}
		line := fmt.Sprintf("%-28s %15s %15s %10s", w.Name, withError(w.MG, w.SEMG), eg, count)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString(boards.String())
	return b.String()
}

// provenance returns the lines of the provenance that are not empty.
func provenance(p *models.Provenance) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" && value != "0" {
			fmt.Fprintf(&b, "%-9s %s\n", name, value)
		}
	}
	line("parent", p.Parent)
	line("method", p.Method)
	line("data", strings.Join(p.Data, " "))
	line("rows", fmt.Sprint(p.Rows))
	line("games", fmt.Sprint(p.Games))
	line("split", p.Split)
	if p.LossTrain != 0 || p.LossValid != 0 {
		line("loss", fmt.Sprintf("%.6f training, %.6f validation", p.LossTrain, p.LossValid))
	}
	line("seed", fmt.Sprint(p.Seed))
	line("program", p.Program)
	line("config", p.Config)
	line("time", p.Time)
	return b.String()
}

// withError formats a weight with its standard error, if it has one.
func withError(w int32, se float64) string {
	if se == 0 {
		return fmt.Sprint(w)
	}
	return fmt.Sprintf("%d +- %.1f", w, se)
}

// squareBoards collects the terms of piece-square tables, to show them as boards.
type squareBoards struct {
	names  []string
	tables map[string]*[64]*models.TermWeight
}

func newSquareBoards() *squareBoards {
	return &squareBoards{tables: map[string]*[64]*models.TermWeight{}}
}

// take collects the term if its name ends with a square, and reports whether it did.
func (s *squareBoards) take(w *models.TermWeight) bool {
	kind, square, ok := models.SquareOf(w.Name)
	if !ok {
		return false
	}
	if s.tables[kind] == nil {
		s.tables[kind] = new([64]*models.TermWeight)
		s.names = append(s.names, kind)
	}
	s.tables[kind][square] = w
	return true
}

func (s *squareBoards) String() string {
	var b strings.Builder
	for _, kind := range s.names {
		fmt.Fprintf(&b, "\n%-43s%s\n", kind+", mg", "eg")
		for rank := 7; rank >= 0; rank-- {
			var mg, eg strings.Builder
			any := false
			for file := range 8 {
				if w := s.tables[kind][board.NewSquare(file, rank)]; w != nil {
					fmt.Fprintf(&mg, "%5d", w.MG)
					fmt.Fprintf(&eg, "%5d", w.EG)
					any = true
				} else {
					mg.WriteString("     ")
					eg.WriteString("     ")
				}
			}
			if any { // pawns have no first rank
				fmt.Fprintf(&b, "%d%s  %s\n", rank+1, mg.String(), strings.TrimRight(eg.String(), " "))
			}
		}
		files := "    a    b    c    d    e    f    g    h"
		fmt.Fprintf(&b, " %s  %s\n", files, files)
	}
	return b.String()
}

func newWeightsDiffCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "diff A B",
		Short:   "Compare two weight files of one model",
		Long:    "Compare two weight files of one model, term by term. A star marks changes of more\nthan two standard errors, where the files have standard errors.",
		Example: "  assay weights diff assay-start runs/first/weights.json",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, b, err := openTwoWeights(args[0], args[1])
			if err != nil {
				return err
			}
			changes := models.Diff(a.file, b.file)
			if asJSON {
				return printJSON(cmd.OutOrStdout(), struct {
					Model   string          `json:"model"`
					A       string          `json:"a"`
					B       string          `json:"b"`
					Changes []models.Change `json:"changes"`
				}{a.file.Model, a.file.ID(), b.file.ID(), changes})
			}
			_, err = io.WriteString(cmd.OutOrStdout(), showChanges(a, b, changes))
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// openTwoWeights opens two weight files of one model.
func openTwoWeights(first, second string) (a, b *openedWeights, err error) {
	if a, err = openAnyWeights(first); err != nil {
		return nil, nil, err
	}
	if b, err = openAnyWeights(second); err != nil {
		return nil, nil, err
	}
	if a.file.Model != b.file.Model {
		return nil, nil, fmt.Errorf("%s is for the model %s and %s for %s: only weights of one model can be compared", a.name, a.file.Model, b.name, b.file.Model)
	}
	// Only foreign evaluations can differ in their terms or in the order of terms.
	if name, ok := models.Missing(a.file, b.file); ok {
		return nil, nil, fmt.Errorf("%s has a term %q, %s does not: only weights of the same terms can be compared", a.name, name, b.name)
	}
	if name, ok := models.Missing(b.file, a.file); ok {
		return nil, nil, fmt.Errorf("%s has a term %q, %s does not: only weights of the same terms can be compared", b.name, name, a.name)
	}
	return a, b, nil
}

func showChanges(a, b *openedWeights, changes []models.Change) string {
	var s strings.Builder
	fmt.Fprintf(&s, "A  %s (id %s)\nB  %s (id %s)\n", a.name, a.file.ID(), b.name, b.file.ID())
	fmt.Fprintf(&s, "%d of %d terms differ\n", len(changes), len(a.file.Terms))
	if len(changes) == 0 {
		return s.String()
	}
	fmt.Fprintf(&s, "\n%-28s %7s %7s %7s   %7s %7s %7s\n", "term", "mg A", "B", "change", "eg A", "B", "change")
	for _, c := range changes {
		star := ""
		if c.Significant {
			star = "  *"
		}
		fmt.Fprintf(&s, "%-28s %7d %7d %+7d   %7d %7d %+7d%s\n", c.Name, c.MGA, c.MGB, c.MGB-c.MGA, c.EGA, c.EGB, c.EGB-c.EGA, star)
	}
	return s.String()
}

func newWeightsListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the models and the embedded weights",
		Example: "  assay weights list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			type row struct {
				Name  string `json:"name"`
				Model string `json:"model"`
				ID    string `json:"id"`
				Terms int    `json:"terms"`
				About string `json:"about"`
			}
			rows := []row{}
			for _, name := range models.Names() {
				f, err := models.Embedded(name)
				if err != nil {
					return err
				}
				rows = append(rows, row{name, f.Model, f.ID(), len(f.Terms), models.About(name)})
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"weights": rows})
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%-16s %-16s %-13s %6s  %s\n", "weights", "model", "id", "terms", "description")
			for _, r := range rows {
				fmt.Fprintf(out, "%-16s %-16s %-13s %6d  %s\n", r.Name, r.Model, r.ID, r.Terms, r.About)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// exportFlags are the flags of assay weights export.
type exportFlags struct {
	format, template, show, out, into, data string
}

func newWeightsExportCommand() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write weights for another program, or into its source",
		Long: `Write weights in a format that another program can read:

  tables  arrays of S(mg, eg) for C and C++, where the engine defines S
  c       a C header with arrays, and S unless the engine defines it
  cpp     C++, constexpr
  rust    Rust
  go      Go
  csv     one line per term, with the fitted number and its standard error
  json    the weight file itself
  uci     one setoption line per weight

For any other format write a template of Go's text/template; --show-template prints a
built-in one as an example. A template sees .Model, .ID, .K, .Terms, .Arrays and .Groups.

Terms become arrays by their names: pst.0, pst.1, ... are the elements of pst, in the order
of the weight file, and pst.0.0 to pst.5.63 those of pst[6][64] (pst_0 to pst_5 in a format
without nested arrays). A number, a rank or a square at the end, after a dot, an underscore
or in brackets, is an index; the 64 squares are a1, b1 ... h8. Other characters that a name
cannot have become underscores, and words of a language get one at the end.

--into replaces what stands between two comments of a source file, and nothing else:
  // assay:begin
  // assay:end
Names after assay:begin choose arrays and terms for the region, so that a file may have
several: // assay:begin pst material. The format follows the file's name, or --format or
--template. Line endings, indentation and permissions stay. The file is not touched if it is
up to date already, or if a region has other names than it would get; an empty region
takes any.

FILE may hold weights of any evaluation, also of a foreign one.

Weights are integers. If the file has the fitted numbers they were rounded from, stderr
shows how far rounding moved them and, with --data, the loss it costs.`,
		Example: `  assay weights export assay --format c --out weights.h
  assay weights export runs/first/weights.json --template engine.tmpl --data runs/first/positions
  assay weights export tuned.json --into src/eval.cpp
  assay weights export --show-template c`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.show != "" {
				text, err := models.ExportTemplate(f.show)
				if err != nil {
					return usageError{err}
				}
				_, err = io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			if len(args) != 1 {
				return usagef("want one weight file, or name of embedded weights")
			}
			return f.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&f.format, "format", "", strings.Join(models.ExportFormats(), ", ")+" (default json)")
	c.Flags().StringVar(&f.template, "template", "", "template file to execute on the weights")
	c.Flags().StringVar(&f.show, "show-template", "", "print the built-in template of a format")
	c.Flags().StringVar(&f.out, "out", "", "file to write (default: standard output)")
	c.Flags().StringVar(&f.into, "into", "", "source file to write the weights into, between its markers")
	c.Flags().StringVar(&f.data, "data", "", "data set of positions (of a foreign evaluation: features) on which to measure the loss that rounding costs")
	return c
}

func (f *exportFlags) run(ctx context.Context, name string, stdout, stderr io.Writer) error {
	switch {
	case f.format != "" && f.template != "":
		return usagef("give --format or --template, not both")
	case f.into != "" && f.out != "":
		return usagef("give --into or --out, not both")
	case f.format == "" && f.template == "" && f.into != "":
		if f.format = sourceFormats[strings.ToLower(filepath.Ext(f.into))]; f.format == "" {
			return usagef("--into %s: give its --format, one of %s, or a --template", f.into, strings.Join(models.ExportFormats(), ", "))
		}
	case f.format == "":
		f.format = "json"
	case !slices.Contains(models.ExportFormats(), f.format):
		return usagef("--format %s: want one of %s", f.format, strings.Join(models.ExportFormats(), ", "))
	}
	x, err := openAnyWeights(name)
	if err != nil {
		return err
	}
	if f.into != "" {
		return f.intoSource(ctx, x, stderr)
	}
	var b bytes.Buffer // write nothing unless the template succeeds
	if f.template != "" {
		text, err := os.ReadFile(f.template)
		if err != nil {
			return err
		}
		if err := x.file.Execute(&b, f.template, string(text)); err != nil {
			return fmt.Errorf("%w; assay weights export --show-template c prints a working template", err)
		}
	} else if err := x.file.Export(&b, f.format); err != nil {
		return err
	}
	if err := f.rounding(ctx, x, stderr); err != nil {
		return err
	}
	if f.out != "" {
		return durable.WriteFile(f.out, b.Bytes())
	}
	_, err = stdout.Write(b.Bytes())
	return err
}

// sourceFormats are the formats of --into by the ends of file names.
var sourceFormats = map[string]string{
	".c": "tables", ".h": "tables", ".cc": "tables", ".cpp": "tables", ".cxx": "tables", ".hpp": "tables", ".hh": "tables", ".inc": "tables",
	".rs": "rust", ".go": "go", ".csv": "csv", ".uci": "uci",
}

// intoSource replaces the regions of a source file.
func (f *exportFlags) intoSource(ctx context.Context, x *openedWeights, stderr io.Writer) error {
	name, text := f.format+".tmpl", ""
	if f.template != "" {
		data, err := os.ReadFile(f.template)
		if err != nil {
			return err
		}
		name, text = f.template, string(data)
	} else {
		var err error
		if text, err = models.ExportTemplate(f.format); err != nil {
			return usageError{err}
		}
	}
	before, err := os.ReadFile(f.into)
	if err != nil {
		return err
	}
	after, left, err := x.file.Into(before, name, text)
	if err != nil {
		return fmt.Errorf("%s: %w; it is not changed", f.into, err)
	}
	if err := f.rounding(ctx, x, stderr); err != nil {
		return err
	}
	if len(left) > 0 {
		fmt.Fprintf(stderr, "not in a region of %s: %s\n", f.into, strings.Join(left, ", "))
	}
	if bytes.Equal(before, after) {
		fmt.Fprintf(stderr, "%s has these weights already\n", f.into)
		return nil
	}
	return durable.ReplaceFile(f.into, after)
}

// rounding prints how far the integers are from the fitted numbers, and the loss it costs.
func (f *exportFlags) rounding(ctx context.Context, x *openedWeights, stderr io.Writer) error {
	r := x.file.Rounding()
	if r.Fitted == 0 {
		if f.data != "" {
			return fmt.Errorf("%s holds no fitted numbers: leave out --data, or export a file that assay tune wrote", x.name)
		}
		return nil
	}
	fmt.Fprintf(stderr, "rounding moved %d fitted weights by %.2f centipawns (rms), %s most, by %.2f\n", r.Fitted, r.RMS, r.Worst, r.Largest)
	if f.data == "" {
		return nil
	}
	c, err := heldout.RoundingLoss(ctx, x.file, f.data, newProgress(stderr, "positions").update)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "cross-entropy on %d positions: %.6f as fitted, %.6f rounded (%+.1e)\n", c.Rows, c.Fitted, c.Rounded, c.Rounded-c.Fitted)
	return nil
}
