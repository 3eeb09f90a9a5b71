package app

import (
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
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
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
		Example: `  assay learn                                 # about three minutes on two cores
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
		switch {
		case o.Engine != "":
			return x.learnEngine(cmd)
		case x.Given(ownengine.Alone...):
			return ui.Usagef("--%s is for an engine of your own: give --engine too",
				strings.Join(ownengine.Alone, ", --"))
		}
		return x.learn()
	}
	return cmd
}

// learnOptions are the options of assay learn alone.
type learnOptions struct {
	ownengine.Options
	model, method, from, opponent, plan       string
	games, generations, gateGames, finalGames int
	scale                                     float64
}

// learning is a call of assay learn.
type learning struct {
	*session
	*learnOptions
}

func (o *learnOptions) add(play *opts.Play) {
	opts.Add(play.Flags, opts.OfRun, func(fs *pflag.FlagSet) {
		o.AddFlags(fs)
		fs.StringVar(&play.Out, "out", "", "folder of the run (default: in "+report.Dir+", named after the settings)")
		fs.IntVar(&o.games, "games", 1000, "games of the first generation; later: a fifth more")
		fs.Uint64Var(&play.Limits.Nodes, "nodes", 1000, "nodes per move, in every game")
		fs.IntVar(&o.generations, "generations", 2,
			"number of generations; of models with few terms, and with --engine, 1")
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
	with := slices.Concat([]string{"engine", "out", "games", "nodes", "generations", "seed", "final-games", "json"},
		forGames, ownengine.Alone)
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(with, f.Name) && err == nil {
			err = ui.Usagef("--%s: with --engine the settings are in %s", f.Name, opts.ProjectName)
		}
	})
	if err != nil {
		return err
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
	d.Note("report: %s", page)
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
	d.Note("report: %s", page)
	return ui.Show(s.cmd, r, d.Printer(s.All))
}
