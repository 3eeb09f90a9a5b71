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

CONFIG is a TOML file (assay guide tune-my-search; or JSON with the same names): player, iterations,
pairs and ahead; limits and openings, named like flags of assay match; validation, games of the
answer against the start; and a table [[parameter]] with name, start, min, max, c_end, r_end and
type for each, or parameter_file with the lines of OpenBench or the config.json of weather-factory.
The answer averages the last third of the iterations. Beside it stands the optimum by a regression
of all results on the perturbations, with a 95 % interval. The same command resumes a run.`,
		Example: `  assay spsa ./engine                 # writes engine.toml
  assay spsa engine.toml --out runs/engine`,
		Args: cobra.ExactArgs(1),
	}
	var o spsaOptions
	play := opts.New(cmd.Flags())
	play.AddPlayers()
	play.AddTables()
	play.AddMachines()
	play.AddAffinity()
	play.AddOutput("print the regression of each parameter too")
	opts.Add(play.Flags, opts.OfRun, func(fs *pflag.FlagSet) {
		fs.StringVar(&play.Out, "out", "",
			"folder for the run (default: "+report.Dir+"/spsa-NAME, after CONFIG or the model)")
		fs.StringVar(&o.write, "write", "",
			"for an ENGINE: write its spin options to this new TOML file (default: its name with .toml)")
		ui.ShortHelp(fs, "out", "write")
		fs.Float64Var(&o.simElo, "sim-elo", 30,
			"for what the games can find: Elo of the optimum above the start values")
		fs.Float64Var(&o.simDraws, "sim-draws", 0.5,
			"for what the games can find: share of draws among equal players")
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		x := &tuning{session: newSession(cmd, play), spsaOptions: o}
		defer x.close()
		return x.start(args)
	}
	return cmd
}

// spsaOptions are the options of assay spsa alone.
type spsaOptions struct {
	write            string
	simElo, simDraws float64
}

// tuning is a call of assay spsa.
type tuning struct {
	*session
	spsaOptions
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
	if s.simElo <= 0 || !(s.simDraws >= 0 && s.simDraws <= 0.95) {
		return ui.Usagef("--sim-elo must be above zero, and --sim-draws from 0 to 0.95")
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
