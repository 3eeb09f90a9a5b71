package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner"
)

// tuneFlags are the flags of assay tune that need reading before use.
type tuneFlags struct {
	model, from, out string
	loss, tie        string
	prior            []string
	asJSON           bool
	c                tuner.Config
}

func newTuneCommand() *cobra.Command {
	f := tuneFlags{c: tuner.NewConfig()}
	c := &cobra.Command{
		Use:   "tune DATA...",
		Short: "Fit the coefficients of an evaluation to positions with results",
		Long: `Fit the coefficients of an evaluation to positions with results, and say how sure
each of them is.

DATA are data sets of positions (assay data positions makes them from games). The fit
minimises the loss of 1/(1+e^(-K x)) against the results, x the evaluation in
centipawns, held by a prior around the weights it starts from: a thousand games
cannot carry hundreds of free coefficients. Games, or openings that several games
share, are held out whole for the validation loss. Standard errors are clustered the
same way, and are of the weights as written.

The same data, start weights and flags give the same weights for any --workers.`,
		Example: `  assay tune positions --out tuned.json
  assay tune positions --model shannon-1950 --freeze material --prior mobility=5
  assay tune gen1/positions gen2/positions --from gen1/weights.json --lambda 0.7 --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return err
			}
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.register(c)
	return c
}

func (f *tuneFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", `model: `+modelNames()+` (default: the model of --from, or "assay")`)
	fs.StringVar(&f.from, "from", "", "weight file, or the name of embedded weights, to start from (default: the model's start weights)")
	fs.StringVar(&f.out, "out", "weights.json", "weight file to write")
	fs.StringVar(&f.c.Method, "method", tuner.DefaultMethod, "gauss-newton, lbfgs or adam")
	fs.StringVar(&f.loss, "loss", "cross-entropy", "cross-entropy or mse")
	fs.Float64Var(&f.c.Lambda, "lambda", f.c.Lambda, "share of the game's result in the target; the rest is the search score")
	fs.Float64Var(&f.c.Valid, "valid", f.c.Valid, "share of the games held out for the validation loss")
	fs.StringSliceVar(&f.c.Freeze, "freeze", nil, "term or group that keeps its weight (repeatable)")
	fs.StringSliceVar(&f.prior, "prior", nil, "group=TAU or term=TAU: standard deviation of the prior in centipawns, or inf (repeatable)")
	fs.StringVar(&f.tie, "tie", "auto", fmt.Sprintf("tie the two wings of tables: on, off, or auto (below %d games)", tuner.TieGames))
	fs.Float64Var(&f.c.K, "k", 0, "slope of the sigmoid per centipawn (default: fitted under the start weights)")
	fs.Float64Var(&f.c.KScore, "k-score", 0, "slope for the search scores (default: fitted)")
	fs.Float64Var(&f.c.Design, "design", 0, "design effect: how many positions say as much as one independent one (default: estimated)")
	fs.BoolVar(&f.c.KeepScale, "keep-scale", false, "do not rescale to the start weights' root mean square evaluation")
	fs.Float64Var(&f.c.Gap, "gap", 0, "mean loss from the optimum at which to stop (default 1e-10)")
	fs.IntVar(&f.c.Iterations, "iterations", 0, "most steps to take (default: the method's)")
	fs.Uint64Var(&f.c.Seed, "seed", 0, "seed of the split")
	fs.IntVar(&f.c.Workers, "workers", 0, "goroutines (default: one a core); changes no result")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
}

// parse turns the flags into a configuration. Its errors are usage errors.
func (f *tuneFlags) parse() error {
	var err error
	if f.c.Loss, err = tuner.ParseLoss(f.loss); err != nil {
		return usageError{err}
	}
	if _, err := tuner.NewMethod(f.c.Method); err != nil {
		return usageError{err}
	}
	switch f.tie {
	case "auto":
		f.c.Tie = tuner.TieAuto
	case "on":
		f.c.Tie = tuner.TieOn
	case "off":
		f.c.Tie = tuner.TieOff
	default:
		return usagef("--tie %s: want on, off or auto", f.tie)
	}
	f.c.Prior = make(map[string]float64)
	for _, p := range f.prior {
		name, value, ok := strings.Cut(p, "=")
		tau, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || math.IsNaN(tau) || tau <= 0 {
			return usagef("--prior %s: want NAME=TAU with TAU a number of centipawns above 0, or inf", p)
		}
		f.c.Prior[name] = tau
	}
	return nil
}

func (f *tuneFlags) run(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
	x, err := openWeights(f.model, f.from)
	if err != nil {
		return err
	}
	terms, err := tuner.TermsOf(x.model, x.coefs)
	if err != nil {
		return err
	}
	s, err := f.load(ctx, x.model, paths, stderr)
	if err != nil {
		return err
	}
	bar := newProgress(stderr, "tune")
	f.c.Progress = bar.update
	begun := time.Now()
	r, err := tuner.Fit(ctx, s, terms, f.c)
	if err != nil && (r == nil || !errors.Is(err, context.Canceled)) {
		return tuneAdvice(err)
	}
	bar.finish(fmt.Sprintf("%d steps, training loss %s, validation loss %s", r.Outcome.Iterations, lossText(r.Rounded.Train), lossText(r.Rounded.Valid)))
	file, ferr := r.File(x.model, tuner.Pedigree{Parent: x.file.ID(), Program: programVersion(), Time: time.Now()})
	if ferr != nil {
		return ferr
	}
	text, ferr := file.Encode()
	if ferr != nil {
		return ferr
	}
	if ferr := store.WriteFile(f.out, text); ferr != nil {
		return ferr
	}
	report := tuneReport{r: r, out: f.out, id: file.ID(), parent: x.file.ID(), seconds: time.Since(begun).Seconds()}
	if f.asJSON {
		ferr = printJSON(stdout, report.json())
	} else {
		_, ferr = io.WriteString(stdout, report.text(file))
	}
	if err != nil { // interrupted, with a result
		return fmt.Errorf("interrupted after %d steps: the best weights so far are in %s; run the same command again for the optimum", r.Outcome.Iterations, f.out)
	}
	return ferr
}

// load extracts the features of all data sets.
func (f *tuneFlags) load(ctx context.Context, m *eval.Model, paths []string, stderr io.Writer) (*tuner.Store, error) {
	var sources []tuner.Source
	for _, path := range paths {
		d, err := dataset.OpenPositions(path)
		if err != nil {
			return nil, err
		}
		if !d.Verified() {
			fmt.Fprintf(stderr, "tune: %s has no manifest: its contents are unverified\n", path)
		}
		s, err := tuner.SourceOf(d)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	bar := newProgress(stderr, "features")
	s, err := tuner.BuildStore(ctx, m, sources, f.c.Workers, bar.update)
	if err != nil {
		return nil, err
	}
	perRow := float64(s.Bytes()) / float64(max(1, s.Rows()))
	bar.finish(fmt.Sprintf("%d positions of %d games, %d nonzeros, %.0f bytes a position", s.Rows(), s.Games(), s.Entries(), perRow))
	return s, nil
}

// tuneAdvice adds the cure to what can be wrong with data or flags.
func tuneAdvice(err error) error {
	for _, a := range []struct {
		is   error
		cure string
	}{
		{tuner.ErrEmpty, "give a data set with positions"},
		{tuner.ErrOneClass, "play more games, or games of more equal players"},
		{tuner.ErrNoFeatures, "is this the right --model for these positions?"},
		{tuner.ErrScale, "give --k (0.0058 is Elo's scale) or start --from weights that know the value of the pieces"},
		{tuner.ErrAllFrozen, "freeze less"},
	} {
		if errors.Is(err, a.is) {
			return fmt.Errorf("%w; %s", err, a.cure)
		}
	}
	for _, usage := range []error{tuner.ErrConfig, tuner.ErrName, tuner.ErrMethod} {
		if errors.Is(err, usage) {
			return usageError{err}
		}
	}
	return err
}
