package data

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

func newStat() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stat PATH",
		Short: "Print statistics: rows, games, results, phases, scores, duplicates",
		Example: `  assay data stat games
  assay data stat positions --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := ui.NewProgress(cmd.ErrOrStderr(), "data stat")
			s, err := arrange.Summarize(cmd.Context(), args[0], p.Update)
			if err != nil {
				return err
			}
			p.Finish("done")
			return ui.Show(cmd, s, func(w io.Writer) error { return printSummary(w, s) })
		},
	}
	ui.JSON(cmd)
	return cmd
}

func printSummary(out io.Writer, s *arrange.Summary) error {
	var t ui.Table
	line := func(name, format string, args ...any) { t.Add("%s\t%s", name, fmt.Sprintf(format, args...)) }
	if s.Views != nil {
		fmt.Fprintf(out, "warning: %v; %s\n\n", s.Views, ui.ViewCure(s.Views, false))
	}
	state := "verified"
	switch {
	case !s.Verified:
		state = "unverified: no manifest"
	case !s.Complete:
		state = "not complete: interrupted, or still being written"
	}
	line("path", "%s (%s)", s.Path, state)
	line("format", "%s", s.Format)
	line("id", "%.12s", s.ID)
	line("rows", "%d in %d files", s.Rows, s.Shards)
	if s.Rows == 0 {
		return t.Print(out)
	}
	line("size", "%d bytes, %s", s.Bytes, density(s))
	switch {
	case s.Games == 0:
		line("games", "unknown: rows name no game and are not in game order; %s", unclustered)
	case s.GamesInferred:
		line("games", "%d (inferred: one ends where the ply drops or the result changes)", s.Games)
	default:
		line("games", "%d", s.Games)
	}
	line("openings", "%d distinct", s.Openings)
	if !dataset.IsFeatures(s.Format) {
		line("duplicates", "%d (%s)", s.Duplicates, ui.Share(s.Duplicates, s.Rows))
		line("plies", "%d to %d, mean %.1f", s.Plies.Min, s.Plies.Max, s.Plies.Mean)
	} else {
		line("terms", "%d", s.Terms)
	}
	r := s.Results
	line("results", "White %s, draw %s, Black %s; mean %.4f", ui.Share(r.White, s.Rows), ui.Share(r.Draw, s.Rows),
		ui.Share(r.Black, s.Rows), r.Mean)
	for _, name := range slices.Sorted(maps.Keys(s.Terminations)) {
		line("", "%d %s", s.Terminations[name], cmp.Or(name, "(none)"))
	}
	printLabels(line, s)
	printScores(line, s)
	if s.Phases != nil {
		var bands []string
		for _, b := range eval.PhaseBands {
			rows := int64(0)
			for _, n := range s.Phases[b.Lo : b.Hi+1] {
				rows += n
			}
			bands = append(bands, fmt.Sprintf("%v: %s", b, ui.Share(rows, s.Rows)))
		}
		line("phases", "%s", strings.Join(bands, ", "))
	}
	return t.Print(out)
}

// printLabels says which results the board did not decide.
func printLabels(line func(name, format string, args ...any), s *arrange.Summary) {
	if n := s.Forfeits.Games(); n > 0 {
		what := "they gave no positions"
		switch {
		case s.Kept:
			what = "their positions are kept, with that result"
		case s.Format == dataset.GamesFormat:
			what = ui.Share(n, s.Games) + ", no labels: assay data positions drops them"
		}
		line("forfeits", "%d games (%s): %s", n, ui.CountsText(s.Forfeits), what)
	}
	if s.RuleDraws > 0 {
		line("draws", "%d rows are draws by the rules, but not by their result: assay data positions drops them", s.RuleDraws)
	}
}

// unclustered says what it costs not to know the games. The factor is the root of the
// design effect, about 10 where games of assay's own gave 70 positions each.
const unclustered = "standard errors of a fit will be unclustered: 3 to 4 times too small if a game gave tens of " +
	"positions"

// density is the size of what there is most of.
func density(s *arrange.Summary) string {
	if s.Format == dataset.GamesFormat && s.Plies.Sum > 0 {
		return fmt.Sprintf("%.2f a ply", float64(s.Bytes)/float64(s.Plies.Sum))
	}
	return fmt.Sprintf("%.2f a row", float64(s.Bytes)/float64(s.Rows))
}

func printScores(line func(name, format string, args ...any), s *arrange.Summary) {
	total := s.Mates + s.Unscored
	for _, b := range s.Scores {
		total += b.N
	}
	line("scores", "%s none (%d of %d), %s mates", ui.Share(s.Unscored, total), s.Unscored, total,
		ui.Share(s.Mates, total))
	for _, b := range s.Scores {
		if b.N > 0 {
			line("", "%6d to %6d  %6s", b.From, b.To-1, ui.Share(b.N, total))
		}
	}
}

func newHead() *cobra.Command {
	var n int
	var fens bool
	cmd := &cobra.Command{
		Use:   "head PATH",
		Short: "Show the first rows of a data set",
		Example: `  assay data head games -n 3
  assay data head positions --fen`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 0 {
				return ui.Usagef("-n %d: want 0 or more rows", n)
			}
			return head(cmd.OutOrStdout(), args[0], n, fens)
		},
	}
	cmd.Flags().IntVarP(&n, "rows", "n", 10, "how many rows")
	cmd.Flags().BoolVar(&fens, "fen", false, "print positions as FEN [result], and games as the FEN of their last "+
		"position")
	return cmd
}

func head(out io.Writer, path string, n int, fens bool) error {
	format, err := dataset.Detect(path)
	if err != nil {
		return err
	}
	var t ui.Table
	switch format {
	case dataset.GamesFormat:
		err = headGames(&t, path, n, fens)
	case dataset.PositionsFormat:
		err = headPositions(&t, path, n, fens)
	default:
		if fens {
			return ui.Usagef("%s holds features; they have no FEN", path)
		}
		err = headFeatures(&t, path, n)
	}
	return errors.Join(err, t.Print(out))
}

// firstRows calls show with at most n rows.
func firstRows[R any](r *dataset.Reader[R], n int, show func(*R)) error {
	if n == 0 {
		return nil
	}
	for row, err := range r.All() {
		if err != nil {
			return err
		}
		show(&row)
		if n--; n == 0 {
			break
		}
	}
	return nil
}

func scoreText(s int16) string {
	if s == dataset.NoScore {
		return "-"
	}
	return fmt.Sprint(s)
}

func headGames(t *ui.Table, path string, n int, fens bool) error {
	r, err := dataset.OpenGames(path, dataset.Partial)
	if err != nil {
		return err
	}
	if !fens {
		t.Head = []string{"game", "result", "plies", "termination", "white", "black", "opening", "moves"}
	}
	return firstRows(r, n, func(g *dataset.GameRow) {
		var last *board.Game
		sans := []string{}
		for i, game := range g.Replay() {
			last = game
			if i >= int(g.OpeningPlies) && i < len(g.Moves) && len(sans) < 6 {
				sans = append(sans, game.Position().SAN(g.Moves[i]))
			}
		}
		if fens {
			t.Add("%s [%g]", last.Position().FEN(), dataset.ResultOf(g.Result))
			return
		}
		t.Add("%016x\t%s\t%d\t%s\t%s\t%s\t%d plies\t%s ...", g.Game, board.GameResult(g.Result), len(g.Moves),
			g.Termination,
			g.White, g.Black, g.OpeningPlies, strings.Join(sans, " "))
	})
}

func headPositions(t *ui.Table, path string, n int, fens bool) error {
	r, err := dataset.OpenPositions(path, dataset.Partial)
	if err != nil {
		return err
	}
	if !fens {
		t.Head = []string{"game", "ply", "score", "result", "weight", "position"}
	}
	return firstRows(r, n, func(p *dataset.PositionRow) {
		if fens {
			t.Add("%s [%g]", p.Board.FEN(), p.Result)
			return
		}
		t.Add("%016x\t%d\t%s\t%g\t%g\t%s", p.Game, p.Ply, scoreText(p.Score), p.Result, p.Weight, p.Board.FEN())
	})
}

func headFeatures(t *ui.Table, path string, n int) error {
	r, set, err := dataset.OpenFeatures(path, dataset.Partial)
	if err != nil {
		return err
	}
	t.Head = []string{"game", "result", "score", "eval", "phase", "scale", "eg_scale", "offset", "terms"}
	return firstRows(r, n, func(f *dataset.FeatureRow) {
		terms := []string{}
		for i, n := range f.Terms {
			terms = append(terms, fmt.Sprintf("%s %+g", set.Terms[n].Name, f.Counts[i]))
		}
		eval, egScale := "-", "-"
		if f.Eval != dataset.NoEval {
			eval = fmt.Sprintf("%g", f.Eval)
		}
		if set.Version > 1 && !set.BySide {
			egScale = fmt.Sprintf("%g", f.EGScale)
		}
		t.Add("%016x\t%g\t%s\t%s\t%.3g\t%g\t%s\t%g\t%s", f.Game, f.Result, scoreText(f.Score), eval,
			f.Phase, f.Scale, egScale, f.Offset, strings.Join(terms, ", "))
	})
}
