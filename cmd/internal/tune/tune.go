// Package tune is the commands assay tune and assay features: a fit of weights to positions,
// or to features that an external engine printed. Start reading at New; a fit is a tuneTask
// (data.go); what it writes and prints is in out.go.
package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/rows"
)

const tuneFolds = 5

// tuneFlags are the flags of assay tune that need reading before use.
type tuneFlags struct {
	memory           string
	model, from, out string
	disk             string
	strict           bool
	weights          []float64 // of the rows of each data set; nil: 1
	test             []string
	resume           string // the command line that resumes the run
	loss             string
	prior            []string
	priorFactor      string
	all              bool
	c                tuner.Config
}

// New returns the command assay tune.
func New() *cobra.Command {
	f := tuneFlags{c: tuner.NewConfig()}
	f.c.Folds = tuneFolds
	c := &cobra.Command{
		Use:   "tune DATA...",
		Short: "Texel tuning: fit an evaluation to positions with results",
		Long: `Fit the coefficients of an evaluation to positions with results (Texel tuning), with a standard
error for each. DATA are data sets of positions (assay data positions makes them from games) or
of your engine's features (assay features).

Features contain the start values; --from replaces them. Weights, their errors and --k are in the
unit of the evaluation; widths of priors, --limit and tolerances are in centipawns. A prior holds
each coefficient near its start value. The validation loss is of held-out games.
The verdict is better, no difference shown or worse: the loss under the start weights minus that
under the tuned ones, with a 95 % interval, on the data of --test, or else by cross-validation. It
is not about Elo: a match decides, whose command stands below it. --ablate says what each group of
terms is worth. The same data and flags give the same weights for any --workers, in memory or not.`,
		Example: `  assay tune positions --out tuned.json
  assay tune positions --model shannon-1950 --freeze material --prior mobility=5
  assay tune gen1/positions gen2/positions --from gen1/weights.json --json
  assay tune my-engine-features --out runs/mine
  assay tune my-engine-features --ablate
  assay tune my-engine-features --test features-of-other-games --strict`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return err
			}
			f.resume = ui.CommandLine(cmd, args)
			return f.run(cmd, args)
		},
	}
	f.register(c)
	return c
}

func (f *tuneFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", `model: `+weights.ModelNames()+` (default: the model of --from, or "assay")`)
	fs.StringVar(&f.from, "from", "", "weight file, or the name of embedded weights, to start from (default: those "+
		"of the model or the features)")
	fs.StringVar(&f.out, "out", "weights.json", "weight file to write (.json), or a folder for the whole run")
	fs.StringVar(&f.c.Method, "method", tuner.DefaultMethod, "gauss-newton or adam")
	fs.StringVar(&f.loss, "loss", "cross-entropy", "cross-entropy or mse")
	fs.Float64Var(&f.c.Lambda, "lambda", f.c.Lambda,
		"share of the game's result in the target; the rest is the search score")
	fs.Float64Var(&f.c.Valid, "valid", f.c.Valid, "share of the games held out for the validation loss")
	fs.StringSliceVar(&f.c.Freeze, "freeze", nil, "term or group that keeps its weight (repeatable)")
	fs.StringSliceVar(&f.prior, "prior", nil, "NAME=WIDTH: width of the prior of a term, a group or all, in "+
		"centipawns of what its typical count is worth, or inf (repeatable)")
	fs.StringVar(&f.priorFactor, "prior-factor", "", "factor on the widths of all priors, or auto: chosen by "+
		"cross-validation (default auto for features of other evaluations, else 1)")
	fs.Float64Var(&f.c.K, "k", 0, "slope of the sigmoid (default: fitted under the start weights)")
	fs.Float64Var(&f.c.KScore, "k-score", 0, "slope for the search scores (default: fitted)")
	fs.BoolVar(&f.c.KeepScale, "keep-scale", false, "do not return to the start weights' root mean square evaluation")
	fs.BoolVar(&f.c.Rescale, "rescale", false, "always return to the start weights' root mean square evaluation "+
		"(default for features of other evaluations: only if K moved by more than 10 %)")
	fs.Float64Var(&f.c.Gap, "gap", 0, "mean loss from the optimum at which to stop (default 1e-10)")
	fs.IntVar(&f.c.Iterations, "iterations", 0, "maximum number of steps (default: the method's)")
	fs.Uint64Var(&f.c.Seed, "seed", 0, "seed of the split")
	fs.Float64Var(&f.c.Limit, "limit", tuner.DefaultLimit, "largest coefficient without prior, in centipawns, or inf")
	fs.Float64Var(&f.c.Trust, "trust", tuner.DefaultTrust, "of measured slopes: how far from where they were measured "+
		"a number may move, in centipawns of what its typical slope is worth, or inf")
	fs.StringVar(&f.memory, "memory", "", "memory for matrices, such as 800M or 4G; a fit that needs more has no "+
		"standard errors; one of assay-bent is refused (default: half of the machine's)")
	fs.StringVar(&f.disk, "disk", "", "folder to keep the features in while tuning, instead of memory")
	fs.IntVar(&f.c.Folds, "folds", f.c.Folds,
		"for the verdict: parts of the games, each predicted by a fit to the others; 0: no folds")
	fs.StringArrayVar(&f.test, "test", nil, "data to judge the fit by, which it does not see: positions, or features "+
		"of the same evaluation (repeatable)")
	fs.Float64SliceVar(&f.weights, "weight", nil, "W,W...: what multiplies the weights of the rows of each DATA, in order")
	ui.Choice(fs, &f.c.Ablate, "ablate", "", "what each group is worth, or with =terms each term: the loss on unseen "+
		"games without it, the rest fitted again", tuner.Groups, tuner.Terms)
	fs.Lookup("ablate").NoOptDefVal = tuner.Groups
	fs.BoolVar(&f.strict, "strict", false, "exit code 1 unless the verdict is better; the weights are written all "+
		"the same")
	fs.IntVar(&f.c.Workers, "workers", 0, "threads (default: one per core); does not change the result")
	ui.JSON(cmd)
	fs.BoolVar(&f.all, "all", false, "print every term and piece-square table")
	ui.Silent(fs, "workers", "json", "all")
	ui.ShortHelp(fs, "model", "from", "out", "method", "lambda", "freeze", "prior", "test", "strict")
}

// parse turns the flags into a configuration. Its errors are usage errors.
func (f *tuneFlags) parse() error {
	var err error
	if f.c.Loss, err = tuner.ParseLoss(f.loss); err != nil {
		return ui.Usage(err)
	}
	if err := tuner.CheckMethod(f.c.Method); err != nil {
		return ui.Usage(err)
	}
	if f.model != "" {
		if _, err := eval.Lookup(f.model); err != nil {
			return ui.Usage(err)
		}
	}
	if f.c.Ablate != "" && f.c.Folds < 2 {
		return ui.Usagef("--ablate compares by cross-validation: give --folds 2 or more")
	}
	if slices.ContainsFunc(f.weights, func(w float64) bool { return !(w >= 0 && w < 1e6) }) {
		return ui.Usagef("--weight: want numbers from 0")
	}
	if f.c.Limit == tuner.DefaultLimit {
		f.c.Limit = 0 // so that runs of earlier versions have the same configuration
	}
	if f.c.Trust == tuner.DefaultTrust {
		f.c.Trust = 0
	}
	if f.memory != "" {
		var ok bool
		if f.c.Memory, ok = parseMemory(f.memory); !ok {
			return ui.Usagef("--memory %s: want a size such as 800M or 4G", f.memory)
		}
	}
	f.c.Prior = make(map[string]float64)
	for _, p := range f.prior {
		name, value, ok := strings.Cut(p, "=")
		tau, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || math.IsNaN(tau) || tau <= 0 {
			return ui.Usagef("--prior %s: want NAME=WIDTH with WIDTH a number of centipawns above 0, or inf", p)
		}
		f.c.Prior[name] = tau
	}
	if err := f.parsePriorFactor(); err != nil {
		return err
	}
	if f.c.Rescale && f.c.KeepScale {
		return ui.Usagef("--rescale and --keep-scale: give one of them")
	}
	return nil
}

// parseMemory reads a size in bytes, such as 1e9, 800M or 4GiB. k, M and G are powers of 1,024.
func parseMemory(text string) (int64, bool) {
	number := strings.TrimRight(text, "kKMGiB")
	unit, ok := map[string]float64{"": 1, "k": 1 << 10, "K": 1 << 10, "M": 1 << 20,
		"G": 1 << 30}[strings.TrimSuffix(strings.TrimSuffix(text[len(number):], "B"), "i")]
	n, err := strconv.ParseFloat(number, 64)
	bytes := n * unit
	return int64(bytes), ok && err == nil && bytes >= 1 && bytes < 1<<50
}

// parsePriorFactor reads --prior-factor; empty is decided once the data are known.
func (f *tuneFlags) parsePriorFactor() error {
	switch f.priorFactor {
	case "":
	case "auto":
		if f.c.ChoosePrior = f.c.Folds > 1; !f.c.ChoosePrior {
			return ui.Usagef("--prior-factor auto chooses by cross-validation: give --folds 2 or more")
		}
	default:
		v, err := strconv.ParseFloat(f.priorFactor, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return ui.Usagef("--prior-factor %s: want auto or a number above 0", f.priorFactor)
		}
		f.c.PriorFactor = v
	}
	return nil
}

func (f *tuneFlags) run(cmd *cobra.Command, paths []string) (err error) {
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	task, err := newTuneTask(f, paths, stderr)
	if err != nil {
		return err
	}
	if task.ofFeatures && task.model == nil && f.priorFactor == "" {
		f.c.ChoosePrior = f.c.Folds > 1
	}
	if task.test, err = task.openTest(f, stderr); err != nil {
		return err
	}
	out, done, err := openTuneOut(f, task)
	if err != nil {
		return err
	}
	if done != nil {
		fmt.Fprintf(stderr, "tune: %s is complete already\n", f.out)
		return f.again(cmd, task, done)
	}
	defer func() { err = errors.Join(err, out.close(stderr)) }()
	f.c.Unit, f.c.AblateWeights = task.unit(), out.run != nil && f.c.Ablate == tuner.Groups
	return task.with(ctx, f, stderr, func(s *rows.Store) error { return f.fit(cmd, task, s, out) })
}

func (f *tuneFlags) again(cmd *cobra.Command, task *tuneTask, done json.RawMessage) error {
	var report tuner.Report
	if err := json.Unmarshal(done, &report); err != nil {
		return fmt.Errorf("%s: %w", f.out, err)
	}
	if err := ui.Show(cmd, done, describe(&report, task.name, 0).Printer(f.all)); err != nil {
		return err
	}
	return f.answer(&report.Result)
}

// answer is an error if --strict asks for another one.
func (f *tuneFlags) answer(r *tuner.Result) error {
	if f.strict && r.Answer != tuner.Better {
		return fmt.Errorf("--strict: %s", r.Headline())
	}
	return nil
}

// fit fits, and writes what was found, if only in part.
func (f *tuneFlags) fit(cmd *cobra.Command, task *tuneTask, s *rows.Store, out *tuneOut) error {
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	bar := ui.NewProgress(stderr, "tune")
	f.c.Progress, f.c.NoisyRows = bar.Update, task.warning != ""
	f.c.Trace = func(s tuner.Step) { out.event("step", s) }
	started := time.Now()
	out.event("begin", map[string]any{"rows": s.Rows(), "games": s.Games(), "nonzeros": s.Entries()})
	r, err := tuner.Fit(ctx, s, task.terms, f.c)
	if err != nil && (r == nil || !errors.Is(err, context.Canceled)) {
		out.event("failed", map[string]any{"error": err.Error()})
		return err
	}
	report := &tuner.Report{Out: out.shownPath(), Parent: task.parent, Build: durable.BuildTarget(),
		Match: task.match(f, out.shownPath())}
	if err == nil {
		err = task.test.with(ctx, f, stderr, func(s *rows.Store) error { return r.TestOn(ctx, s, task.test.terms) })
		if err != nil {
			err = fmt.Errorf("--test: %w", err)
		}
	}
	if err == nil {
		report.EGSigns, err = task.signChanges(ctx, s, r)
	}
	var failed error // after the fit, which is written all the same
	if err != nil && ctx.Err() == nil {
		failed = err
	}
	took := time.Since(started)
	out.event("fitted", map[string]any{"steps": r.Steps, "seconds": took.Seconds()})
	report.Result = *r
	report.Warnings = slices.Concat(task.warnings(), r.Warnings)
	if task.test != nil {
		for _, w := range task.test.warnings() {
			report.Warnings = append(report.Warnings, "--test: "+w)
		}
	}
	if w := r.Moves(); w != "" {
		report.Warnings = append(report.Warnings, w)
	}
	report.Partial = err != nil // something of what was asked for is missing
	bar.Finish(fmt.Sprintf("%d steps, training loss %s, validation loss %s",
		r.Steps, doc.Loss(r.Rounded.Train), doc.Loss(r.Rounded.Valid)))
	if err := f.write(cmd, task, r, report, out, took); err != nil {
		return err
	}
	switch {
	case failed != nil:
		return fmt.Errorf("%w; the weights are in %s", failed, report.Out)
	case report.Partial:
		return ui.Interrupted(fmt.Sprintf("the best weights so far, after %d steps, are in %s, for the rest: %s", r.Steps,
			report.Out, f.resume))
	}
	return f.answer(r)
}

func (f *tuneFlags) write(cmd *cobra.Command, task *tuneTask, r *tuner.Result, report *tuner.Report, out *tuneOut,
	took time.Duration) error {
	file, err := r.FileOf(task.name, task.model, tuner.Pedigree{Parent: task.parent, Program: ui.Version(),
		Time: time.Now()})
	if err != nil {
		return err
	}
	text, err := file.Encode()
	if err != nil {
		return err
	}
	report.ID = file.ID()
	if err := out.writeAblated(r, func(x *tuner.Result) (*models.File, error) {
		return x.FileOf(task.name, task.model, tuner.Pedigree{Parent: report.ID, Program: ui.Version(), Time: time.Now()})
	}); err != nil {
		return err
	}
	if err := out.write(text, report); err != nil {
		return err
	}
	return ui.Show(cmd, report, describe(report, file.Model, took).Printer(f.all))
}
