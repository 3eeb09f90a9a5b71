package app

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
)

func newSelfplayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "selfplay --out DIR",
		Short: "Generate training data: self-play games with scores",
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
  assay selfplay --out night --games 100000 --weights new.json --seed 2
  assay selfplay --out mine --games 1000 --players ./engine --tc 2+0.02
  assay selfplay --out mixed --games 200 --players assay,turing-1951`,
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
	players, _, err := s.complete(texts)
	if err == nil {
		err = s.OneClock()
	}
	if err != nil {
		return err
	}
	c := datagen.Config{Setup: s.Setup, Games: s.Games}
	if c.Players, err = s.openPlayers(players, func(int) string { return "selfplay" }); err != nil {
		return err
	}
	if !s.Limits.Deterministic() { // the players may know only clocks, but openings are checked by nodes
		if c.Check.Player, err = openingChecker(c.Players...); err != nil {
			return err
		}
	}
	p, err := s.begin("selfplay", &c.Setup, !c.Limits.Deterministic(), nil, c.Players...)
	if err != nil {
		return err
	}
	r, err := datagen.Run(s.ctx, c)
	if err != nil {
		return err
	}
	s.end(p, r.Already, "%d games in %s", r.Games, s.Out)
	s.leaveReport()
	more := map[string]any{"opening_checks": r.Search.Checks, "openings_lopsided": r.Search.Lopsided,
		"openings_repeated": r.Search.Repeated}
	if r.Views != nil {
		more["view_fault"] = r.Views
	}
	if seconds := r.Took.Seconds(); seconds > 0 { // in games, all workers together
		more["games_per_second"] = float64(r.Played) / seconds
		more["plies_per_second"], more["nodes_per_second"] = float64(r.Plied)/seconds, float64(r.Nodes)/seconds
	}
	if r.Plied > 0 {
		more["nodes_per_ply"] = float64(r.Nodes) / float64(r.Plied)
	}
	d := doc.Selfplay(r, s.Out)
	if len(d.Warnings) > 0 {
		more["warnings"] = d.Warnings
	}
	return s.show(r, r.Process, d, more)
}
