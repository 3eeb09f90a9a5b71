package app

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
)

const matchHelp = `Play pairs of games between A and B, each pair from one opening with colors reversed, and report
how much stronger A is. A player is a UCI engine (./engine?Hash=16), a commit of yours (git:main),
assay, or a historic program (turing-1951). name=new:./engine gives it a name.

With --games the match has a fixed length, and its Elo and interval are unbiased. With --sprt
elo0,elo1 it ends as soon as the sequential test has decided, and the Elo is the median-unbiased
estimate. More than two players make a tournament. With node or depth limits, the same flags and
seed give the same games for any --concurrency. With --out the match is kept in a folder, and the
same command resumes it. A crash, an illegal move or a lost clock loses a game; too many of them,
and there is no verdict. Engines run with your rights.
See assay guide test-my-patch; engine/README.md has the texts of players.`

// defaultMatchGames is the length without --games and --sprt.
const defaultMatchGames = 400

type matchOptions struct {
	opts.Test
	gauntlet bool
}

func newMatchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "match A B [C]...",
		Short: "Play a match of fixed length, an SPRT, or a tournament",
		Long:  matchHelp,
		Example: `  assay match ./new ./base --tc 8+0.08 --sprt 0,5 --book openings.epd
  assay match git:HEAD git:main --build 'make -j EXE={out}' --preset stc
  assay match './new?Hash=16' /usr/games/stockfish --tc 8+0.08 --out runs/sf
  assay match assay:weights=new.json assay:weights=old.json --sprt 0,10`,
		Args: cobra.MinimumNArgs(2),
	}
	var o matchOptions
	play := opts.New(cmd.Flags())
	play.AddGames(fmt.Sprintf("games to play (even); with --sprt, the maximum (default %d without --sprt)",
		defaultMatchGames))
	play.AddAffinity()
	play.AddOutput("print other measures of strength too: normalized Elo, other intervals")
	o.Add(play)
	opts.Add(play.Flags, opts.OfPlayers, func(fs *pflag.FlagSet) {
		fs.BoolVar(&o.gauntlet, "gauntlet", false, "with more than two players: A plays all others (default: a round robin)")
	})
	fs := cmd.Flags()
	fs.Lookup("tc").Usage += "; or one for A and one for B: 8+0.08,4+0.04"
	fs.Lookup("movetime").Usage += "; or one for A and one for B: 100ms,50ms"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s := newSession(cmd, play)
		defer s.close()
		return s.startMatch(&o, args)
	}
	return cmd
}

func (s *session) startMatch(o *matchOptions, args []string) error {
	args, err := o.Habits(s.Play, args)
	if err != nil {
		return err
	}
	if err := onlyPlayers(args); err != nil {
		return err
	}
	switch {
	case len(args) < 2: // more were typed, but they belong to --sprt
		return ui.Usagef("want two players or more, not %d", len(args))
	case len(args) > 2:
		return s.startTournament(o, args)
	}
	if o.gauntlet {
		return ui.Usagef("--gauntlet is for more than two players")
	}
	typed := o.SPRT != ""
	players, limitsB, err := s.complete(args)
	if err != nil {
		return err
	}
	test, err := o.Parse(s.Play) // after what assay.toml says
	if err != nil {
		return err
	}
	if s.Games == 0 && test == nil {
		s.Games = defaultMatchGames
	}
	if s.Games%2 != 0 {
		return ui.Usagef("--games %d: pairs need an even number", s.Games)
	}
	list, err := s.openPlayers(players, func(i int) string { return fmt.Sprintf("match: %c", 'A'+i) })
	if err != nil {
		return err
	}
	c := match.Config{Setup: s.Setup, A: list[0], B: list[1], LimitsB: limitsB, Games: s.Games, Test: test,
		Corrected: o.Corrected}
	if s.Opening.Book == "" {
		if c.Check.Player, err = openingChecker(c.B, c.A); err != nil { // B first: A is usually the newer
			return err
		}
	}
	for _, warning := range append(c.Warnings(), sharedOpenings(s.ctx, "match", c.Setup, c.A, c.B)) {
		s.warn(warning)
	}
	p, err := s.begin("match", &c.Setup, !c.Limits.Deterministic() || !c.LimitsB.Deterministic(), args, c.A, c.B)
	if err != nil {
		return err
	}
	s.limitMemory(c.A, c.B)
	r, err := match.Run(s.ctx, c)
	if err != nil && r == nil {
		if s.ctx.Err() != nil {
			p.Stopped()
		}
		return err
	}
	s.end(p, r.Already, "%d games, %s%s", r.Games, r.Outcome(), ui.BusyText(r.Load))
	s.leaveReport()
	d := doc.Match(r, s.Out)
	if s.Out != "" {
		d.Note("written %s", filepath.Join(s.Out, gamelog.PGNName))
	}
	// of A and B, in search
	if e := s.show(r, r.Process, d, map[string]any{"nodes_per_second": r.NodesPerSecond()}); e != nil {
		return e
	}
	if s.Out != "" && r.Test != nil && r.Verdict == match.Undecided && err == nil {
		longer := "a larger --games"
		if s.Given("rounds") {
			longer = "more --rounds"
		} else if !typed { // what assay.toml says of the end makes way for a typed --games
			longer = s.TestWords() + " and a larger --games"
		}
		fmt.Fprintf(s.stderr, "%s: undecided after %d games; the same command with %s goes on\n", s.name, r.Games, longer)
	}
	if err == nil && o.ExitStatus {
		return ui.TestExit(r.Verdict)
	}
	return err
}

// startTournament is startMatch for more than two players.
func (s *session) startTournament(o *matchOptions, args []string) error {
	switch {
	case o.SPRT != "":
		return ui.Usagef("--sprt and --preset test two players, not %d", len(args))
	case o.ExitStatus:
		return ui.Usagef("--exit-status needs --sprt, which tests two players, not %d", len(args))
	}
	if _, err := o.Parse(s.Play); err != nil {
		return err
	}
	schedule := ladder.RoundRobin
	if o.gauntlet {
		schedule = ladder.Gauntlet
	}
	return s.startLadder(&ladderOptions{schedule: string(schedule)}, args)
}
