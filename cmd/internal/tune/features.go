package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/features"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/tuner"
)

type featuresFlags struct {
	c            features.Config
	out, command string
	force        bool
}

// NewFeatures returns the command assay features.
func NewFeatures() *cobra.Command {
	var f featuresFlags
	cmd := &cobra.Command{
		Use:   "features POSITIONS... --cmd CMD --out DIR",
		Short: "Collect tuning features from an engine that prints them",
		Long: `Send positions to an engine that can print how often each term of its evaluation occurs (a trace),
and collect that in a data set, which 'assay tune' can fit.

The engine prints a header line, a JSON object with the names and values of its terms. Then it
answers each line on standard input, a FEN, with a record, such as
  {"term":[0,17],"count":[1,-2],"phase":0.75,"eval":35}
After an empty line it flushes its output. Counts are White's minus Black's. dataset/FORMAT.md
describes the protocol. A row whose terms do not add up to eval is an error that names the position.
An engine without a trace needs none: assay learn --engine measures its numbers.`,
		Example: `  assay features positions --cmd './engine dump' --out features
  assay features positions --cmd 'python3 dump.py' --procs 4 --out features`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(args); err != nil {
				return err
			}
			return f.run(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.command, "cmd", "", "the engine and its arguments (required)")
	flags.StringVar(&f.out, "out", "", "folder to write (required)")
	flags.IntVar(&f.c.Procs, "procs", 0, "processes of the engine; 0 is one per core")
	flags.DurationVar(&f.c.Timeout, "timeout", time.Minute, "time limit for one answer")
	flags.Float64Var(&f.c.Tolerance, "tolerance", dataset.DefaultTolerance,
		"how far terms and eval may differ, in centipawns")
	flags.BoolVar(&f.force, "force", false, "only warn if the evaluation predicts nothing")
	ui.JSON(cmd)
	ui.ShortHelp(flags, "cmd", "out", "procs", "timeout", "tolerance")
	return cmd
}

func (f *featuresFlags) parse(args []string) (err error) {
	switch {
	case len(args) == 0:
		return ui.Usagef("name data sets of positions")
	case f.out == "":
		return ui.Usagef("missing --out DIR")
	}
	if f.c.Command, err = quote.Split(f.command); err != nil {
		return ui.Usagef("--cmd: %w", err)
	}
	if len(f.c.Command) == 0 {
		return ui.Usagef("--cmd: the command is empty")
	}
	if f.c.Procs < 0 || f.c.Timeout <= 0 || !(f.c.Tolerance >= 0) {
		return ui.Usagef("--procs and --tolerance must be 0 or more, --timeout more than 0")
	}
	f.c.Tolerance = max(f.c.Tolerance, 1e-9) // 0 is the default for Run
	return nil
}

// run collects features, and says what they are worth.
func (f *featuresFlags) run(cmd *cobra.Command, args []string) error {
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	p := ui.NewProgress(stderr, "features")
	noise := &noiseSample{}
	f.c.Program, f.c.Progress = ui.Version(), p.Update
	f.c.Notice = func(text string) { fmt.Fprintf(stderr, "features: %s\n", text) }
	f.c.Watch = func(p *board.Position, total int64) {
		noise.total = total
		noise.take(p)
	}
	f.c.Report = func() (any, error) {
		n, err := noise.count()
		return featuresReport{n}, err
	}
	m, err := features.Run(ctx, args, f.out, f.c)
	switch {
	case errors.Is(err, dataset.ErrComplete):
		fmt.Fprintf(stderr, "features: %s is complete; nothing to do\n", f.out)
		if m, err = durable.LoadManifest(f.out); err != nil {
			return err
		}
	case err != nil:
		return errors.Join(context.Cause(ctx), err)
	default:
		p.Finish(fmt.Sprintf("%d rows in %s", m.Rows, f.out))
	}
	prediction, err := tuner.Predict(ctx, f.out)
	if err != nil {
		return err
	}
	if err := f.print(cmd, args, m, prediction); err != nil {
		return err
	}
	if err := predictsNothing(f.out, prediction); err != nil && !f.force {
		return err
	} else if err != nil {
		fmt.Fprintf(stderr, "features: warning: %v\n", err)
	}
	return nil
}

func (f *featuresFlags) print(cmd *cobra.Command, sources []string, m *durable.Manifest, p *tuner.Prediction) error {
	noise := noiseOf(m)
	return ui.Show(cmd, map[string]any{"out": f.out, "id": m.ID(), "rows": m.Rows, "prediction": p,
		"noise": noise}, func(w io.Writer) error { return f.printText(w, sources, m, p, &noise) })
}

func (f *featuresFlags) printText(w io.Writer, sources []string, m *durable.Manifest, p *tuner.Prediction,
	noise *positions.Noise) (err error) {
	if text := noiseWarning(noise, sources); text != "" {
		fmt.Fprintf(w, "warning: %s, and run this command on it\n", text)
	}
	fmt.Fprintf(w, "%s: %s, %d rows\n", f.out, m.Schema, m.Rows)
	if !p.Judged() {
		_, err = fmt.Fprintf(w, "too few games, or games of one result, to see what the evaluation predicts: %d\n", p.Games)
		return err
	}
	_, err = fmt.Fprintf(w, "the engine's own evaluation predicts the results of %d games: K %.5f per centipawn, "+
		"loss %.5f, the best constant's %.5f, better by %v\n",
		p.Games, p.K, p.Loss, p.Constant, p.Gain)
	return err
}

// predictsNothing returns an error if the evaluation is no better than a constant.
func predictsNothing(out string, p *tuner.Prediction) error {
	if !p.Judged() || p.Useful() {
		return nil
	}
	return fmt.Errorf("the evaluation predicts the results of the games no better than a constant: loss %.5f, the "+
		"constant's %.5f. A fit would learn coin flips. Are result and score from White's view in the positions "+
		"(assay data stat), and eval and counts in the dump? If the start values are guesses or zeros, --force keeps "+
		"going; %s is complete either way",
		p.Loss, p.Constant, out)
}
