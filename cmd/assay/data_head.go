package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

func newDataHeadCommand() *cobra.Command {
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
				return usagef("-n %d: want a number of rows", n)
			}
			return dataAdvice(head(cmd.OutOrStdout(), args[0], n, fens))
		},
	}
	cmd.Flags().IntVarP(&n, "rows", "n", 10, "how many rows")
	cmd.Flags().BoolVar(&fens, "fen", false, "print positions as FEN [result], and games as the FEN of their last position")
	return cmd
}

func head(out io.Writer, path string, n int, fens bool) error {
	format, err := dataset.Detect(path)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	switch format {
	case dataset.GamesFormat:
		err = headGames(w, path, n, fens)
	case dataset.PositionsFormat:
		err = headPositions(w, path, n, fens)
	default:
		if fens {
			return usagef("%s holds features; they have no FEN", path)
		}
		err = headFeatures(w, path, n)
	}
	if e := w.Flush(); err == nil {
		err = e
	}
	return err
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

func headGames(w io.Writer, path string, n int, fens bool) error {
	r, err := dataset.OpenGames(path, dataset.Partial())
	if err != nil {
		return err
	}
	if !fens {
		fmt.Fprintln(w, "GAME\tRESULT\tPLIES\tTERMINATION\tWHITE\tBLACK\tOPENING\tMOVES")
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
			fmt.Fprintf(w, "%s [%g]\n", last.Position().FEN(), dataset.ResultOf(g.Result))
			return
		}
		fmt.Fprintf(w, "%016x\t%s\t%d\t%s\t%s\t%s\t%d plies\t%s ...\n", g.Game, board.GameResult(g.Result), len(g.Moves), g.Termination,
			g.White, g.Black, g.OpeningPlies, strings.Join(sans, " "))
	})
}

func headPositions(w io.Writer, path string, n int, fens bool) error {
	r, err := dataset.OpenPositions(path, dataset.Partial())
	if err != nil {
		return err
	}
	if !fens {
		fmt.Fprintln(w, "GAME\tPLY\tSCORE\tRESULT\tWEIGHT\tPOSITION")
	}
	return firstRows(r, n, func(p *dataset.PositionRow) {
		if fens {
			fmt.Fprintf(w, "%s [%g]\n", p.Board.FEN(), p.Result)
			return
		}
		fmt.Fprintf(w, "%016x\t%d\t%s\t%g\t%g\t%s\n", p.Game, p.Ply, scoreText(p.Score), p.Result, p.Weight, p.Board.FEN())
	})
}

func headFeatures(w io.Writer, path string, n int) error {
	r, set, err := dataset.OpenFeatures(path, dataset.Partial())
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "GAME\tRESULT\tSCORE\tEVAL\tPHASE\tSCALE\tOFFSET\tTERMS")
	return firstRows(r, n, func(f *dataset.FeatureRow) {
		terms := []string{}
		for i, t := range f.Terms {
			terms = append(terms, fmt.Sprintf("%s %+g", set.Terms[t].Name, f.Counts[i]))
		}
		fmt.Fprintf(w, "%016x\t%g\t%s\t%s\t%.3g\t%g\t%g\t%s\n", f.Game, f.Result, scoreText(f.Score), scoreText(f.Eval),
			f.Phase, f.Scale, f.Offset, strings.Join(terms, ", "))
	})
}
