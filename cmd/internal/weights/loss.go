package weights

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/heldout"
)

// lossFlags are the flags of assay eval loss.
type lossFlags struct {
	weights, against []string
	evalLine, view   string
	line             *regexp.Regexp
	byPhase, asJSON  bool
	workers          int
}

func newEvalLoss() *cobra.Command {
	f := lossFlags{}
	c := &cobra.Command{
		Use:   "loss DATA... [--weights W]... [--against uci:COMMAND]...",
		Short: "Measure how well weight files and engines predict results",
		Long: `Measure how well static evaluations predict the results of games, all on the same
positions: weight files, embedded weights, and foreign engines that answer the command
"eval", as Stockfish does.

DATA are data sets of positions, best those that no fit has seen (assay data split). For
each evaluator and each loss, the slope K of 1/(1+e^(-K x)) is the one with the smallest
loss, so the unit of the values does not matter. Standard errors count each game as
one observation. The last column is the difference from the first evaluator on the same
positions; its error is far smaller than the errors of the two losses.

Positions in check and positions without a value are left out. No search is made: give
quiet positions, as a static value says little in the middle of an exchange.`,
		Example: `  assay eval loss parts/valid --weights tuned.json --weights shannon-1950
  assay eval loss parts/valid --weights tuned.json --against 'uci:stockfish?Use NNUE=false' --by-phase
  assay eval loss positions --against 'uci:./engine' --eval-line 'static eval (\S+) cp' --eval-view mover`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return err
			}
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringArrayVar(&f.weights, "weights", nil,
		"weight file, or name of embedded weights (repeatable; default assay)")
	fs.StringArrayVar(&f.against, "against", nil, "foreign engine: uci:COMMAND[?OPTION=VALUE...] (repeatable)")
	fs.StringVar(&f.evalLine, "eval-line", heldout.StockfishLine,
		"regular expression for an engine's answer to \"eval\"; group 1 is the value, "+
			"in pawns if it has a point, else in centipawns")
	fs.StringVar(&f.view, "eval-view", "white", "whose view an engine's values are from: white or mover")
	fs.BoolVar(&f.byPhase, "by-phase", false, "show the cross-entropy by phase of the game too")
	fs.IntVar(&f.workers, "workers", 0, "threads, and processes of each engine; 0 is one per core")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	cli.Often(fs, "weights", "against", "eval-view", "by-phase")
	return c
}

func (f *lossFlags) parse() (err error) {
	if f.view != "white" && f.view != "mover" {
		return cli.Usagef("--eval-view %s: want white or mover", f.view)
	}
	if f.line, err = regexp.Compile(f.evalLine); err != nil {
		return cli.Usagef("--eval-line: %w", err)
	}
	if f.line.NumSubexp() < 1 {
		return cli.Usagef("--eval-line %s: want a group, (...), around the value", f.evalLine)
	}
	if f.workers < 0 {
		return cli.Usagef("--workers: want 0 or more")
	}
	if f.workers == 0 {
		f.workers = runtime.GOMAXPROCS(0)
	}
	if len(f.weights)+len(f.against) == 0 {
		f.weights = []string{models.Default}
	}
	return nil
}

// candidates returns the weights first, then the engines, in the order of the flags.
func (f *lossFlags) candidates() (list []heldout.Candidate, err error) {
	for _, name := range f.weights {
		x, err := Open("", name)
		if err != nil {
			return nil, err
		}
		list = append(list, heldout.Weights(fmt.Sprintf("%s (id %s)", name, x.File.ID()), x.Model, x.Coefs))
	}
	for _, text := range f.against {
		spec, err := roster.Parse(text)
		if err != nil {
			return nil, err
		}
		open := func() (heldout.Evaluator, error) { return f.openEngine(spec) }
		e, err := open() // starts nothing, but reads the specification
		if err != nil {
			return nil, err
		}
		e.Close()
		list = append(list, heldout.Candidate{Name: text, Open: open})
	}
	return list, nil
}

// openEngine returns the evaluator of a specification uci:COMMAND[?OPTION=VALUE...].
func (f *lossFlags) openEngine(spec engine.Spec) (heldout.Evaluator, error) {
	p, err := roster.Open(spec.WithTimeouts(0, heldout.EngineTimeout))
	if err != nil {
		return nil, err
	}
	client, ok := p.(*uci.Client)
	if !ok {
		_ = p.Close() // nothing was started
		return nil, fmt.Errorf("%s: want uci:COMMAND[?OPTION=VALUE...] without limits; "+
			"weights are given with --weights", spec.Label)
	}
	return &heldout.Engine{Client: client, Name: spec.Label, Line: f.line, SideToMove: f.view == "mover"}, nil
}

func (f *lossFlags) run(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
	c := heldout.Config{Workers: f.workers, Progress: cli.NewProgress(stderr, "positions").Update}
	var err error
	if c.Candidates, err = f.candidates(); err != nil {
		return err
	}
	for _, path := range paths {
		d, err := dataset.OpenPositions(path)
		if err != nil {
			return cli.DataAdvice(err)
		}
		c.Data = append(c.Data, d)
	}
	r, err := heldout.Measure(ctx, c)
	if errors.Is(err, heldout.ErrNoPositions) {
		return fmt.Errorf("%s: %w: %d are in check, %d have none, %d are of weight 0",
			strings.Join(paths, ", "), err, r.InCheck, r.NoValue, r.Weightless)
	}
	if errors.Is(err, heldout.ErrLine) {
		return fmt.Errorf("%w; --eval-line says what the line with the value looks like", err)
	}
	if err != nil {
		return cli.DataAdvice(err)
	}
	if f.asJSON {
		return cli.PrintJSON(stdout, r)
	}
	_, err = io.WriteString(stdout, lossTable(r, f.byPhase))
	return err
}

// lossTable returns the report as text.
func lossTable(r *heldout.Report, byPhase bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d positions of %d games", r.Rows, r.Games)
	if r.Games == 0 {
		b.Reset()
		fmt.Fprintf(&b, "%d positions without a game: standard errors take them as independent", r.Rows)
	}
	if r.InCheck+r.NoValue+r.Weightless > 0 {
		fmt.Fprintf(&b, "; left out: %d in check", r.InCheck)
	}
	if r.NoValue > 0 {
		fmt.Fprintf(&b, ", %d without a value", r.NoValue)
	}
	if r.Weightless > 0 {
		fmt.Fprintf(&b, ", %d of weight 0", r.Weightless)
	}
	width := 20
	for _, e := range r.Evaluators {
		width = max(width, len(e.Name))
	}
	fmt.Fprintf(&b, "\n\n%-*s %9s  %-20s %-20s %s\n", width, "", "K", "MSE", "cross-entropy", "against the first")
	for _, e := range r.Evaluators {
		against := ""
		if e.Against != nil {
			against = fmt.Sprintf("%+.5f +- %.5f", e.Against.Mean, e.Against.SE)
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("%-*s %9.6f  %-20v %-20v %s",
			width, e.Name, e.KEntropy, e.MSE, e.CrossEntropy, against), " "))
	}
	fmt.Fprintf(&b, "%-*s %9s  %-20.5f %.5f\n", width, "the mean result", "", r.MeanMSE, r.MeanEntropy)
	if byPhase {
		writePhases(&b, r, width)
	}
	return b.String()
}

// writePhases shows the losses by phase of the game.
func writePhases(b *strings.Builder, r *heldout.Report, width int) {
	b.WriteString("\ncross-entropy by phase; 24 is the middlegame\n")
	line := func(name string, bands []heldout.BandLoss, cell func(p *heldout.BandLoss) string) {
		fmt.Fprintf(b, "%-*s", width, name)
		for i := range bands {
			fmt.Fprintf(b, " %9s", cell(&bands[i]))
		}
		b.WriteByte('\n')
	}
	bands := r.Evaluators[0].ByPhase
	line("", bands, func(p *heldout.BandLoss) string { return eval.Band{Lo: p.Lo, Hi: p.Hi}.String() })
	line("positions", bands, func(p *heldout.BandLoss) string { return fmt.Sprint(p.Rows) })
	for _, e := range r.Evaluators {
		line(e.Name, e.ByPhase, func(p *heldout.BandLoss) string { return fmt.Sprintf("%.5f", p.Loss) })
	}
}
