package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/tuner"
)

// NewValue returns the command assay data value.
func NewValue() *cobra.Command {
	f := tuneFlags{c: tuner.NewConfig()}
	c := &cobra.Command{
		Use:   "value A B [C]...",
		Short: "Measure what each data set is worth for tuning, and how to mix them",
		Long: `Measure what each of several data sets adds to a fit: positions, or features of one engine.

The results of each set are predicted by fits to the others. "added" is by how much the loss
there falls when a set is used beside the others, "alone" by how much it falls from the start
weights to a fit to that set alone; both are means over the sets predicted, with 95 % intervals by
game. A set that harms should be left out, or looked at: wrong views of its results, another
variant, a book that was played to death.

Of four sets or more it also finds how to mix them: the weight of each set's rows, by gradient
steps that lower the loss on sets that a fit has not seen. How many steps, and what the mix gains, is
judged on sets that had no part in it. --out writes the weights, for --mix of
assay data merge.

Sets must not share games. Losses are not Elo: a match decides.`,
		Example: `  assay data value own-300 own-2000 lichess sf-scored --model assay
  assay data value features-1 features-2 features-3 features-4 --out mix.json`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return err
			}
			return f.value(cmd.Context(), args, streams{cmd.OutOrStdout(), cmd.ErrOrStderr()})
		},
	}
	f.loss, f.c.Folds = "cross-entropy", 0
	fs := c.Flags()
	fs.StringVar(&f.model, "model", "", `model: `+weights.ModelNames()+` (default: the model of --from, or "assay")`)
	fs.StringVar(&f.from, "from", "", "weight file, or the name of embedded weights, to start from")
	fs.StringVar(&f.out, "out", "", "file for the mixing weights (.json)")
	fs.IntVar(&f.c.Workers, "workers", 0, "threads (default: one per core); does not change the result")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	cli.Silent(fs, "workers", "json")
	return c
}

func (f *tuneFlags) value(ctx context.Context, paths []string, to streams) (err error) {
	first, err := newTuneTask(f, paths[:1], to.err)
	if err != nil {
		return err
	}
	if first.set.Bent() || first.model != nil && first.model.Bend != nil {
		return cli.Usagef("data value is for linear evaluations: %s has a formula", first.name)
	}
	var sources []tuner.DataSource
	var ids []string
	for i, path := range paths {
		task := first
		if i > 0 {
			if task, err = first.beside(paths[i:i+1], to.err); err != nil {
				return err
			}
		}
		id := task.identity()[0]
		if other := slices.Index(ids, id); other >= 0 {
			return cli.Usagef("%s is the same data as %s: give each once", path, paths[other])
		}
		ids = append(ids, id)
		s, e := task.load(ctx, f, to.err)
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		for _, w := range task.warnings() {
			fmt.Fprintf(to.err, "data value: warning: %s\n", w)
		}
		sources = append(sources, tuner.DataSource{Name: path, Store: s})
	}
	bar := cli.NewProgress(to.err, "data value")
	f.c.Progress, f.c.Unit = bar.Update, first.unit()
	v, err := tuner.Value(ctx, sources, first.terms, f.c)
	if err != nil {
		return tuneAdvice(err)
	}
	bar.Finish("done")
	if f.out != "" {
		m := arrange.Mix{}
		for i, x := range v.Sources {
			m[ids[i]] = arrange.Mixed{Name: x.Name, Weight: x.Weight}
		}
		if err := m.Write(f.out); err != nil {
			return err
		}
	}
	if f.asJSON {
		return cli.PrintJSON(to.out, v)
	}
	return printValue(cli.Folded(to.out), v, f.out)
}

// printValue prints what each source is worth.
func printValue(out io.Writer, v *tuner.DataValue, mixTo string) error {
	wide := len("data")
	for _, x := range v.Sources {
		wide = max(wide, len(quote.Text(x.Name)))
	}
	quote.Fprintf(out, "%-*s %9s %8s %6s  %-31s  %-31s\n", wide, "data", "positions", "games", "share", "added", "alone")
	for i := range v.Sources {
		x := &v.Sources[i]
		quote.Fprintf(out, "%-*s %9d %8d %4.0f %%  %-31s  %-31s  %s\n", wide, x.Name, x.Rows, x.Clusters, 100*x.Share,
			x.Added, x.Alone, x.Verdict())
	}
	quote.Fprintf(out, "added: by how much the loss on the results of the others falls if the fit has this data too;\n"+
		"alone: by how much it falls from the start weights to a fit to this data alone. Means over the others, 95 %% by "+
		"game.\n")
	for _, x := range v.Sources {
		if x.LeftOut {
			quote.Fprintf(out, "%s harms: the others are measured without it. Are its results from White's view?\n", x.Name)
		}
	}
	if !v.MixGain.SE.Known() {
		quote.Fprintf(out, "Mixing weights need %d data sets that do not harm.\n", tuner.MinMixed)
		return nil
	}
	quote.Fprintf(out, "\n%-*s %14s %10s\n", wide, "mix", "share", "row weight")
	for _, x := range v.Sources {
		quote.Fprintf(out, "%-*s %4.0f -> %3.0f %% %10.3f\n", wide, x.Name, 100*x.Share, 100*x.Mixed, x.Weight)
	}
	quote.Fprintf(out, "Gain of such a mix on data that had no part in it: %s over the data as given,\n"+
		"%s over equal shares.\n", v.MixGain, v.MixOverEqual)
	if !(v.MixGain.Interval[0] > 0) {
		quote.Fprintf(out, "It is not shown to be better than the data as given, whose weights these are.\n")
	}
	if mixTo != "" {
		quote.Fprintf(out, "written %s, for --mix of assay data merge\n", mixTo)
	}
	return nil
}
