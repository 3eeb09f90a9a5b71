package app

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

const matchHelp = `Play pairs of games between A and B, each pair from one opening with colors reversed, and
report how much stronger A is. A player is a UCI engine (./engine?Hash=16), a commit of yours
(git:main), assay, or a historic program (turing-1951).

With --games the match has a fixed length, and its Elo and interval are unbiased. With
--sprt elo0,elo1 it ends as soon as the sequential test has decided whether A is stronger
by elo0 or by elo1; stopping early biases the Elo, so the median-unbiased estimate is printed
too. With both, --games is the maximum.

Players other than engines are NAME[:weights=FILE-or-embedded-name][:nodes=N][:depth=N][:hash=MB]: assay, or a
historic program with its own options, such as shannon-a:moves=3, turing-1951:bishop=330 or
machack-1967:book=false ("assay historic list" lists them; for the options of one, run
"assay uci --player NAME" and type uci). Historic programs search to their own depth unless you
give a limit (--nodes, --depth, --movetime, --tc); the default of --nodes does not apply to them.
In a match against other players their identity in files then ends with :depth=40, which is
beyond that depth.

Players are shown as typed, or by a name: name=new:./engine. Data and results also record
the id of their weights, or the checksum of their program.

A word with a path separator is the program of a UCI engine: ./engine?Hash=16. The
long form is uci:[nodes=N:][depth=N:][timeout=TIME:][history=full:][view=white:]COMMAND[?OPTION=VALUE&...].
The command is split into words as a shell does, without expansion. OwnBook and Threads keep
the engine's defaults unless set. With history=full an engine gets all moves of the game
with each position; otherwise those since the last capture or pawn move, which is all that
draws depend on. view=white is for an engine that reports scores from White's view instead of
the side to move's.

Engines run with your rights: they can read and change what you can, and use the network.

` + gitHelp + `

` + settings.Precedence + `

Before the first game each player must start and play a move; if one does not, the command
ends. During a game, a crash, an illegal or malformed move and no answer lose it. Such losses
count and are not replayed. If a player forfeits more than --max-forfeits of its games
(exact test at level 0.001, whenever the number of games is a power of two, and at the end),
there is no verdict: the command ends with exit code 1 and keeps the games. With --recover
forfeits count as losses, however many there are. If A passes an SPRT in which B forfeited,
the result also gives the verdict without those pairs. A game is void, and its pair is replayed,
only if a program could not be started or assay itself was paused. If more than 1 % of the
pairs (and more than --concurrency of them) are void, there is no verdict either.

With node or depth limits, the same flags and seed give the same games and result for any
--concurrency. Games by time depend on the machine and are never the same twice. The match
keeps the clocks: a player that oversteps its time by more than --time-margin loses. With
--affinity on each running game has a core of its own; foreign engines without time limits get
one anyway, because they answer faster. If more threads want to run than there are cores, the
result says that the machine was busy (Linux), and names that first if losses on time leave no
verdict. Without a clock a foreign engine also loses if it does not answer within
--move-timeout (plus one second per 100,000 nodes).

More than two players make a tournament: a round robin, or with --gauntlet A against all
others, each round from one opening; --games is the total. See also assay ladder.

With --out the match is kept in a folder (journal, PGN, data set of games, result). After an
interruption the same command resumes it: no game is lost or played twice.

In a script --exit-status makes the exit code the verdict of --sprt: 0 A passed, 3 A failed, 4
undecided after --games. Without it all three are 0. No verdict and other failures are 1, a
wrong command line is 2.`

func newMatchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "match A B [C]...",
		Short: "Play a match of fixed length, an SPRT, or a tournament",
		Long:  matchHelp,
		Example: `  assay match ./new ./base --tc 8+0.08 --sprt 0,5 --book openings.epd
  assay match git:HEAD git:main --build 'make -j EXE={out}' --preset stc
  assay match './new?Hash=16' /usr/games/stockfish --tc 8+0.08 --out runs/sf
  assay match assay:weights=new.json assay:weights=old.json --nodes 5000 --sprt 0,10`,
		Args: cobra.MinimumNArgs(2),
	}
	set := settings.New(settings.Match, cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return newSession(cmd, set).play(args)
	}
	return cmd
}

// startMatch checks a match or a tournament, and plays it.
func (s *session) startMatch(args []string) error {
	if err := s.habits(); err != nil {
		return err
	}
	args, err := s.sprtWords(args)
	if err != nil {
		return err
	}
	if err := onlyPlayers(args); err != nil {
		return err
	}
	if len(args) > 2 {
		return s.startTournament(args)
	}
	if s.Gauntlet {
		return ui.Usagef("--gauntlet is for more than two players")
	}
	players, limitsB, err := s.complete(args)
	if err != nil {
		return err
	}
	test, err := s.sprtTest() // after what assay.toml says
	if err != nil {
		return err
	}
	if s.Games == 0 && test == nil {
		s.Games = settings.DefaultMatchGames
	}
	if s.Games%2 != 0 {
		return ui.Usagef("--games %d: pairs need an even number", s.Games)
	}
	list, err := s.entrants(players, func(i int) string { return fmt.Sprintf("match: %c", 'A'+i) })
	if err != nil {
		return err
	}
	c := match.Config{Setup: s.Setup, A: list[0], B: list[1], LimitsB: limitsB, Games: s.Games, Test: test,
		Corrected: s.Corrected}
	c.Resume, c.Pinned = s.resume(args), s.git.pinned()
	if s.Opening.Book == "" {
		if c.Check.Player, err = openingChecker(c.B, c.A); err != nil { // B first: A is usually the newer
			return err
		}
	}
	return s.runMatch(c)
}

// startTournament is startMatch for more than two players.
func (s *session) startTournament(args []string) error {
	switch {
	case s.SPRT != "":
		return ui.Usagef("--sprt tests two players, not %d", len(args))
	case s.ExitStatus:
		return ui.Usagef("--exit-status needs --sprt, which tests two players, not %d", len(args))
	}
	if _, err := s.sprtTest(); err != nil {
		return err
	}
	s.Schedule = string(ladder.RoundRobin)
	if s.Gauntlet {
		s.Schedule = string(ladder.Gauntlet)
	}
	return s.startLadder(args)
}

// sprtTest returns the test of --sprt, or nil.
func (s *session) sprtTest() (*sprt.Test, error) {
	if s.SPRT == "" {
		for _, name := range []string{"elo-model", "alpha", "beta", "corrected", "exit-status"} {
			if s.Given(name) {
				return nil, ui.Usagef("--%s needs --sprt elo0,elo1", name)
			}
		}
		return nil, nil
	}
	model, err := sprt.ParseModel(s.EloModel)
	if err != nil {
		return nil, ui.Usage(err)
	}
	elo0, elo1, err := sprtBounds(s.SPRT)
	if err != nil {
		return nil, err
	}
	t := &sprt.Test{Elo0: elo0, Elo1: elo1, Model: model, Alpha: s.Alpha, Beta: s.Beta}
	if err := t.Validate(); err != nil {
		return nil, ui.Usage(err)
	}
	return t, nil
}

func (s *session) runMatch(c match.Config) error {
	timed := !c.Limits.Deterministic() || !c.LimitsB.Deterministic()
	for _, warning := range append(c.Warnings(), crowdedGames(timed, s.Concurrency),
		sharedOpenings("match", c.Setup, c.A, c.B)) {
		s.warn(warning)
	}
	p := ui.NewProgress(s.stderr, "match")
	c.Progress, c.Failed = p.Update, ui.ReportFaults(p.Say, c.A, c.B)
	var err error
	if c.Runner, err = s.runner(timed, p, c.A, c.B); err != nil {
		return err
	}
	foreign := s.limitMemory(c.A, c.B)
	r, err := match.Run(s.ctx, c)
	s.git.release() // so that the cost of the games has the engines' time in it
	if err != nil && r == nil {
		if s.ctx.Err() != nil {
			p.Stopped()
		}
		return playAdvice(err, c.Out)
	}
	if r.Already {
		fmt.Fprintf(s.stderr, "match: %s is complete; nothing to do\n", c.Out)
	} else {
		p.Finish(fmt.Sprintf("%d games, %s%s", r.Games, r.Outcome(), ui.BusyText(r.Load)))
		s.sayCost(foreign && r.Played == r.Games, r.Games, r.Plies, r.Took)
	}
	s.leaveReport()
	if s.JSON {
		if e := ui.PrintJSON(s.stdout, matchJSON(s.Out, r)); e != nil {
			return e
		}
	} else if e := printMatch(ui.Folded(s.stdout), s.Out, r, s.All); e != nil {
		return e
	}
	if s.Out != "" && r.Test != nil && r.Verdict == match.Undecided {
		fmt.Fprintf(s.stderr, "%s: undecided after %d games; the same command with a larger --games goes on\n", s.name, r.Games)
	}
	if err == nil && s.ExitStatus {
		return ui.TestExit(r.Verdict)
	}
	return playAdvice(err, c.Out)
}

// matchReport is what match --json prints.
type matchReport struct {
	Out string `json:"out,omitempty"`
	*match.Result
	NodesASecond [2]float64 `json:"nodes_per_second"` // of A and B, in search
	Load         cores.Load `json:"load,omitzero"`    // of the machine; absent if it was not measured
	Already      bool       `json:"already"`
	Played       int64      `json:"played"` // by this process, including games that do not count
	Seconds      float64    `json:"seconds"`
}

func matchJSON(out string, r *match.Result) matchReport {
	return matchReport{Out: out, Result: r, NodesASecond: r.NodesPerSecond(), Load: r.Load, Already: r.Already,
		Played: r.Played, Seconds: r.Took.Seconds()}
}

// printMatch prints a result: the headline, what it rests on, and with all other measures of
// strength.
func printMatch(out io.Writer, dir string, r *match.Result, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\n", r.Headline())
	for i, nps := range r.NodesPerSecond() {
		name, id := [2]string{r.A, r.B}[i], [2]string{r.IDA, r.IDB}[i]
		quote.Fprintf(w, "%c\t%s, %.0f nodes/s\n", 'A'+i, name, nps)
		if id != name {
			quote.Fprintf(w, "\t%s\n", id)
		}
	}
	quote.Fprintf(w, "games\t%d: +%d =%d -%d for A, score %.2f %%\n", r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score)
	p := r.Pentanomial
	quote.Fprintf(w, "pairs\t%d: LL %d, LD %d, even %d, WD %d, WW %d\n", p.Samples(), p[0], p[1], p[2], p[3], p[4])
	if r.Verdict != match.NoVerdict {
		printElo(w, r, all)
	}
	if r.Nodes != [2]uint64{} && r.Plies > 0 {
		n := r.NodesAPly()
		quote.Fprintf(w, "searches\t%.0f nodes a ply of A, %.0f of B\n", n[0], n[1])
	}
	if u := r.Unscored; u != [2]int64{} {
		quote.Fprintf(w, "no score\t%d plies of A, %d of B; adjudication needs scores of both\n", u[0], u[1])
	}
	quote.Fprintf(w, "ended by\t%s\n", ui.CountsText(r.Terminations))
	if r.Forfeits != [2]int64{} || r.Verdict == match.NoVerdict {
		quote.Fprintf(w, "forfeits\tA %d, B %d (%s)\n", r.Forfeits[0], r.Forfeits[1],
			ui.FaultsText(dir, r.Forfeits[0]+r.Forfeits[1]))
	}
	if r.VoidPairs > 0 {
		quote.Fprintf(w, "void pairs\t%d, played again\n", r.VoidPairs)
	}
	if r.Load.Busy() {
		quote.Fprintf(w, "machine\tbusy: %v\n", r.Load)
	}
	for _, text := range r.Warnings {
		quote.Fprintf(w, "warning\t%s\n", text)
	}
	if dir != "" {
		quote.Fprintf(w, "written\t%s\n", filepath.Join(dir, match.PGNName))
	}
	return w.Flush()
}

// printElo prints what the games say about strength. The headline has the Elo.
func printElo(w io.Writer, r *match.Result, all bool) {
	quote.Fprintf(w, "Elo\t%s\n", r.Strength.Text(""))
	if r.LLR != nil {
		quote.Fprintf(w, "LLR\t%.2f, bounds %.2f and %.2f, %s Elo %g to %g\n", *r.LLR, *r.Lower, *r.Upper, r.Test.Model,
			r.Test.Elo0, r.Test.Elo1)
	}
	if !all {
		return
	}
	quote.Fprintf(w, "LOS\t%s\n", ui.PercentOr(r.LOS, 1))
	quote.Fprintf(w, "even pairs\t%.1f %%\n", 100*r.DrawRatio)
	for _, row := range r.Details.Lines() {
		quote.Fprintf(w, "%s\t%s\n", row[0], row[1])
	}
}
