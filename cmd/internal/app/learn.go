package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/newengine"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ownengine"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner/learn"
)

func newLearnCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "learn",
		Short: "Tune by self-play: games, fit, SPRT, again; also your own engine",
		Long: `Learn the coefficients of an evaluation from games against itself, and measure the gain.

Each generation plays games with the champion's weights and fits new weights to their positions. An
SPRT match between the two, the gate, decides whether the new weights become champion. Matches of
fixed length measure the gain at the end: against --opponent, and against the weights of --from if
a generation was promoted. With --method spsa a generation fits nothing: its games are pairs
between perturbed weights, as assay spsa plays them. The same command resumes a run; a longer
plan adds generations. --plan FILE (the config.json of a run, or its object "plan")
replaces the other flags and sets each generation separately.

--engine DIR tunes your own engine instead (assay guide tune-my-engine); --check tries it first.`,
		Example: `  assay learn                                 # about four minutes on two cores
  assay learn --games 40 --nodes 300 --seed 3 # a whole small run in seconds
  assay learn --generations 4 --games 20000 --nodes 5000 --out runs/night
  assay learn --engine ../engine --check      # can assay tune my engine?
  assay learn --engine ../engine --hours 8    # a patch by tomorrow, if it gains`,
		Args: cobra.NoArgs,
	}
	var o learnOptions
	play := opts.New(cmd.Flags())
	o.add(play)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		x := &learning{session: newSession(cmd, play), learnOptions: &o}
		defer x.close()
		if err := play.CheckMachines(); err != nil {
			return err
		}
		switch {
		case o.Engine != "":
			return x.learnEngine(cmd)
		case x.Given(ownengine.Alone...):
			return ui.Usagef("--%s is for an engine of your own: give --engine too", strings.Join(ownengine.Alone, ", --"))
		}
		return x.learn()
	}
	return cmd
}

type learnOptions struct {
	ownengine.Options
	model, method, from, opponent, plan       string
	games, generations, gateGames, finalGames int
	scale                                     float64
}

type learning struct {
	*session
	*learnOptions
}

func (o *learnOptions) add(play *opts.Play) {
	opts.Add(play.Flags, opts.OfRun, func(fs *pflag.FlagSet) {
		o.AddFlags(fs)
		fs.StringVar(&play.Out, "out", "", "folder of the run (default: in "+report.Dir+", named after the settings)")
		fs.IntVar(&o.games, "games", 1000, "games of the first generation; later: a fifth more")
		fs.Uint64Var(&play.Limits.Nodes, "nodes", 1000, "nodes per move, in every game (with --engine: 5000)")
		fs.IntVar(&o.generations, "generations", 2, "number of generations; of models with few terms, and with --engine, 1")
		fs.Uint64Var(&play.Seed, "seed", 1, "random seed")
		fs.StringVar(&o.model, "model", "assay", "model: "+weights.ModelNames())
		ui.ShortHelp(fs, "out", "games", "nodes", "generations", "seed", "model")
		fs.BoolVar(&play.Limits.HardNodes, "hard-nodes", false,
			"stop at exactly --nodes; without it up to 8 times as many, to finish an iteration")
		fs.IntVar(&o.gateGames, "gate-games", 200, "maximum number of games of the SPRT after each generation")
		fs.IntVar(&o.finalGames, "final-games", 400, "games of the final match")
		fs.StringVar(&o.method, "method", learn.Methods()[0],
			"how each generation learns: "+strings.Join(learn.Methods(), ", "))
		fs.StringVar(&o.from, "from", "", "weights of the first champion: a file, or the name of embedded weights "+
			"(default: the model's; assay: assay-start)")
		fs.StringVar(&o.opponent, "opponent", "", "weights that the last champion plays against: a file, or the name of "+
			"embedded weights (default: the start weights of the model; assay: shannon-1950)")
		fs.StringVar(&o.plan, "plan", "", `file with the plan: the config.json of a run, or its object "plan"`)
		fs.Float64Var(&o.scale, "scale", 1, "with --plan: factor on its numbers of games, above 0 and up to 1")
	})
	play.AddTables()
	play.AddMachines()
	play.AddOutput("print every coefficient, generation and file too")
	play.Flags.Lookup("json").Usage += ": the run's result"
}

// learnEngine tunes the engine of a repository, or tries every stage of that.
func (s *learning) learnEngine(cmd *cobra.Command) error {
	forGames := []string{"concurrency", "serve", "nats", "lease", "replay-share", "reference-speed", "syzygy", "syzygy-50"}
	with := slices.Concat([]string{"engine", "out", "games", "nodes", "generations", "seed", "final-games", "json",
		"all"}, forGames, ownengine.Alone)
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(with, f.Name) && err == nil {
			err = ui.Usagef("--%s is for assay's own evaluation: leave it out with --engine", f.Name)
		}
	})
	if err != nil {
		return err
	}
	if s.CheckOnly && s.JSON {
		return ui.Usagef("--json is for the result of a run: leave it out with --check")
	}
	tables, err := s.tablebases()
	if err != nil {
		return err
	}
	c := s.engineConfig(s.Options, s.Flags, tables)
	if s.CheckOnly {
		return ownengine.Check(s.ctx, c)
	}
	place, _ := filepath.Abs(strings.TrimPrefix(s.Engine, "git:"))
	c.Written = func() { report.WriteOrWarn(s.Out, s.stderr) }
	dir, resume, err := s.folder(fmt.Sprintf("engine-%s-s%d", filepath.Base(place), s.Seed))
	if err != nil {
		return err
	}
	stop := report.Follow(dir)
	r, err := ownengine.Run(s.ctx, c, dir, resume)
	stop()
	if err != nil {
		return err
	}
	if r.Already {
		fmt.Fprintf(s.stderr, "run %s is complete: this is its result\n", dir)
	}
	page := report.WriteOrWarn(dir, s.stderr)
	d := doc.Engine(r, dir)
	if page != "" {
		d.Note("report: %s", page)
	}
	return ui.Show(cmd, r, d.Printer(s.All))
}

// engineConfig says which engine is tuned, and where its games are played.
func (s *session) engineConfig(o ownengine.Options, typed *pflag.FlagSet, tables *syzygy.Judge) ownengine.Config {
	runs, _ := filepath.Abs(report.Dir) // without a current folder nothing else works
	return ownengine.Config{Options: o, Typed: typed, Seed: s.Seed, Stdout: s.stdout, Stderr: s.stderr, Runs: runs,
		Concurrency: s.Concurrency, Remote: s.Remote(), Match: match.Run,
		Begin: func(label string, c *selfplay.Setup, players ...selfplay.Player) (*ui.Progress, func(), error) {
			c.Rule.Tables = tables
			return s.beginStage(label, c, players)
		}}
}

// newInitCommand returns the command that begins to tune an engine, and tries what it wrote.
func newInitCommand() *cobra.Command {
	play := opts.New(pflag.NewFlagSet("", pflag.ContinueOnError))
	play.AddMachines()
	return newengine.New(func(cmd *cobra.Command, top string) error {
		s := newSession(cmd, play)
		defer s.close()
		s.Seed = 1
		return ownengine.Check(s.ctx, s.engineConfig(ownengine.Options{Engine: top}, play.Flags, nil))
	})
}

// beginStage makes a stage of a run ready to play, and returns what ends it.
func (s *session) beginStage(label string, c *selfplay.Setup, players []selfplay.Player) (*ui.Progress, func(), error) {
	play := *s.Play
	play.Out, play.Open, play.Affinity = c.Out, c.Open, "auto"
	stage := &session{Play: &play, cmd: s.cmd, ctx: s.ctx, name: s.name, stdout: s.stdout, stderr: s.stderr}
	p, err := stage.begin(label, c, !c.Limits.Deterministic(), nil, players...)
	return p, stage.close, err
}

func (s *learning) learn() error {
	c, err := s.learnConfig()
	if err != nil {
		return err
	}
	if c.Tables, err = s.tablebases(); err != nil {
		return err
	}
	dir, plan := c.Out, &c.Plan
	// Said at the first stage, when learn.Run has accepted the plan and the weights.
	announce := sync.OnceFunc(func() {
		fmt.Fprintf(s.stderr, "run %s: %d generations, then %d games against %s\n",
			dir, len(plan.Generations), plan.Final.Games, plan.Opponent)
	})
	runner, done, err := s.remote(nil, func(text string) { fmt.Fprintf(s.stderr, "learn: %s\n", text) })
	if err != nil {
		return err
	}
	defer done()
	c.Runner = runner
	c.Stage = func(name string) learn.StageProgress {
		announce()
		return ui.NewProgress(s.stderr, name)
	}
	stop := report.Follow(dir)
	r, err := learn.Run(s.ctx, c)
	stop()
	if errors.Is(err, fs.ErrNotExist) && !report.Exists(dir) {
		err = fmt.Errorf("%w; --from and --opponent say which file holds weights that a plan names by their id", err)
	}
	if err != nil {
		return err
	}
	if r.Already {
		fmt.Fprintf(s.stderr, "run %s is complete: this is its result (%s has the speeds)\n",
			dir, filepath.Join(dir, durable.RunEventsName))
	}
	page := report.WriteOrWarn(dir, s.stderr)
	d := doc.Learn(r, dir)
	if r.Champion.Generation > 0 {
		d.Note("weights: %s", filepath.Join(dir, filepath.FromSlash(r.Champion.File)))
	}
	if page != "" {
		d.Note("report: %s", page)
	}
	return ui.Show(s.cmd, r, d.Printer(s.All))
}

func (s *learning) learnConfig() (learn.Config, error) {
	c := learn.Config{Program: ui.Version(), Place: selfplay.Place{Open: roster.Open, Concurrency: s.Concurrency}}
	var err error
	if s.plan != "" {
		err = s.readPlan(&c)
	} else {
		c.Plan, err = s.flagged()
	}
	if err != nil {
		return c, err
	}
	c.Out, c.Resume, err = s.folder(s.runName(&c.Plan))
	return c, err
}

// folder returns the run's folder, which has a name in runs unless --out is given, and the command line that resumes
// the run.
func (s *learning) folder(name string) (dir, resume string, err error) {
	err = s.Put("out", cmp.Or(s.Out, filepath.Join(report.Dir, name)))
	return s.Out, ui.CommandLine(s.cmd, nil), err
}

func (s *learning) flagged() (p learn.Plan, err error) {
	if s.model != "assay" && !s.Given("generations") {
		s.generations = 1
	}
	if s.generations < 1 || s.games < 2 || s.Limits.Nodes < 1 {
		return p, ui.Usagef("want at least 1 generation, 2 games and 1 node a move; got --generations %d --games %d "+
			"--nodes %d", s.generations, s.games, s.Limits.Nodes)
	}
	if s.Given("scale") {
		return p, ui.Usagef("--scale is a factor on the games of a --plan; say how many with --games")
	}
	if _, err := eval.Lookup(s.model); err != nil {
		return p, ui.Usage(fmt.Errorf("--model: %w", err))
	}
	if err := s.checkFrom(); err != nil {
		return p, err
	}
	p = learn.DefaultPlan(s.generations, s.games, s.Limits.Nodes, s.Seed)
	p.Model, p.From, p.Opponent, p.HardNodes = s.model, s.from, s.opponent, s.Limits.HardNodes
	p = p.WithDefaults()
	p.Final.Games = s.finalGames
	for i := range p.Generations {
		g := &p.Generations[i]
		g.Gate.Games = s.gateGames
		if s.method != learn.Methods()[0] {
			g.Method = s.method
		}
		if g.Method == learn.MethodSPSA && i > 0 {
			g.Games += g.Games % 2 // a fifth more than the first, in pairs
		}
	}
	return p, nil
}

// checkFrom refuses first weights of another model, unless the model was named too: who
// gives weights and no model expects that these are learned.
func (s *learning) checkFrom() error {
	if s.from == "" || s.Given("model") {
		return nil
	}
	w, err := models.Open(s.from)
	if err != nil {
		return fmt.Errorf("start weights: %w", err)
	}
	if w.Model != s.model {
		return ui.Usagef("--from %s: these weights are of model %s: --model %s learns it, --model %s learns that from "+
			"their games", s.from, w.Model, w.Model, s.model)
	}
	return nil
}

func (s *learning) readPlan(c *learn.Config) error {
	for _, flag := range []string{"games", "nodes", "hard-nodes", "generations", "seed", "gate-games", "final-games",
		"model", "method"} {
		if s.Given(flag) {
			return ui.Usagef("--%s: that is for the plan %s to say; leave one of them out", flag, s.plan)
		}
	}
	if !(s.scale > 0 && s.scale <= 1) {
		return ui.Usagef("--scale %v: want a factor above 0, up to 1", s.scale)
	}
	r, err := learn.ReadPlan(s.plan)
	if err != nil {
		return err
	}
	c.Plan, c.StartID, c.OpponentID = r.Plan, r.StartID, r.OpponentID
	if s.scale != 1 {
		c.Plan = c.Plan.Scaled(s.scale)
	}
	if err := s.locate("from", s.from, &c.Plan.From); err != nil {
		return err
	}
	return s.locate("opponent", s.opponent, &c.Plan.Opponent)
}

// locate lets a flag say where the weights are that the plan names, by their id or
// otherwise.
func (s *learning) locate(flag, file string, planned *string) error {
	if !s.Given(flag) {
		return nil
	}
	w, err := models.Open(file)
	if err != nil {
		return err
	}
	if name := learn.Written(file, w); name != *planned && file != *planned {
		return ui.Usagef("--%s %s: these are the weights %s, but the plan %s says %s", flag, file, name, s.plan, *planned)
	}
	*planned = file
	return nil
}

// runName returns a name, made from the settings, for a run without one.
func (s *learning) runName(p *learn.Plan) string {
	if s.plan == "" {
		kind := ui.If(s.model != "assay", "-%s", s.model) + ui.If(s.method != learn.Methods()[0], "-%s", s.method) +
			ui.If(s.Limits.HardNodes, "-exact")
		return fmt.Sprintf("learn%s-g%d-n%d-k%d-s%d", kind, s.games, s.Limits.Nodes, s.generations, s.Seed)
	}
	doc, _ := json.Marshal(p) // a plan that was read can be written
	return fmt.Sprintf("learn-k%d-s%d-%.8s", len(p.Generations), p.Seed, durable.SumBytes(doc))
}
