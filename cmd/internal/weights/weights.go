// Package weights is the commands about weights and what evaluations say with them: assay
// weights, and assay eval. Open opens weights for other commands too.
package weights

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/tuner"
	"github.com/spf13/cobra"
)

// New returns the command assay weights.
func New() *cobra.Command {
	c := &cobra.Command{
		Use:   "weights",
		Short: "Show, compare, draw and export weight files",
		Example: `  assay weights list
  assay weights show shannon-1950
  assay weights diff assay-start runs/first/weights.json
  assay weights picture new.json --from assay-start --out boards.png
  assay weights export assay --format c --out weights.h`,
	}
	c.AddCommand(newShow(), newDiff(), newList(), newPicture(), newExport())
	return c
}

func newShow() *cobra.Command {
	c := &cobra.Command{
		Use:     "show FILE",
		Short:   "Print weights, of a file or embedded, with their provenance",
		Example: "  assay weights show assay",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := OpenAny(args[0])
			if err != nil {
				return err
			}
			text := []byte(showWeights(x))
			if ui.WantsJSON(cmd) { // the file itself, in its normal form
				if text, err = x.File.Encode(); err != nil {
					return err
				}
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	ui.JSON(c)
	return c
}

func showWeights(x *Opened) string {
	var b strings.Builder
	model := x.File.Model
	if x.Model == nil {
		model += ", an external evaluation"
	}
	var facts ui.Table
	facts.Add("model\t%s", model)
	facts.Add("id\t%s", x.File.ID())
	facts.Add("terms\t%d", len(x.File.Terms))
	facts.Add("K\t%.7f per %s", x.File.K, x.File.UnitName())
	addProvenance(&facts, &x.File.Provenance)
	_ = facts.Print(&b) // a strings.Builder cannot fail
	b.WriteByte('\n')
	t := ui.Table{Head: []string{"term", ">mg", ">eg", ">positions"}}
	boards, shown := SquareBoards(x.File.Terms)
	for i := range x.File.Terms {
		w := &x.File.Terms[i]
		if shown[i] {
			continue
		}
		eg := ui.If(x.terms[i].Tapered, "%s", WithError(w.EG, w.SEEG))
		t.Add("%s\t%s\t%s\t%s", w.Name, WithError(w.MG, w.SEMG), eg, ui.If(w.Count > 0, "%d", w.Count))
	}
	_ = t.Print(&b)
	b.WriteString(boards)
	return b.String()
}

// addProvenance adds the provenance, as far as it is known.
func addProvenance(t *ui.Table, p *models.Provenance) {
	loss := ui.If(p.LossTrain != 0 || p.LossValid != 0, "%.6f training, %.6f validation", p.LossTrain, p.LossValid)
	for _, line := range [][2]string{
		{"parent", p.Parent}, {"method", p.Method}, {"data", strings.Join(p.Data, " ")}, {"rows", fmt.Sprint(p.Rows)},
		{"games", fmt.Sprint(p.Games)}, {"split", p.Split}, {"loss", loss}, {"seed", fmt.Sprint(p.Seed)},
		{"program", p.Program}, {"config", p.Config}, {"time", p.Time},
	} {
		if line[1] != "" && line[1] != "0" {
			t.Rows = append(t.Rows, line[:])
		}
	}
}

func newDiff() *cobra.Command {
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two weight files of one model",
		Long: "Compare two weight files of one model, term by term. A star marks changes of more\nthan two " +
			"standard errors, where the files have standard errors. A or B may be features of an\nexternal evaluation: " +
			"the values that its engine plays with.",
		Example: "  assay weights diff assay-start runs/first/weights.json\n  assay weights diff features " +
			"tuned/weights.json",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, b, err := openTwoWeights(args[0], args[1])
			if err != nil {
				return err
			}
			changes := models.Diff(a.File, b.File)
			return ui.Show(cmd, struct {
				Model   string          `json:"model"`
				A       string          `json:"a"`
				B       string          `json:"b"`
				Changes []models.Change `json:"changes"`
			}{a.File.Model, a.File.ID(), b.File.ID(), changes},
				func(w io.Writer) error { return printChanges(w, a, b, changes) })
		},
	}
	ui.JSON(c)
	return c
}

// openTwoWeights opens two weight files of one model, or features.
func openTwoWeights(first, second string) (a, b *Opened, err error) {
	if a, err = openValues(first); err != nil {
		return nil, nil, err
	}
	if b, err = openValues(second); err != nil {
		return nil, nil, err
	}
	if a.File.Model != b.File.Model {
		return nil, nil, fmt.Errorf("%s is for the model %s and %s for %s: only weights of one model can be compared",
			a.Name, a.File.Model, b.Name, b.File.Model)
	}
	if a.File.Unit != b.File.Unit {
		return nil, nil, fmt.Errorf("%s is in %s and %s in %s: only weights of one unit can be compared",
			a.Name, a.File.Units(), b.Name, b.File.Units())
	}
	// Only external evaluations can differ in their terms or in the order of terms.
	for _, x := range [][2]*Opened{{a, b}, {b, a}} {
		if name, ok := models.Missing(x[0].File, x[1].File); ok {
			return nil, nil, fmt.Errorf("%s has a term %q, %s does not: only weights of the same terms can be compared",
				x[0].Name, name, x[1].Name)
		}
	}
	return a, b, nil
}

func printChanges(w io.Writer, a, b *Opened, changes []models.Change) error {
	quote.Fprintf(w, "A  %s (id %s)\nB  %s (id %s)\n", a.Name, a.File.ID(), b.Name, b.File.ID())
	fmt.Fprintf(w, "%d of %d terms differ\n", len(changes), len(a.File.Terms))
	if len(changes) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := ui.Table{Head: []string{"term", ">mg A", ">B", ">change", ">eg A", ">B", ">change", ""}}
	for _, c := range changes {
		t.Add("%s\t%d\t%d\t%+d\t%d\t%d\t%+d\t%s", c.Name, c.MGA, c.MGB, c.MGB-c.MGA, c.EGA, c.EGB, c.EGB-c.EGA,
			ui.If(c.Significant, "*"))
	}
	return t.Print(w)
}

func newList() *cobra.Command {
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
			rows, t := []row{}, ui.Table{Head: []string{"weights", "model", "id", ">terms", "description"}}
			for _, name := range models.Names() {
				f, err := models.Embedded(name)
				if err != nil {
					return err
				}
				rows = append(rows, row{name, f.Model, f.ID(), len(f.Terms), models.About(name)})
				t.Add("%s\t%s\t%s\t%d\t%s", name, f.Model, f.ID(), len(f.Terms), models.About(name))
			}
			return ui.Show(cmd, map[string]any{"weights": rows}, t.Print)
		},
	}
	ui.JSON(c)
	return c
}

type exportFlags struct {
	format, out string
	into        []string
}

func newExport() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write weights for another program, or into its source",
		Long: `Write weights in a format that another program can read (json, the weight file; c, a header with
arrays and S(mg, eg); csv, a line per term), or with --into put them into the source of your engine.

--into replaces the numbers of files that have the names of the weights, as a fit to measured
slopes has them; layout and comments stay. The files are named from the top of the engine's folder,
where the command is typed. Then build the engine and play a match.`,
		Example: `  assay weights export assay --format c --out weights.h
  assay weights export tuned.json --into src/eval.cpp --into src/psqt.h`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return ui.Usagef("want one weight file, or name of embedded weights")
			}
			if f.into != nil && (f.out != "" || cmd.Flags().Changed("format")) {
				return ui.Usagef("--into replaces numbers of a source file: give it without --out and --format")
			}
			return f.run(args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	ui.Choice(c.Flags(), &f.format, "format", "json", strings.Join(models.ExportFormats(), ", "), models.ExportFormats()...)
	c.Flags().StringVar(&f.out, "out", "", "file to write (default: standard output)")
	c.Flags().StringArrayVar(&f.into, "into", nil,
		"source file to write the weights into; repeat it for each that defines some")
	ui.ShortHelp(c.Flags(), "format", "into", "out")
	return c
}

func (f *exportFlags) run(name string, stdout, stderr io.Writer) error {
	x, err := openValues(name)
	if err != nil {
		return err
	}
	if x.File.K == 0 && f.format == "json" && f.into == nil {
		return ui.Usagef("%s holds features, from which assay tune makes a weight file: give another --format", name)
	}
	if f.into != nil {
		return f.intoSources(x, stderr)
	}
	var b bytes.Buffer // write nothing unless the export succeeds
	if err := x.File.Export(&b, f.format); err != nil {
		return err
	}
	if r := x.File.Rounding(); r.Fitted > 0 {
		fmt.Fprintf(stderr, "rounding moved %d fitted weights by %.2f %s (rms), %s most, by %.2f\n",
			r.Fitted, r.RMS, x.File.Units(), r.Worst, r.Largest)
	}
	if f.out != "" {
		return durable.WriteFile(f.out, b.Bytes())
	}
	_, err = stdout.Write(b.Bytes())
	return err
}

// openValues opens a weight file, or the values that an engine plays with, as its features have them.
func openValues(name string) (*Opened, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return OpenAny(name)
	}
	_, set, err := dataset.OpenFeatures(name)
	if err != nil {
		return nil, fmt.Errorf("%s is a folder: want a weight file, such as %s, or features: %w",
			name, filepath.Join(name, "weights.json"), err)
	}
	file, err := tuner.StartWeights(set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return opened(name, file)
}

func (f *exportFlags) intoSources(x *Opened, stderr io.Writer) error {
	for i, name := range f.into {
		if !filepath.IsLocal(name) {
			return ui.Usagef("--into %s: name files from the top of the engine's folder, and type the command there", name)
		}
		if slices.ContainsFunc(f.into[:i], func(s string) bool { return filepath.Clean(s) == filepath.Clean(name) }) {
			return ui.Usagef("--into %s is given twice", name)
		}
	}
	project, err := opts.ReadProject(".")
	if err != nil {
		return err
	}
	set, err := numbers.Scan(".", f.into, numbers.Options{Skip: slices.Clone(project.Skip), Take: project.Take})
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, n := range set.Numbers {
		at[n.Name] = i
	}
	values := set.Values()
	var missing, tapered []string
	for _, t := range x.File.Terms {
		i, ok := at[t.Name]
		if !ok || set.Numbers[i].Float { // a weight file has whole numbers, of steps that it does not know
			missing = append(missing, t.Name)
			continue
		}
		if t.MG != t.EG {
			tapered = append(tapered, t.Name)
		}
		values[i] = float64(t.MG)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: these are no whole numbers there, and nothing is changed: %s (only weights of measured "+
			"numbers can be written into a source; others: --format c)", strings.Join(f.into, ", "), ui.Listed(missing, 20))
	}
	if len(tapered) > 0 {
		return fmt.Errorf("%s: these have a middlegame and an endgame value, and one number in the source, and nothing is "+
			"changed: %s (write them by hand, from --format c)", x.Name, ui.Listed(tapered, 20))
	}
	changed, err := set.WriteBack(".", values)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d of %d numbers changed in %s\n", changed, len(x.File.Terms), strings.Join(f.into, ", "))
	return nil
}
