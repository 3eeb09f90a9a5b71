package app

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/sprt"
)

func printLadder(out io.Writer, dir, plot string, r *ladder.Result) error {
	if r.Verdict == gamelog.NoVerdict {
		return printUnrated(out, dir, r)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "rank\tElo [95 %%]\tgames\tscore\tdraws\tLOS\t\n")
	for i := range r.Ratings {
		x := &r.Ratings[i]
		los := "-"
		if i+1 < len(r.Ratings) && x.Known() {
			los = fmt.Sprintf("%.1f %%", 100*x.LOS)
		}
		elo := "-" // the reason is below the table
		if x.Known() {
			elo = x.Strength.Text("")
		}
		quote.Fprintf(w, "%d\t%s\t%d\t%.1f %%\t%.0f %%\t%s\t  %s\n", x.Rank, elo, x.Games,
			100*x.Percent, 100*float64(x.Draws)/float64(max(x.Games, 1)), los, x.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if slices.ContainsFunc(r.Ratings, func(x ladder.Rating) bool { return !x.Known() }) {
		fmt.Fprintf(out, "Elo -: fewer than %d games.\n", sprt.MinGames)
	}
	origin := "Elo 0 is the mean of all players"
	if r.Anchor != "" {
		origin = "Elo is relative to " + r.Anchor
		if r.Terminations != nil { // a player of a ladder
			origin += ", which has no error"
		}
	}
	fmt.Fprintf(out, "\n%s. LOS: probability of being stronger than the next. White's advantage: %s; equal players draw "+
		"%.0f %%.\n",
		origin, sprt.Strength{Elo: r.WhiteElo, EloLo: r.WhiteEloLo, EloHi: r.WhiteEloHi}.Text(" Elo"), 100*r.Draws)
	if err := printCrossTable(out, r); err != nil {
		return err
	}
	for _, g := range r.Groups {
		quote.Fprintf(out, "group of players that never met the others, so that ratings cannot be compared: %s\n",
			strings.Join(g, ", "))
	}
	if r.Terminations == nil { // games of a PGN
		return nil
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
		quote.Fprintf(w, "%d\t%d\t  %s\n", x.Games, x.Forfeits, x.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d games, ended by %s; %d void pairs (forfeits: %s)\n", r.Games, cli.CountsText(r.Terminations),
		r.VoidPairs, cli.FaultsText(dir, forfeits))
	if dir != "" {
		fmt.Fprintf(out, "written %s\n", filepath.Join(dir, gamelog.PGNName))
	}
	return nil
}

// printCrossTable prints points and games of all pairings, by rank.
func printCrossTable(out io.Writer, r *ladder.Result) error {
	if len(r.Scores) == 0 {
		return nil // there are too many
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\n\t")
	for i := range r.Ratings {
		quote.Fprintf(w, "%d\t", i+1)
	}
	fmt.Fprintln(w)
	for i := range r.Ratings {
		quote.Fprintf(w, "%d\t", i+1)
		for j := range r.Ratings {
			s := r.Scores[i][j]
			switch {
			case i == j:
				fmt.Fprint(w, "\t")
			case s.Games() == 0:
				fmt.Fprint(w, "-\t")
			default:
				quote.Fprintf(w, "%g/%d\t", s.Points(), s.Games())
			}
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	const most = 80 // columns
	text := table.String()
	for line := range strings.Lines(text) {
		if len(line) > most+1 {
			text = "(--json has the scores of all pairings)\n"
			break
		}
	}
	_, err := io.WriteString(out, text)
	return err
}
