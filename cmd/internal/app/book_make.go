package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/books"
	"github.com/assay-chess/assay/selfplay/opening"
)

func newBookPruneCommand() *cobra.Command {
	var out string
	var share float64
	var checks []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "prune BOOK GAMES... --out FILE",
		Short: "Keep the openings of a book that tell players apart",
		Long: `Keep the openings of a book that best tell players apart, judged by games that were played: folders
of matches and ladders, or PGN files. The command plays no games.

Two numbers decide for each opening: its lead (what the better player scores from it, above one half)
and its spread (how rarely the two games of a pair cancel). Both enter normalized Elo. Estimates of
single openings are noisy, so they are shrunk: the lead toward what the spread predicts, the spread
toward the mean of the book. About 50 pairs an opening are enough. They need many players, because at
fixed nodes two players repeat the same games: a round robin of 11 players gives 55 pairs an opening.

The games that choose overstate the gain. Fresh games of other players measure it: --check GAMES
compares kept and dropped openings by them, and the last line of output is the command that plays
them.`,
		Example: `  assay ladder e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 --schedule round-robin --book my.epd --games 220000 --out runs/all
  assay book prune my.epd runs/all --keep 0.5 --out pruned.epd
  assay book prune my.epd runs/all --check runs/others --out pruned.pgn`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(share > 0 && share < 1) {
				return cli.Usagef("--keep %v: want a share of the openings between 0 and 1, such as 0.5", share)
			}
			if err := newFile(out); err != nil {
				return err
			}
			return pruneBook(cmd, args, out, share, checks, asJSON)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "new file for the book: PGN if its name ends with .pgn, else EPD (required)")
	cmd.Flags().Float64Var(&share, "keep", 0.5, "share of the openings to keep")
	cmd.Flags().StringSliceVar(&checks, "check", nil, "games of other players from the whole book, that did not choose")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, with the estimates of all openings")
	return cmd
}

// newFile refuses a file that exists, or no file.
func newFile(out string) error {
	if out == "" {
		return cli.Usagef("no file for the book: give --out FILE")
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists: remove it, or choose another --out", out)
	}
	return nil
}

// pruneReport is what book prune --json prints.
type pruneReport struct {
	*books.Pruning
	Out  string       `json:"out"`
	Kept *books.Stat  `json:"check_kept,omitempty"` // of the games of --check
	Left *books.Stat  `json:"check_left,omitempty"`
	Wins *books.Worth `json:"check_worth,omitempty"` // kept in place of left
}

func pruneBook(cmd *cobra.Command, args []string, out string, share float64, checks []string, asJSON bool) error {
	book, err := opening.LoadBook(args[0], opening.Spec{}, 0)
	if err != nil {
		return playAdvice(err, "")
	}
	games, err := readPairs(book, args[1:])
	if err != nil {
		return err
	}
	r := &pruneReport{Out: out}
	if r.Pruning, err = games.Prune(share); err != nil {
		return err
	}
	if len(checks) > 0 {
		fresh, err := readPairs(book, checks)
		if err != nil {
			return err
		}
		if who := fresh.SamePlayers(games); who != "" {
			return cli.Usagef("--check: %s chose the openings too; give games of other players", quote.Text(who))
		}
		r.Kept, r.Left = fresh.Split(r.Pruning)
		w := books.Compare(r.Kept, r.Left)
		r.Wins = &w
	}
	exits, err := r.Exits(book)
	if err == nil {
		err = books.Write(out, exits)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	w := cli.Folded(cmd.OutOrStdout())
	quote.Fprintf(w, "%d of %d openings are kept, by %.1f pairs each on average\n", r.Pruning.Kept, len(r.Openings),
		r.Pairs)
	if r.Pairs < 20 {
		quote.Fprintf(w, "warning: few pairs an opening: most of the choice is chance; about 50 make a good one\n")
	}
	for _, p := range r.Plan {
		quote.Fprintf(w, "the best %2.0f %% should need %.2f of the games of the whole book\n", 100*p.Share, p.Games)
	}
	if r.Wins != nil {
		quote.Fprintf(w, "by the games of --check, which did not choose: %s\n", worthText(r.Wins, "those left out"))
	}
	quote.Fprintf(w, "written %s; what it is worth, two players say that did not choose:\n"+
		"assay book stat %s --players A,B --games 4000 --against %s\n", out, quote.Word(out), quote.Word(args[0]))
	return nil
}

func newBookMakeCommand() *cobra.Command {
	m := &books.Maker{}
	var out, player, plies string
	var nodes, seed uint64
	cmd := &cobra.Command{
		Use:   "make [GAMES] --out FILE",
		Short: "Make a book of positions that an engine finds within a window of scores",
		Long: `Make a book of openings from the games of a PGN file, a Polyglot book, a list of positions, or from
random plies, without repeated positions.

With --eval-min and --eval-max, centipawns by --view, an engine searches the position after the first
of --plies, then those after it, and the game is left at the first within the window. 80 to 130 from
White's view make an unbalanced book. Without a window games are left after the last ply.

EPD has the score from the side to move's view (ce) and the counters. The same flags give the same
book, whatever --concurrency. After an interruption the same command goes on.`,
		Example: `  assay book make --out random.epd --plies 8 --eval-min -30 --eval-max 30 --openings 5000
  assay book make games.pgn.zst --out uho.epd --plies 12-16 --eval-min 80 --eval-max 130 --engine ./stockfish
  assay book make Perfect.bin --out perfect.epd --plies 16`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := newFile(out); err != nil {
				return err
			}
			if err := setMaker(m, cmd, args, plies, player, nodes, seed); err != nil {
				return err
			}
			return makeBook(cmd, args, m, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "new file for the book: PGN if its name ends with .pgn, else EPD (required)")
	cmd.Flags().StringVar(&plies, "plies", "8", "plies after which a game is left, or the first and the last: 12-16")
	cmd.Flags().IntVar(&m.Min, "eval-min", 0, "least score, in centipawns")
	cmd.Flags().IntVar(&m.Max, "eval-max", 0, "largest score, in centipawns")
	cmd.Flags().StringVar(&m.View, "view", books.Views[0],
		"whose scores: white, mover (the side to move) or leader (the side ahead)")
	cmd.Flags().StringVar(&player, "engine", "assay", "who scores: a player as in assay match")
	cmd.Flags().Uint64Var(&nodes, "nodes", 20000, "nodes of a search")
	cmd.Flags().IntVar(&m.Openings, "openings", 0, "openings to make (default: of random plies 1000, else all)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of random plies")
	cmd.Flags().IntVar(&m.Workers, "concurrency", 0, "searches at once (default: one per core); does not change the book")
	cli.Silent(cmd.Flags(), "concurrency")
	return cmd
}

// setMaker checks the flags.
func setMaker(m *books.Maker, cmd *cobra.Command, args []string, plies, player string, nodes, seed uint64) error {
	_, err := fmt.Sscanf(plies, "%d-%d", &m.From, &m.To)
	if err != nil {
		_, err = fmt.Sscanf(plies, "%d", &m.To)
		m.From = m.To
	}
	window := cmd.Flags().Changed("eval-min")
	switch {
	case err != nil || m.From < 1 || m.To < m.From || m.To > 200:
		return cli.Usagef("--plies %s: want a number from 1 to 200, or two such as 12-16", plies)
	case window != cmd.Flags().Changed("eval-max"):
		return cli.Usagef("a window has two ends: give --eval-min and --eval-max")
	case window && m.Min > m.Max:
		return cli.Usagef("--eval-min %d is above --eval-max %d", m.Min, m.Max)
	case m.Openings < 0 || nodes == 0 || m.Workers < 0:
		return cli.Usagef("--openings, --nodes and --concurrency must not be below zero, and --nodes not zero")
	case len(args) == 0 && m.To >= opening.MaxRandomPlies:
		return cli.Usagef("--plies %s: want at most %d random plies", plies, opening.MaxRandomPlies-1)
	}
	if window {
		spec, err := cli.Player(player)
		if err != nil {
			return err
		}
		if _, err := cli.Entrant(roster.Open, spec); err != nil {
			return err
		}
		m.Open = func() (engine.Player, error) { return roster.Open(spec) }
		m.Limits = engine.Limits{Nodes: nodes}
	}
	if len(args) > 0 {
		m.Source, err = leavable(args[0], m.To)
		return playAdvice(err, "")
	}
	if m.Openings == 0 {
		m.Openings = 1000
	}
	r, err := opening.NewRandom(m.To, selfplay.Seed(seed, 0, "book", 0))
	if err == nil {
		r.MaxPlies = m.To
		m.Source = r
	}
	return err
}

// leavable opens a file of positions, or of games, which count by their first plies.
func leavable(path string, plies int) (opening.Source, error) {
	book, err := opening.LoadBook(path, opening.Spec{BookPlies: plies}, 0)
	if errors.Is(err, opening.ErrPositions) {
		return opening.LoadBook(path, opening.Spec{}, 0)
	}
	return book, err
}

func makeBook(cmd *cobra.Command, args []string, m *books.Maker, out string) error {
	m.Settings = cli.CommandLine(cmd, args)
	m.Journal = filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+".journal")
	p := cli.NewProgress(cmd.ErrOrStderr(), "book make")
	m.Progress = p.Update
	exits, err := m.Run(cmd.Context())
	if cmd.Context().Err() != nil {
		return errors.Join(err, cli.Kept(m.Journal, m.Settings))
	}
	if err == nil {
		err = books.Write(out, exits)
	}
	if err == nil {
		err = m.Done()
	}
	if errors.Is(err, books.ErrWindow) {
		err = errors.Join(fmt.Errorf("%w; widen it, or search other --plies", err), m.Done())
	}
	if err == nil {
		p.Finish(fmt.Sprintf("%d openings in %s", len(exits), out))
	}
	return err
}
