package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/runs"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/selfplay/ladder"
)

// ladderFlags are the flags of assay ladder.
type ladderFlags struct {
	playFlags
	times     timeFlags
	tolerance toleranceFlags
	affinity  affinity
	games     uint64
	schedule  string
	within    float64
	anchor    string
}

// defaultLadderGames is the default number of games for each player.
const defaultLadderGames = 100

func newLadderCommand() *cobra.Command {
	var f ladderFlags
	cmd := &cobra.Command{
		Use:   "ladder A B [C]...",
		Short: "Rate many players on one scale, with error bars",
		Long: `Play pairs of games between many players and rate all of them on one scale, with
95 % intervals and the likelihood that each is stronger than the next.

With --schedule widest the player with the widest interval plays the opponent that narrows
it most. With round-robin every player plays every other, with gauntlet the first plays
all others, each round from one opening. The ladder ends after --games, or when every
interval is within --within Elo.

Ratings maximize the likelihood of the Bradley-Terry model with draws and White's advantage
(Davidson 1970), with one virtual draw for each pairing. Intervals count pairs of games, not
single games. Elo is relative to the mean of all players, or to --anchor.

Players are named as for assay match; as there, historic programs search to their own depth
if you give no limit, and each player must play a move before the first game. If a player forfeits more than --max-forfeits of its games, or too many pairs are void,
no player is rated: the ladder ends with exit code 1 and keeps its games. With --out the ladder is kept in a folder (journal,
PGN, data set of games, result, ladder.svg). After an interruption the same command resumes
it: no game is lost or played twice.`,
		Example: `  assay ladder assay assay:weights=shannon-1950 assay:depth=1 --nodes 1000
  assay ladder assay uci:/usr/games/stockfish 'uci:/usr/games/gnuchess --uci' --tc 5+0.05 --schedule round-robin
  assay ladder new old older --anchor old=2800 --within 15 --games 20000 --out runs/ladder`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			defer f.git.close()
			c, err := f.config(cmd, args, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), c, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Out, "out", "", "folder of the ladder (default: nothing is kept)")
	fs.Uint64Var(&f.games, "games", 0, fmt.Sprintf("games to play, an even number; with --within the maximum (default %d for each player)", defaultLadderGames))
	fs.StringVar(&f.schedule, "schedule", string(ladder.Widest), "who plays whom: widest, round-robin or gauntlet")
	fs.Float64Var(&f.within, "within", 0, "end when every 95 % interval is within ± this many Elo")
	fs.StringVar(&f.anchor, "anchor", "", "PLAYER=ELO fixes the rating of a player, named as on the command line or by its number from 1 (default: the mean of all is 0)")
	f.times.register(fs, false)
	f.tolerance.register(fs)
	f.affinity.register(fs)
	f.register(cmd, 0, false)
	return cmd
}

func (f *ladderFlags) config(cmd *cobra.Command, args []string, stderr io.Writer) (ladder.Config, error) {
	var c ladder.Config
	players, err := namePlayers(args)
	if err != nil {
		return c, err
	}
	if err := f.git.prepare(cmd, f.Out, players.specs...); err != nil {
		return c, err
	}
	times, err := f.times.limits()
	if err != nil {
		return c, err
	}
	if times[0] != times[1] {
		return c, cli.Usagef("--tc and --movetime are the same for all players of a ladder")
	}
	f.Limits.MoveTime, f.Limits.Clock = times[0].MoveTime, times[0].Clock
	players.specs = f.leaveOwnDepth(cmd, players.specs)
	if err := f.parse(cmd); err != nil {
		return c, err
	}
	if f.Tolerance, err = f.tolerance.parse(); err != nil {
		return c, err
	}
	if c.Schedule, err = ladder.ParseSchedule(f.schedule); err != nil {
		return c, cli.Usage(err)
	}
	round := c.Schedule.RoundGames(len(args))
	switch {
	case f.games == 0: // whole rounds
		f.games = (defaultLadderGames*uint64(len(args))/2 + round - 1) / round * round
	case f.games%round != 0 && c.Schedule != ladder.Widest:
		fmt.Fprintf(stderr, "ladder: warning: %d games are not a multiple of a round (%d): some pairs of players play more games than others\n", f.games, round)
	}
	if c.Anchor, c.AnchorElo, err = parseAnchor(f.anchor, players.shown); err != nil {
		return c, err
	}
	if err := f.entrants(&c, players); err != nil {
		return c, err
	}
	checker := c.Check.Player
	c.Setup, c.Games, c.Within = f.Setup, f.games, f.within
	c.Check.Player, c.Resume, c.Pinned = checker, cli.CommandLine(cmd, args), f.git.pinned()
	return c, nil
}

// parseAnchor reads PLAYER=ELO. A player's name may contain = too.
func parseAnchor(text string, players []string) (player int, elo float64, err error) {
	if text == "" {
		return -1, 0, nil
	}
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return 0, 0, cli.Usagef("--anchor %s: want PLAYER=ELO, such as 1=2800", text)
	}
	if elo, err = strconv.ParseFloat(text[at+1:], 64); err != nil {
		return 0, 0, cli.Usagef("--anchor %s: %q is not a number", text, text[at+1:])
	}
	for i, p := range players {
		if p == text[:at] {
			return i, elo, nil
		}
	}
	if n, err := strconv.Atoi(text[:at]); err == nil && n >= 1 && n <= len(players) {
		return n - 1, elo, nil
	}
	return 0, 0, cli.Usagef("--anchor %s: %q is not one of the players: name one as on the command line, or by its number from 1 to %d", text, text[:at], len(players))
}

// entrants names the players, and chooses who checks openings.
func (f *ladderFlags) entrants(c *ladder.Config, players players) (err error) {
	if c.Players, err = players.entrants(&f.times, &f.git, numbered("ladder")); err != nil {
		return err
	}
	c.Check.Player, err = openingChecker(c.Players...)
	return err
}

func (f *ladderFlags) run(ctx context.Context, c ladder.Config, stdout, stderr io.Writer) error {
	if warning := sharedOpenings("ladder", c.Setup); warning != "" {
		fmt.Fprintf(stderr, "ladder: warning: %s\n", warning)
	}
	p := cli.NewProgress(stderr, "ladder")
	c.Progress = p.Update
	local, unpin, err := f.affinity.localRunner(&f.cluster, &c.Setup, !c.Limits.Deterministic(), c.Players...)
	if err != nil {
		return err
	}
	defer unpin()
	var done func()
	c.Runner, done, err = f.cluster.runner(ctx, local, f.Out, p.Say, c.Players...)
	if err != nil {
		return err
	}
	defer done()
	f.git.keepFor(c.Runner, local)
	c.Failed = cli.ReportFaults(p.Say, c.Players...)
	specs := make([]string, len(c.Players))
	for i, e := range c.Players {
		specs[i] = e.Spec
	}
	foreign := cli.LimitMemory(ctx, specs...)
	r, err := ladder.Run(ctx, c)
	f.git.release() // so that the cost of the games has the engines' time in it
	if err != nil && r == nil {
		return playAdvice(err, f.Out)
	}
	if r.Already {
		fmt.Fprintf(stderr, "ladder: %s is complete; nothing to do\n", f.Out)
	} else {
		p.Finish(fmt.Sprintf("%d games between %d players%s", r.Games, len(c.Players), cli.BusyText(r.Load)))
		if cost := cli.RunnerCost(r.Games, r.Plies, r.Took); foreign && r.Played == r.Games && cost != "" {
			fmt.Fprintf(stderr, "ladder: %s\n", cost)
		}
	}
	var plot string
	if f.Out != "" && err == nil {
		plot = filepath.Join(f.Out, ladder.PlotName)
		if err := durable.WriteFile(plot, r.SVG()); err != nil {
			return err
		}
	}
	runs.LeaveReport(f.Out, stderr)
	if f.asJSON {
		if e := cli.PrintJSON(stdout, ladderJSON{Out: f.Out, Result: r, Plot: plot, Load: r.Load, Already: r.Already, Seconds: r.Took.Seconds()}); e != nil {
			return e
		}
	} else if e := printLadder(cli.Folded(stdout), f.Out, plot, r); e != nil {
		return e
	}
	return playAdvice(err, f.Out)
}

// ladderJSON is what ladder --json prints.
type ladderJSON struct {
	Out string `json:"out,omitempty"`
	*ladder.Result
	Plot    string     `json:"plot,omitempty"`
	Load    cores.Load `json:"load,omitzero"` // of the machine
	Already bool       `json:"already"`
	Seconds float64    `json:"seconds"`
}
