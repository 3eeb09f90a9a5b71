package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/models"
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
