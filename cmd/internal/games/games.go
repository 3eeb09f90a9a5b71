// Package games has assay learn and assay match with --game: games other than chess, which
// have no UCI, PGN, clocks or machines elsewhere.
//
// Start reading at Learn and Match.
package games

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/runs"
	"github.com/assay-chess/assay/engine/historic/draughts"
	"github.com/assay-chess/assay/engine/historic/losalamos"
	"github.com/assay-chess/assay/engine/historic/nim"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/gameloop"
	"github.com/assay-chess/assay/tuner/learn"
)

// known are the games, with the numbers of games of their runs.
var known = map[string]struct {
	open         func() *games.Game
	games, final int
}{
	"draughts":  {func() *games.Game { return games.New(draughts.Rules{}) }, 500, 400}, // five plies ahead take time
	"losalamos": {func() *games.Game { return games.New(losalamos.Rules{}) }, 3000, 2000},
	"nim":       {func() *games.Game { return games.New(nim.Learned{}) }, 4000, 400},
}

// Names lists the games.
func Names() string { return strings.Join(slices.Sorted(maps.Keys(known)), ", ") }

// open returns a game, and refuses flags that are for chess.
func open(cmd *cobra.Command, name string, allowed ...string) (*games.Game, gameloop.Plan, error) {
	k, ok := known[name]
	if !ok {
		return nil, gameloop.Plan{}, cli.Usagef("--game %s: there are %s; \"assay guide your-own-game\" adds one of "+
			"your own", name, Names())
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "game" && !slices.Contains(allowed, f.Name) && err == nil {
			err = cli.Usagef("--%s is for chess: other games have no UCI, PGN, clocks, books or workers; with --game "+
				"there are --%s", f.Name, strings.Join(allowed, ", --"))
		}
	})
	g := k.open()
	plan := gameloop.NewPlan(g)
	plan.Generations, plan.Games, plan.FinalGames = 1, k.games, k.final
	return g, plan, err
}

// given sets v to the flag's value if it is on the command line.
func given[T any](fs *pflag.FlagSet, name string, v *T, get func(string) (T, error)) {
	if fs.Changed(name) {
		*v, _ = get(name) // the flag is of this type
	}
}

// Learn carries out assay learn --game. folder says where a run of that name is, and how it is resumed; advice adds the
// cure to what can end it.
func Learn(cmd *cobra.Command, name string, folder func(name string) (dir, resume string, err error),
	advice func(err error, dir, resume string) error) error {
	g, plan, err := open(cmd, name, "run", "generations", "games", "gate-games", "final-games", "depth", "seed", "from",
		"concurrency", "json")
	if err != nil {
		return err
	}
	fs := cmd.Flags()
	for flag, v := range map[string]*int{"generations": &plan.Generations, "games": &plan.Games,
		"gate-games": &plan.GateGames, "final-games": &plan.FinalGames, "depth": &plan.Depth} {
		given(fs, flag, v, fs.GetInt)
	}
	given(fs, "seed", &plan.Seed, fs.GetUint64)
	c := gameloop.Config{Game: g, Plan: plan, Program: cli.Version()}
	given(fs, "concurrency", &c.Workers, fs.GetInt)
	if c.Dir, c.Resume, err = folder(fmt.Sprintf("%s-g%d-n%d-d%d-s%d", name, plan.Generations, plan.Games, plan.Depth,
		plan.Seed)); err != nil {
		return err
	}
	var from string
	if given(fs, "from", &from, fs.GetString); from != "" {
		if c.Start, err = models.OpenAny(from); err != nil {
			return err
		}
	}
	stderr := cmd.ErrOrStderr()
	c.Stage = func(stage string) learn.StageProgress { return cli.NewProgress(stderr, stage) }
	r, err := gameloop.Run(cmd.Context(), c)
	if err != nil {
		return advice(err, c.Dir, c.Resume)
	}
	if r.Already {
		fmt.Fprintf(stderr, "run %s is complete: this is its result\n", c.Dir)
	}
	page := runs.WriteReport(c.Dir, stderr)
	if asJSON, _ := fs.GetBool("json"); asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nweights  %s\nreport   %s\n",
		r, filepath.Join(c.Dir, filepath.FromSlash(r.File)), page)
	return err
}

// Match carries out assay match --game between two sets of weights. With status, the verdict of
// the test is an error with an exit code.
func Match(cmd *cobra.Command, name string, args []string, test *sprt.Test, status bool) error {
	g, plan, err := open(cmd, name, "games", "sprt", "exit-status", "elo-model", "alpha", "beta", "depth", "seed",
		"concurrency", "out", "json")
	if err != nil {
		return err
	}
	if len(args) != 2 {
		return cli.Usagef("with --game a match has two players, each a weight file or the word start; got %d",
			len(args))
	}
	fs := cmd.Flags()
	s := games.Series{Game: g, Games: defaultGames, Depth: plan.Depth, Seed: 1, Program: cli.Version()}
	number := uint64(defaultGames)
	if test != nil {
		number = mostGames
	}
	given(fs, "games", &number, fs.GetUint64)
	if number < 2 || number%2 != 0 || number > mostGames {
		return cli.Usagef("--games %d: want an even number up to %d", number, mostGames)
	}
	s.Games = int(number)
	given(fs, "depth", &s.Depth, fs.GetInt)
	given(fs, "seed", &s.Seed, fs.GetUint64)
	given(fs, "concurrency", &s.Workers, fs.GetInt)
	out, _ := fs.GetString("out")
	for i, p := range []*games.Player{&s.A, &s.B} {
		if *p, err = player(g, args[i]); err != nil {
			return err
		}
	}
	resume := cli.CommandLine(cmd, args)
	progress := cli.NewProgress(cmd.ErrOrStderr(), "match")
	progress.Waiting("games under way")
	s.Progress = progress.Update
	r, err := games.RunMatch(cmd.Context(), s, out, resume, test)
	if err != nil {
		return err
	}
	if r.Already {
		fmt.Fprintf(cmd.ErrOrStderr(), "match: %s is complete; nothing to do\n", out)
	} else {
		progress.Finish(fmt.Sprintf("%d games, %s", r.Games, r.Outcome()))
	}
	runs.LeaveReport(out, cmd.ErrOrStderr())
	if asJSON, _ := fs.GetBool("json"); asJSON {
		err = cli.PrintJSON(cmd.OutOrStdout(), r)
	} else {
		err = print(cmd, r)
	}
	if err == nil && status {
		err = cli.TestExit(r.Verdict)
	}
	return err
}

const (
	defaultGames = 400
	mostGames    = 1_000_000
)

func print(cmd *cobra.Command, r *match.Result) error {
	p := r.Pentanomial
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\ngames  %d: +%d =%d -%d for A, score %.2f %%\npairs  %d: LL %d, LD "+
		"%d, even %d, WD %d, WW %d\nElo    %s\n", r.Headline(),
		r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score, p.Samples(), p[0], p[1], p[2], p[3], p[4], r.Strength.Text(""))
	return err
}

// player opens weights.
func player(g *games.Game, name string) (games.Player, error) {
	f := g.StartFile()
	if name != "start" {
		var err error
		if f, err = models.OpenAny(name); err != nil {
			return games.Player{}, fmt.Errorf("%w; with --game a player is a weight file, or the word start", err)
		}
	}
	w, err := g.Weights(f)
	return games.Player{Name: name, ID: f.ID(), Weights: w}, err
}
