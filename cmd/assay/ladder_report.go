package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
)

// ladderPlotName is the drawing in a ladder's folder.
const ladderPlotName = "ladder.svg"

// barWidth is how many characters the intervals are drawn in.
const barWidth = 41

func printLadder(out io.Writer, dir, plot string, r *ladder.Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "rank\tElo\t95 %% interval\tgames\tscore\tdraws\tLOS\t\t\n")
	low, high := ladderRange(r)
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
		origin = "Elo is that of " + r.Anchor + ", which has no error"
	}
	fmt.Fprintf(out, "\n%s. LOS: likelihood to be stronger than the next. White is worth %+.1f Elo (%+.1f to %+.1f); equals draw %.0f %%.\n",
		origin, r.WhiteElo, r.WhiteEloLo, r.WhiteEloHi, 100*r.Draws)
	if err := printCrossTable(out, r); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d games, ended by %s\n", r.Games, countsText(r.Terminations))
	for _, x := range r.Ratings {
		if x.Forfeits > 0 {
			fmt.Fprintf(out, "%d games forfeited by %s\n", x.Forfeits, x.Name)
		}
	}
	if dir != "" {
		fmt.Fprintf(out, "written %s, %s\n", filepath.Join(dir, gamelog.PGNName), plot)
	}
	return nil
}

// printCrossTable prints points and games of each against each, by rank.
func printCrossTable(out io.Writer, r *ladder.Result) error {
	const most = 12 // players that fit a line
	if len(r.Ratings) > most {
		_, err := fmt.Fprintf(out, "(--json has what each made against each)\n")
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

// ladderRange returns the Elo between which intervals are drawn.
func ladderRange(r *ladder.Result) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range r.Ratings {
		low, high = min(low, r.Ratings[i].EloLo), max(high, r.Ratings[i].EloHi)
	}
	if !(high > low) {
		low, high = low-1, high+1
	}
	return low, high
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

// writeLadderPlot draws the ratings into a run's folder.
func writeLadderPlot(dir string, r *ladder.Result) (string, error) {
	path := filepath.Join(dir, ladderPlotName)
	return path, durable.WriteFile(path, ladderSVG(r))
}

// ladderSVG draws the ratings with their intervals, and writes them beside.
func ladderSVG(r *ladder.Result) []byte {
	const row, left, width, top, right = 24, 330, 520, 40, 110
	low, high := ladderRange(r)
	x := func(elo float64) float64 { return left + (elo-low)/(high-low)*width }
	height, all := top+row*len(r.Ratings)+30, left+width+right
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		all, height, all, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="10" y="20" font-size="14">Elo with 95 %% intervals, %d games</text>`+"\n", r.Games)
	step := niceStep(high - low)
	for elo := math.Ceil(low/step) * step; elo <= high; elo += step {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#666">%g</text>`+"\n",
			x(elo), x(elo), top-8, height-22, x(elo), height-8, elo)
	}
	for i := range r.Ratings {
		p := &r.Ratings[i]
		y := top + row*i + row/2
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><text x="%d" y="%d" text-anchor="end">%+.0f ± %.0f</text>`+"\n",
			left-12, y+4, html.EscapeString(shortName(p.Name)), all-10, y+4, p.Elo, (p.EloHi-p.EloLo)/2)
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#36c" stroke-width="3"/><circle cx="%.1f" cy="%d" r="5" fill="#36c"><title>%s: %.1f (%.1f to %.1f)</title></circle>`+"\n",
			x(p.EloLo), x(p.EloHi), y, y, x(p.Elo), y, html.EscapeString(p.Name), p.Elo, p.EloLo, p.EloHi)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// shortName is a name that fits beside a plot.
func shortName(name string) string {
	const most = 48
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most-1]) + "…"
}

// niceStep is a round number of which some six make the span.
func niceStep(span float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(span/6)))
	for _, times := range []float64{1, 2, 5, 10} {
		if span/(step*times) <= 8 {
			return step * times
		}
	}
	return step * 10
}
