package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
pairs and ahead; limits, openings, adjudication: flags of assay match with _ for -; validation,
games of the answer against the start; and for each parameter a table [[parameter]] with name,
start, min, max, c_end, r_end, type, or parameter_file: OpenBench's lines or weather-factory's JSON.
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

type tuning struct {
	*session
	write  string // the file for the options of an ENGINE
	config *spsaConfig
}

func (s *tuning) start(args []string) error {
	if err := cmp.Or(s.CheckTolerance(), s.CheckMachines()); err != nil {
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
	c.Player, c.Open = e, s.git.started.Open
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
	if !gamelog.Complete(c.Out) {
		if source, err := c.Setup.Openings(s.ctx, 0); err == nil { // else the run itself says so
			s.warn(c.Warning(source.Len()))
		}
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
	d, more := doc.SPSA(r, c.SPSA.Parameters, c.Out), map[string]any{}
	if err != nil {
		return errors.Join(s.show(r, r.Process, d, more), err)
	}
	s.end(p, r.Already, "%d iterations, %d games%s", r.Iterations, r.Games, ui.BusyText(r.Load))
	values := make([]float64, len(r.Parameters))
	for i, e := range r.Parameters {
		values[i] = e.Value
	}
	weights, err := writeSpsaWeights(&c, values, r.Games)
	if err != nil {
		return err
	}
	s.leaveReport()
	if form := s.config.form; form != "" {
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

// writeSpsaWeights writes the answer as a weight file into the run's folder, if the
// parameters are weights. It returns the file's path, or "".
func writeSpsaWeights(c *play.Config, values []float64, games int64) (string, error) {
	f, err := roster.WeightsWithOptions(c.Player.Spec, c.With(values).Options)
	if err != nil || f == nil {
		return "", err
	}
	f.Provenance = models.Provenance{Parent: f.Provenance.Parent, Games: games, Method: "spsa", Seed: c.SPSA.Seed,
		Program: c.Program}
	text, err := f.Encode()
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.Out, "weights.json")
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

// spsaConfig says what assay spsa tunes.
type spsaConfig struct {
	*opts.Play `json:"-"` // the limits, openings and adjudication of CONFIG

	iterations, pairs, ahead int
	validation               uint64

	Player     string               `json:"player"`
	Parameters []play.FileParameter `json:"parameter"`
	File       string               `json:"parameter_file"` // with the list of another program, in place of parameters

	form   play.ListForm // of the file
	source string        // for errors
}

// readSpsaConfig reads a CONFIG. Errors name the file, and the line or the setting.
func readSpsaConfig(path string) (c *spsaConfig, err error) {
	c = &spsaConfig{Play: opts.NewConfig(), source: path}
	c.Flags.IntVar(&c.iterations, "iterations", 0, "")
	c.Flags.IntVar(&c.pairs, "pairs", 0, "")
	c.Flags.IntVar(&c.ahead, "ahead", 0, "")
	c.Flags.Uint64Var(&c.validation, "validation", 0, "")
	err = opts.ReadConfig(path, c.Flags, c, "player", "parameter", "parameter_file")
	if err != nil || c.File == "" {
		return c, err
	}
	if len(c.Parameters) > 0 {
		return nil, fmt.Errorf("%s has both parameter_file and parameters: move the list of %s into one of them", path,
			c.File)
	}
	if !filepath.IsAbs(c.File) {
		c.File = filepath.Join(filepath.Dir(path), c.File)
	}
	c.form, c.Parameters, err = play.ReadList(c.File)
	return c, err
}

// run returns the configuration of the run, without the player. Errors name the setting or the parameter.
func (c *spsaConfig) run() (p play.Config, err error) {
	if c.Player == "" {
		return p, errors.New(`no player: write player = "assay" or "uci:COMMAND"`)
	}
	times, err := c.Times("")
	if err == nil {
		err = c.OneClock()
	}
	if err != nil {
		return p, err
	}
	c.Opening.Random = c.BookOrder == "random"
	for name, to := range map[string]*int{"draw-score": &c.Rule.DrawScore, "draw-from": &c.Rule.DrawFrom} {
		if c.Rule.DrawPlies > 0 && !c.Given(name) {
			*to, _ = strconv.Atoi(c.Flags.Lookup(name).DefValue) // as in assay match
		}
	}
	c.Limits.MoveTime, c.Limits.Clock = times[0].MoveTime, times[0].Clock
	if err := c.Limits.Validate(); err != nil {
		return p, errors.New("no limit of a search: give nodes, depth, movetime or tc")
	}
	p = play.Config{Setup: c.Setup, Pairs: c.pairs, Validation: c.validation}
	p.SPSA = spsa.Config{Iterations: c.iterations, Seed: c.Seed, Ahead: cmp.Or(c.ahead, play.DefaultAhead)}
	if p.SPSA.Parameters, err = play.Parameters(c.Parameters, c.iterations*max(c.pairs, 1)); err != nil {
		return p, err
	}
	return p, p.SPSA.Validate()
}

// spinsConfig is a CONFIG to edit. Not every engine knows another limit than a clock.
func spinsConfig(player string, list []play.FileParameter) []byte {
	b := fmt.Appendf(nil, "player     = %q\n"+
		"iterations = 500\npairs      = 1\ntc         = \"8+0.08\"\nseed       = 1\n", player)
	for _, p := range list {
		b = fmt.Appendf(b, "\n[[parameter]]\nname  = %q\nstart = %.0f\nmin   = %.0f\nmax   = %.0f\nc_end = %v\n",
			p.Name, *p.Start, *p.Min, *p.Max, p.CEnd)
	}
	return b
}

// engineToTune returns the engine that stands in place of CONFIG, if it is none. The error says where one is that
// PATH does not have.
func engineToTune(args []string) (spec engine.Spec, ok bool, err error) {
	if len(args) != 1 || slices.Contains([]string{".toml", ".json"}, strings.ToLower(filepath.Ext(args[0]))) {
		return spec, false, nil
	}
	text := args[0]
	if _, err := roster.Parse(text); err != nil {
		text = "uci:" + text
	}
	spec, err = ui.Player(text)
	if errors.Is(err, roster.ErrUnknownPlayer) {
		return spec, false, err
	}
	if err != nil || !spec.External() {
		return spec, err == nil && spec.FromGit(), nil
	}
	_, missing := exec.LookPath(spec.Command[0])
	return spec, missing == nil, nil
}

// writeSpins writes a CONFIG with the spin options of an engine, for the user to edit.
func (s *tuning) writeSpins(spec engine.Spec) error {
	e, err := s.git.openPlayer(spec)
	if err != nil {
		return err
	}
	p, err := s.git.started.Open(e.Spec)
	if err != nil {
		return err
	}
	defer p.Close()
	var lines []string
	if lister, ok := engine.As[engine.OptionLister](p); ok {
		lines = lister.Options()
	}
	parameters := spinParameters(lines)
	if len(parameters) == 0 {
		return fmt.Errorf("%s announces no spin options to tune, only %d others; make each parameter an option of type spin",
			spec.Shown(), len(lines))
	}
	name := filepath.Base(strings.TrimPrefix(spec.Command[0], "git:"))
	path := cmp.Or(s.write, cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), "engine")+".toml") // git:. has no name
	if _, err := os.Lstat(path); err == nil {
		return ui.Usagef("%s: there is such a file already; give another one with --write FILE", path)
	}
	if err := durable.WriteFile(path, spinsConfig(spec.String(), parameters)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "written %s with the spin options of %s (%d)\n"+
		"Keep those to tune, narrow their min and max, and type: assay spsa %s\n", path, spec.Shown(), len(parameters),
		quote.Word(path))
	return err
}

var spinOption = regexp.MustCompile(`^option name (.+?) type spin (.+)`)

// spin returns the name of a spin option and its default, min and max, which UCI allows in any order.
func spin(line string) (name string, v map[string]float64) {
	m := spinOption.FindStringSubmatch(line)
	if m == nil {
		return "", nil
	}
	v = map[string]float64{}
	for words := strings.Fields(m[2]); len(words) > 1; words = words[2:] {
		if n, err := strconv.Atoi(words[1]); err == nil {
			v[words[0]] = float64(n)
		}
	}
	return m[1], v
}

// notTuned are spin options of the protocol, of machines and of strength.
var notTuned = regexp.MustCompile(`(?i)^(hash|threads|multipv|uci_elo|skill level|move ?overhead|contempt|` +
	`syzygy.*|slow mover|nodestime|minimum thinking time)$`)

// spinParameters returns the spin options that an engine announces with default, minimum and maximum, as parameters.
func spinParameters(lines []string) (list []play.FileParameter) {
	for _, line := range lines {
		name, v := spin(line)
		start, low, high := v["default"], v["min"], v["max"]
		if len(v) > 2 && !notTuned.MatchString(name) && low <= start && start <= high && low < high {
			list = append(list, play.FileParameter{Name: name, Start: &start, Min: &low, Max: &high,
				CEnd: max(0.5, (high-low)/10)}) // an integer needs at least a half
		}
	}
	return list
}
