package app

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
)

// ladderGames is the length without --games, for each player.
const ladderGames = 100

type ladderOptions struct {
	within           float64
	schedule, anchor string
}

func newLadderCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ladder A B [C]... | GAMES.pgn...",
		Short: "Rate many players, or a PGN's, with error bars",
		Long: `Play pairs of games between many players and rate all of them on one scale, with 95 % intervals
and the likelihood that each is stronger than the next.

Ratings maximize the likelihood of the Bradley-Terry model with draws and White's advantage
(Davidson 1970), with one virtual draw for each pairing. Intervals count pairs, not single games.
Players, forfeits, void pairs and --out are as in assay match.

With PGN files (or folders of runs) in place of players, nothing is played: the players of their
tags are rated by all of these games, which count as independent. --anchor then takes several
ratings, with their errors: --anchor 'Stash 36=3340±15, Weiss 2=3380'. Groups of players that
never met are named, because their ratings cannot be compared.`,
		Example: `  assay ladder assay assay:weights=shannon-1950 assay:depth=1 --nodes 1000
  assay ladder assay uci:stockfish 'uci:gnuchess --uci' --tc 5+0.05
  assay ladder git:v1 git:v2 git:v3 --schedule chain --tc 8+0.08
  assay ladder games.pgn --anchor 'Stash 36=3340±15'
  assay ladder ./new ./old --anchor ./old=2800 --within 15 --out runs/ladder`,
		Args: func(cmd *cobra.Command, args []string) error {
			if pgnFiles(args) != nil {
				return nil
			}
			return cobra.MinimumNArgs(2)(cmd, args)
		},
	}
	var o ladderOptions
	play := opts.New(cmd.Flags())
	play.AddGames(fmt.Sprintf("games to play (even); with --within, the maximum (default %d for each player)",
		ladderGames))
	play.AddAffinity()
	play.AddOutput("print the points of all pairings too")
	opts.Add(play.Flags, opts.OfTest, func(fs *pflag.FlagSet) {
		fs.Float64Var(&o.within, "within", 0, "end when every 95 % interval is within ± this many Elo")
		fs.StringVar(&o.schedule, "schedule", string(ladder.Widest),
			"who plays whom: widest, round-robin, gauntlet or chain")
		fs.StringVar(&o.anchor, "anchor", "", "PLAYER=ELO fixes the rating of a player, named as on the command line or by "+
			"its number from 1 (default: the mean of all is 0)")
		ui.ShortHelp(fs, opts.Names(fs)...)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s := newSession(cmd, play)
		defer s.close()
		if files := pgnFiles(args); files != nil {
			return rateGames(s, o.anchor, files)
		}
		return s.startLadder(&o, args)
	}
	return cmd
}

var pgnName = regexp.MustCompile(`(?i)\.pgn(\.(gz|zst|bz2|xz))?$`)

// pgnFiles returns the PGN files of the arguments, which may be folders of runs; nil if one is neither.
func pgnFiles(args []string) (list []string) {
	for _, text := range args {
		if path := filepath.Join(text, gamelog.PGNName); !pgnName.MatchString(text) {
			if _, err := os.Stat(path); err != nil {
				return nil
			}
			text = path
		}
		list = append(list, text)
	}
	return list
}

func rateGames(s *session, anchor string, files []string) error {
	for _, name := range opts.Names(s.Flags) {
		if s.Given(name) && !slices.Contains([]string{"anchor", "all", "json"}, name) {
			return ui.Usagef("--%s is for a ladder that is played; with PGN files there are --anchor, --all and --json", name)
		}
	}
	debug.SetGCPercent(400) // the games read are garbage at once: a fifth of the time, for 20 MB
	var games ladder.Games
	for _, path := range files {
		if err := games.Read(s.ctx, path); err != nil {
			return err
		}
	}
	anchors, err := parseAnchors(anchor, games.Names)
	if err != nil {
		return err
	}
	r, err := games.Rate(anchors)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "ladder: %d games of %d players; %d without a result left out\n", games.Finished,
		len(games.Names), games.Unfinished)
	if games.Alone > 0 {
		fmt.Fprintf(s.stderr, "ladder: %d games of a player against itself left out\n", games.Alone)
	}
	return ui.Show(s.cmd, r, doc.Ladder(r, "").Printer(s.All))
}

var anchorText = regexp.MustCompile(`^\s*(.+?)\s*=\s*(-?[0-9.]+)\s*(?:(?:±|\+-)\s*([0-9.]+))?\s*(?:,|$)`)

// parseAnchors reads "NAME=ELO±ERROR, ...", where NAME may be the number of a player from 1; without an error the
// rating is exact.
func parseAnchors(text string, names []string) (list []ladder.Anchor, err error) {
	for rest := text; rest != ""; {
		m := anchorText.FindStringSubmatch(rest)
		if m == nil {
			return nil, ui.Usagef("--anchor %s: want PLAYER=ELO or PLAYER=ELO±ERROR, with commas between them", text)
		}
		a := ladder.Anchor{Name: m[1]}
		if n, err := strconv.Atoi(a.Name); err == nil && n >= 1 && n <= len(names) && !slices.Contains(names, a.Name) {
			a.Name = names[n-1]
		}
		if !slices.Contains(names, a.Name) {
			return nil, ui.Usagef("--anchor %s: no player has the name %q%s", text, a.Name, ui.DidYouMean(a.Name, "", names))
		}
		if slices.ContainsFunc(list, func(b ladder.Anchor) bool { return b.Name == a.Name }) {
			return nil, ui.Usagef("--anchor %s: %s is there twice", text, a.Name)
		}
		a.Elo, err = strconv.ParseFloat(m[2], 64)
		if err == nil && m[3] != "" {
			a.Error, err = strconv.ParseFloat(m[3], 64)
		}
		if err != nil {
			return nil, ui.Usagef("--anchor %s: %w", text, err)
		}
		list, rest = append(list, a), rest[len(m[0]):]
	}
	return list, nil
}

func (s *session) startLadder(o *ladderOptions, args []string) error {
	players, _, err := s.complete(args)
	if err == nil {
		err = s.OneClock()
	}
	if err != nil {
		return err
	}
	schedule, err := ladder.ParseSchedule(o.schedule)
	if err != nil {
		return ui.Usage(err)
	}
	round := schedule.RoundGames(len(args))
	switch {
	case s.Games == 0: // whole rounds
		s.Games = (ladderGames*uint64(len(args))/2 + round - 1) / round * round
	case s.Games%round != 0 && schedule != ladder.Widest:
		s.warn(fmt.Sprintf("%d games are not a multiple of a round (%d): some pairs of players play more games than others",
			s.Games, round))
	}
	names := make([]string, len(players))
	for i, p := range players {
		names[i] = p.Label
	}
	anchors, err := parseAnchors(o.anchor, names)
	if err != nil {
		return err
	}
	if len(anchors) > 1 || len(anchors) == 1 && anchors[0].Error != 0 {
		return ui.Usagef("--anchor %s: want one PLAYER=ELO, such as 1=2800; of a PGN several, with errors", o.anchor)
	}
	list, err := s.openPlayers(players, func(i int) string { return fmt.Sprintf("player %d", i+1) })
	if err != nil {
		return err
	}
	c := ladder.Config{Setup: s.Setup, Players: list, Games: s.Games, Schedule: schedule, Within: o.within, Anchor: -1}
	if len(anchors) > 0 {
		c.Anchor, c.AnchorElo = slices.Index(names, anchors[0].Name), anchors[0].Elo
	}
	if c.Check.Player, err = openingChecker(list...); err != nil {
		return err
	}
	s.warn(sharedOpenings(s.ctx, "ladder", c.Setup, list...))
	p, err := s.begin("ladder", &c.Setup, !c.Limits.Deterministic(), args, list...)
	if err != nil {
		return err
	}
	s.limitMemory(list...)
	r, err := ladder.Run(s.ctx, c)
	if err != nil && r == nil {
		if s.ctx.Err() != nil {
			p.Stopped()
		}
		return err
	}
	s.end(p, r.Already, "%d games between %d players%s", r.Games, len(list), ui.BusyText(r.Load))
	d, more := doc.Ladder(r, s.Out), map[string]any{}
	if s.Out != "" && err == nil {
		plot := filepath.Join(s.Out, report.LadderName)
		if err := durable.WriteFile(plot, report.Ladder(r)); err != nil {
			return err
		}
		more["plot"] = plot
		d.Note("written %s, %s", filepath.Join(s.Out, gamelog.PGNName), plot)
	}
	s.leaveReport()
	return cmp.Or(s.show(r, r.Process, d, more), err)
}
