package app

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
)

func newSelfplayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "selfplay --out DIR",
		Short: "Play games and write them as a data set for training",
		Long: `Play numbered games of a player against itself, or of two players that swap colors after each
game, and write them in order as a data set of games (Arrow).

Each game starts from its own opening: random plies, checked for balance by a short search, or a
line of a book. Clear wins are adjudicated; a share of them is played on to measure how often the
adjudication is wrong. With node or depth limits, the same flags and seed give the same bytes for
any --concurrency. Games by time are never the same twice, but equal seeds give equal game ids:
give each run a --seed of its own.

The same command resumes an interrupted run and replays no finished game. A complete DIR is not
changed. 'assay data positions' also reads an unfinished one.`,
		Example: `  assay selfplay --out games --games 1000 --nodes 1000
  assay selfplay --out night --games 100000 --weights runs/first/weights.json --seed 2
  assay selfplay --out mine --games 1000 --players 'uci:./my-engine?Hash=16' --tc 2+0.02 --book openings.epd
  assay selfplay --out mixed --games 200 --players assay,assay:weights=shannon-1950`,
		Args: cobra.NoArgs,
	}
	var players []string
	var weights string
	play := opts.New(cmd.Flags())
	play.AddGames("number of games")
	play.AddOutput("")
	opts.Add(play.Flags, opts.OfPlayers, func(fs *pflag.FlagSet) {
		fs.StringSliceVar(&players, "players", nil,
			"one player (against itself) or two: NAME[:weights=FILE][:hash=MB]..., or uci:COMMAND")
		fs.StringVar(&weights, "weights", "",
			`weight file, or the name of embedded weights, of the player assay (default "assay")`)
		ui.ShortHelp(fs, opts.Names(fs)...)
	})
	fs := cmd.Flags()
	fs.Lookup("nodes").Usage = fmt.Sprintf("nodes per move (default %d without --depth)", opts.DefaultNodes)
	fs.Lookup("hard-nodes").Usage = "stop at exactly --nodes; =false: a search may use up to 8 times as many to finish " +
		"its iteration"
	fs.Lookup("out").Usage = "folder to write (required)"
	opts.SetDefault(fs, "hard-nodes", true)
	opts.SetDefault(fs, "games", 1000)
	opts.SetDefault(fs, "play-on", selfplay.StandardAdjudication().PlayOn)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s := newSession(cmd, play)
		defer s.close()
		return s.startSelfplay(weights, players)
	}
	return cmd
}

// startSelfplay checks a run, and plays it.
func (s *session) startSelfplay(weights string, texts []string) error {
	switch {
	case s.Out == "":
		return ui.Usagef("no folder for the games: give --out DIR")
	case weights != "" && len(texts) > 0:
		return ui.Usagef("--weights and --players both choose the players: give one of them")
	case len(texts) > 2:
		return ui.Usagef("%d --players: want one or two", len(texts))
	case weights != "":
		texts = []string{"assay:weights=" + weights}
	case len(texts) == 0:
		texts = []string{"assay"}
	}
	if err := s.OneClock(); err != nil {
		return err
	}
	players, _, err := s.complete(texts)
	if err != nil {
		return err
	}
	c := datagen.Config{Games: s.Games}
	if c.Players, err = s.entrants(players, func(int) string { return "selfplay" }); err != nil {
		return err
	}
	c.Setup = s.Setup
	c.Resume, c.Pinned = s.resume(nil), s.git.pinned()
	if !s.Limits.Deterministic() { // the players may know only clocks, but openings are checked by nodes
		if c.Check.Player, err = openingChecker(c.Players...); err != nil {
			return err
		}
	}
	return s.runSelfplay(c)
}

func (s *session) runSelfplay(c datagen.Config) error {
	s.warn(crowdedGames(!c.Limits.Deterministic(), s.Concurrency))
	p := ui.NewProgress(s.stderr, "selfplay")
	c.Progress, c.Failed = p.Update, ui.ReportFaults(p.Say, c.Players...)
	var err error
	if c.Runner, err = s.runner(!c.Limits.Deterministic(), p, c.Players...); err != nil {
		return err
	}
	r, err := datagen.Run(s.ctx, c)
	if err != nil {
		return err
	}
	if r.Already {
		fmt.Fprintf(s.stderr, "selfplay: %s is complete: %d games; nothing to do\n", s.Out, r.Games)
	} else {
		p.Finish(fmt.Sprintf("%d games in %s", r.Games, s.Out))
	}
	if share, lo, _ := r.Disagreement(); lo > datagen.MaxDisagreement {
		fmt.Fprintf(s.stderr, "selfplay: warning: %.1f %% of the games played on ended differently from their adjudication "+
			"(%d won by the other side, %d drawn); "+
			"if the draws are won endgames that the player cannot win, adjudication is right; otherwise raise --win-score or "+
			"--win-plies\n",
			100*share, r.Reversed, r.Disagreed-r.Reversed)
	}
	for _, text := range r.Warnings {
		fmt.Fprintf(s.stderr, "selfplay: warning: %s\n", text)
	}
	s.leaveReport()
	if s.JSON {
		return ui.PrintJSON(s.stdout, selfplayJSON(s.Out, r))
	}
	return printSelfplay(s.stdout, s.Out, r)
}

// selfplayReport is what selfplay --json prints.
type selfplayReport struct {
	Out string `json:"out"`
	*datagen.Summary
	Views         *dataset.ViewFault `json:"view_fault,omitempty"`
	Already       bool               `json:"already"` // nothing was played; the speeds are 0
	Played        int64              `json:"played"`  // by this process
	Seconds       float64            `json:"seconds"`
	GamesASecond  float64            `json:"games_per_second"`
	PliesASecond  float64            `json:"plies_per_second"`
	NodesASecond  float64            `json:"nodes_per_second"` // in games, all workers together
	NodesAPly     float64            `json:"nodes_per_ply"`    // mean, in games of this process
	OpeningChecks int64              `json:"opening_checks"`
	Lopsided      int64              `json:"openings_lopsided"`
	Repeated      int64              `json:"openings_repeated"`
}

func selfplayJSON(out string, s *datagen.Summary) selfplayReport {
	r := selfplayReport{Out: out, Summary: s, Views: s.Views, Already: s.Already, Played: s.Played,
		Seconds:       s.Took.Seconds(),
		OpeningChecks: s.Search.Checks, Lopsided: s.Search.Lopsided, Repeated: s.Search.Repeated}
	if s.Plied > 0 {
		r.NodesAPly = float64(s.Nodes) / float64(s.Plied)
	}
	if r.Seconds > 0 {
		r.GamesASecond = float64(s.Played) / r.Seconds
		r.PliesASecond = float64(s.Plied) / r.Seconds
		r.NodesASecond = float64(s.Nodes) / r.Seconds
	}
	return r
}

func printSelfplay(out io.Writer, dir string, s *datagen.Summary) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if s.Views != nil {
		fmt.Fprintf(out, "warning: %v; %s\n\n", s.Views, ui.ViewCure(s.Views, true))
	}
	quote.Fprintf(w, "games\t%d\t+%d =%d -%d for White\n", s.Games, s.WhiteWins, s.Draws, s.BlackWins)
	quote.Fprintf(w, "plies\t%d\t%.1f a game, without openings", s.Plies, float64(s.Plies)/float64(max(1, s.Games)))
	if s.Unscored > 0 {
		quote.Fprintf(w, "; %d of them have no score", s.Unscored)
	}
	fmt.Fprintln(w)
	quote.Fprintf(w, "ended by\t\t%s\n", ui.CountsText(s.Terminations))
	if n := s.Forfeits(); n > 0 {
		quote.Fprintf(w, "forfeits\t%d\t%s; no labels\n", n, ui.FaultsText(dir, n))
	}
	share, lo, hi := s.Disagreement()
	quote.Fprintf(w, "adjudicated\t%d\t%d of them played to the end as a check: %d ended differently", s.Adjudicated,
		s.PlayedOn, s.Disagreed)
	if s.PlayedOn > 0 {
		quote.Fprintf(w, " (%.1f %%, 95 %% interval %.1f to %.1f), %d of these won by the other side", 100*share, 100*lo,
			100*hi, s.Reversed)
	}
	fmt.Fprintln(w)
	if c := s.Search; c.Checks > 0 {
		quote.Fprintf(w, "openings\t%d checked\t%d unbalanced, %d played before", c.Checks, c.Lopsided, c.Repeated)
		if c.Unscored > 0 {
			quote.Fprintf(w, ", %d without a score: accepted unchecked", c.Unscored)
		}
		fmt.Fprintln(w)
	}
	if t := s.Took.Seconds(); t > 0 {
		quote.Fprintf(w, "speed\t%.1f games/s\t%.0f plies/s, %.0f nodes/s\n", float64(s.Played)/t, float64(s.Plied)/t,
			float64(s.Nodes)/t)
	}
	if s.Nodes > 0 && s.Plied > 0 {
		quote.Fprintf(w, "searches\t\t%.0f nodes a ply\n", float64(s.Nodes)/float64(s.Plied))
	}
	if s.Timed {
		fmt.Fprintf(w, "limits\tof time\tanother run gives other games\n")
	}
	quote.Fprintf(w, "written\t%s\tid %s\n", dir, s.DataID[:min(12, len(s.DataID))])
	return w.Flush()
}
