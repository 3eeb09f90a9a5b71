package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
)

// barWidth is the width of the drawn intervals, in characters.
const barWidth = 41

func printLadder(out io.Writer, dir, plot string, r *ladder.Result) error {
	if r.Verdict == gamelog.NoVerdict {
		return printUnrated(out, dir, r)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "rank\tElo\t95 %% interval\tgames\tscore\tdraws\tLOS\t\t\n")
	low, high := r.Range()
	for i := range r.Ratings {
		x := &r.Ratings[i]
		los := "-"
		if i+1 < len(r.Ratings) {
			los = fmt.Sprintf("%.1f %%", 100*x.LOS)
		}
		fmt.Fprintf(w, "%d\t%+.1f\t%+.1f to %+.1f\t%d\t%.1f %%\t%.0f %%\t%s\t%s  %s\n", x.Rank, x.Elo, x.EloLo, x.EloHi, x.Games,
			100*x.Percent, 100*float64(x.Draws)/float64(max(x.Games, 1)), los, bar(x, low, high), x.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	origin := "Elo 0 is the mean of all players"
	if r.Anchor != "" {
		origin = "Elo is relative to " + r.Anchor + ", which has no error"
	}
	fmt.Fprintf(out, "\n%s. LOS: probability of being stronger than the next. White's advantage is %+.1f Elo (%+.1f to %+.1f); equal players draw %.0f %%.\n",
		origin, r.WhiteElo, r.WhiteEloLo, r.WhiteEloHi, 100*r.Draws)
	if err := printCrossTable(out, r); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d games, ended by %s\n", r.Games, cli.CountsText(r.Terminations))
	forfeits := int64(0)
	for _, x := range r.Ratings {
		forfeits += x.Forfeits
	}
	for _, x := range r.Ratings {
		if x.Forfeits > 0 {
			fmt.Fprintf(out, "%d games forfeited by %s (%s)\n", x.Forfeits, x.Name, cli.FaultsText(dir, forfeits))
		}
	}
	if r.VoidPairs > 0 {
		fmt.Fprintf(out, "%d void pairs were played again (see the journal)\n", r.VoidPairs)
	}
	cli.PrintWarnings(out, r.Warnings)
	if r.Load.Busy() {
		fmt.Fprintf(out, "machine busy: %v\n", r.Load)
	}
	if dir != "" {
		fmt.Fprintf(out, "written %s, %s\n", filepath.Join(dir, gamelog.PGNName), plot)
	}
	return nil
}

// printUnrated prints a ladder without a verdict.
func printUnrated(out io.Writer, dir string, r *ladder.Result) error {
	fmt.Fprintf(out, "no ratings: %s\n\n", r.Reason)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "games\tforfeits\t\n")
	forfeits := int64(0)
	for _, x := range r.Unrated {
		forfeits += x.Forfeits
		fmt.Fprintf(w, "%d\t%d\t  %s\n", x.Games, x.Forfeits, x.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d games, ended by %s; %d void pairs (forfeits: %s)\n", r.Games, cli.CountsText(r.Terminations), r.VoidPairs, cli.FaultsText(dir, forfeits))
	if dir != "" {
		fmt.Fprintf(out, "written %s\n", filepath.Join(dir, gamelog.PGNName))
	}
	return nil
}

// printCrossTable prints points and games of all pairings, by rank.
func printCrossTable(out io.Writer, r *ladder.Result) error {
	const most = 12 // players that fit a line
	if len(r.Ratings) > most {
		_, err := fmt.Fprintf(out, "(--json has the scores of all pairings)\n")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\n\t")
	for i := range r.Ratings {
		fmt.Fprintf(w, "%d\t", i+1)
	}
	fmt.Fprintln(w)
	for i := range r.Ratings {
		fmt.Fprintf(w, "%d\t", i+1)
		for j := range r.Ratings {
			s := r.Scores[i][j]
			switch {
			case i == j:
				fmt.Fprint(w, "\t")
			case s.Games() == 0:
				fmt.Fprint(w, "-\t")
			default:
				fmt.Fprintf(w, "%g/%d\t", s.Points(), s.Games())
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// bar draws an interval in characters.
func bar(x *ladder.Rating, low, high float64) string {
	at := func(elo float64) int { return int(math.Round((elo - low) / (high - low) * (barWidth - 1))) }
	line := []rune(strings.Repeat(" ", barWidth))
	for i := at(x.EloLo); i <= at(x.EloHi); i++ {
		line[i] = '-'
	}
	line[at(x.Elo)] = 'o'
	return "|" + string(line) + "|"
}
