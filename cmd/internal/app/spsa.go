package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

func newSpsaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "spsa CONFIG|ENGINE",
		Short: "Tune a UCI engine's parameters by games",
		Long: `Tune parameters by games with SPSA: each iteration plays pairs of games between the player with all
parameters changed a little one way, and the same player with all of them changed the other way,
and moves them toward the side that scored better. With an ENGINE it only writes a CONFIG with the
engine's spin options, for you to edit.

CONFIG is a TOML file (assay guide tune-my-search): player, iterations,
pairs and ahead; limits and openings, named like flags of assay match; validation, games of the
answer against the start; and a table [[parameter]] with name, start, min, max, c_end, r_end and
type for each, or parameter_file with the lines of OpenBench or the config.json of weather-factory.
The answer averages the last third of the iterations. Beside it stands the optimum by a regression
of all results on the perturbations, with a 95 % interval. The same command resumes a run.`,
		Example: `  assay spsa ./engine                 # writes engine.toml
  assay spsa engine.toml --out runs/engine`,
		Args: cobra.ExactArgs(1),
	}
	var write string
	play := opts.New(cmd.Flags())
	play.AddPlayers()
	play.AddTables()
	play.AddMachines()
	play.AddAffinity()
	play.AddOutput("print the regression of each parameter too")
	opts.Add(play.Flags, opts.OfRun, func(fs *pflag.FlagSet) {
		fs.StringVar(&play.Out, "out", "",
			"folder for the run (default: "+report.Dir+"/spsa-NAME, after CONFIG or the model)")
		fs.StringVar(&write, "write", "",
			"for an ENGINE: write its spin options to this new TOML file (default: its name with .toml)")
		ui.ShortHelp(fs, "out", "write")
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		x := &tuning{session: newSession(cmd, play), write: write}
		defer x.close()
		return x.start(args)
	}
	return cmd
}

// tuning is a call of assay spsa.
type tuning struct {
	*session
	write  string // the file for the options of an ENGINE
	config *spsaConfig
}

// start checks a tuning, and plays or writes it.
func (s *tuning) start(args []string) error {
	if s.Concurrency < 0 {
		return ui.Usagef("--concurrency %d: want 0 or more", s.Concurrency)
	}
	if err := s.CheckTolerance(); err != nil {
		return err
	}
	spec, ok, err := engineToTune(args)
	if ok {
		err = s.git.prepare(s.session, spec)
	}
	switch {
	case err != nil:
		return err
	case ok:
		return s.writeSpins(spec)
	case s.write != "":
		return ui.Usagef("--write is for an ENGINE, and %s is none", quote.Text(args[0]))
	}
	if s.config, err = readSpsaConfig(args[0]); err != nil {
		if form, _, e := play.ReadList(args[0]); e == nil {
			return ui.Usagef("%s is a list of parameters for %s; make a CONFIG with assay spsa ./engine, and write "+
				"parameter_file = %[1]q there in place of its parameters", args[0], form)
		}
		return err
	}
	c, err := s.config.run()
	if err != nil {
		return fmt.Errorf("%s: %w", s.config.source, err)
	}
	if s.Rule.Tables, err = s.tablebases(); err != nil {
		return err
	}
	c.Rule.Tables = s.Rule.Tables
	spec, err = ui.Player(s.config.Player)
	if err != nil {
		return fmt.Errorf("%s: %w", s.config.source, err)
	}
	if s.Out == "" {
		s.Out = filepath.Join(report.Dir, "spsa-"+strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0])))
	}
	if err := s.git.prepare(s.session, spec); err != nil {
		return err
	}
	c.Out, c.Tolerance, c.Concurrency, c.Program = s.Out, s.Tolerance, s.Concurrency, ui.Version()
	if err := s.tuned(&c, spec); err != nil {
		return fmt.Errorf("%s: %w", s.config.source, err)
	}
	return s.play(c, args)
}

// tuned opens the player once and sets its values, so that errors appear before the run starts.
func (s *tuning) tuned(c *play.Config, spec engine.Spec) error {
	e, err := s.git.openPlayer(spec)
	if err != nil {
		return err
	}
	c.Player, c.Open = e, s.git.opener()
	s.Open = c.Open
	var values []engine.Option
	for i := range c.SPSA.Parameters {
		q := &c.SPSA.Parameters[i]
		for _, value := range []float64{q.Min, q.Max, q.Start} {
			values = append(values, engine.Option{Name: q.Name, Value: play.Text(q, value)})
		}
	}
	if err := s.try(e.Spec, "parameter", values); err != nil {
		return err
	}
	checker, err := openingChecker(c.Player)
	if checker.Spec.String() != e.Spec.String() { // otherwise it is the player with its start values
		c.Check.Player = checker
	}
	return err
}

func (s *tuning) play(c play.Config, args []string) error {
	c.ValidationProgress = ui.NewProgress(s.stderr, "spsa: validation").Update
	budget, err := s.afford(&c, func(text string) { fmt.Fprintf(s.stderr, "spsa: %s\n", text) })
	if err != nil {
		return err
	}
	p, err := s.begin("spsa", &c.Setup, !c.Limits.Deterministic(), args, c.Player)
	if err != nil {
		return err
	}
	s.limitMemory(c.Player)
	r, err := play.Run(s.ctx, c)
	if err != nil && r == nil {
		return err
	}
	if err != nil {
		return errors.Join(s.show(r, r.Process, doc.SPSA(r, c.SPSA.Parameters, c.Out), map[string]any{}), err)
	}
	s.end(p, r.Already, "%d iterations, %d games%s", r.Iterations, r.Games, ui.BusyText(r.Load))
	weights, err := writeSpsaWeights(&c, r)
	if err != nil {
		return err
	}
	s.leaveReport()
	d, more := doc.SPSA(r, c.SPSA.Parameters, c.Out), map[string]any{}
	if form := s.config.form; form != "" {
		values := make([]float64, len(r.Parameters))
		for i := range values {
			values[i] = r.Parameters[i].Value
		}
		d.Parts = append(d.Parts, doc.Part{Text: []string{fmt.Sprintf("the answer as %s reads it (%s):", form, r.Limits)},
			Code: form.Format(c.SPSA.Parameters, values)})
	}
	if weights != "" {
		more["weights"] = weights
		d.Note("written %s", weights)
	}
	if budget != nil {
		more["budget"] = budget
	}
	d.Note("written %s", filepath.Join(c.Out, play.LogName))
	return s.show(r, r.Process, d, more)
}

// spsaWeightsName is the weight file of an answer that consists of weights.
const spsaWeightsName = "weights.json"

// writeSpsaWeights writes the answer as a weight file into the run's folder, if the
// parameters are weights. It returns the file's path, or "".
func writeSpsaWeights(c *play.Config, r *play.Result) (string, error) {
	values := make([]float64, len(r.Parameters))
	for i, e := range r.Parameters {
		values[i] = e.Value
	}
	f, err := roster.WeightsWithOptions(c.Player.Spec, c.With(values).Options)
	if err != nil || f == nil {
		return "", err
	}
	f.Provenance = models.Provenance{Parent: f.Provenance.Parent, Games: r.Games, Method: "spsa", Seed: c.SPSA.Seed,
		Program: c.Program}
	text, err := f.Encode()
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.Out, spsaWeightsName)
	return path, durable.WriteFile(path, text)
}

// afford says what the budget of a run can find, unless the run is complete.
func (s *tuning) afford(c *play.Config, say func(string)) (*spsa.Budget, error) {
	if gamelog.Complete(c.Out) {
		return nil, nil
	}
	pairs := max(c.Pairs, 1)
	simulate := func(c spsa.Config) (spsa.Budget, error) { return spsa.Afford(s.ctx, c, pairs, 30, 0.5) }
	b, err := simulate(c.SPSA)
	if err != nil {
		return nil, err
	}
	say(fmt.Sprintf("%d pairs for %d parameters: of %g Elo to be gained, simulated runs find %.1f ± %.1f",
		c.SPSA.Iterations*pairs, len(c.SPSA.Parameters), b.Elo, b.Found, 1.96*b.FoundSE))
	say(fmt.Sprintf("assumed: Elo falls as a parabola in each parameter from an optimum anywhere between min and max; "+
		"all starts together are %g Elo below; %.0f %% draws", b.Elo, 100*b.Draws))
	if !b.Hopeless {
		return &b, nil
	}
	advice := ""
	for times := 1; times <= 64 && c.SPSA.Iterations*times <= spsa.MaxIterations; times *= 2 {
		with := c.SPSA.WithDefaultREnd(pairs, times)
		more, err := simulate(with)
		if err != nil {
			return nil, err
		}
		half, rate := more.Found >= b.Elo/2, with.Parameters[0].REnd
		if times == 1 && (half || more.Found > b.Found+2*(b.FoundSE+more.FoundSE)) {
			advice = fmt.Sprintf("; the default r_end, %v, finds %.1f ± %.1f", rate, more.Found, 1.96*more.FoundSE)
		} else if half {
			advice += fmt.Sprintf("; %d iterations with the default r_end, %v, find half", with.Iterations, rate)
		}
		if half {
			break
		}
	}
	say("hopeless: expect an answer no better than the start" + advice +
		"; fewer parameters, smaller ranges or a larger c_end need fewer games")
	return &b, nil
}
