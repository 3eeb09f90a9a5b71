package app

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
)

// printLearned prints the result of a run: the largest changes, the gain, the report;
// with all every coefficient, generation and file too.
func printLearned(out io.Writer, r *learn.Result, dir, page string, all bool) error {
	if err := ui.PrintChanges(out, r.Terms); err != nil {
		return err
	}
	for _, h := range r.Held {
		fmt.Fprintf(out, "Held at its start weight: %s; %s.\n", h.Name, h.Why)
	}
	if all {
		if g := learnedBy(r); g != nil && g.Fit.SPSA != nil {
			printTermsByGames(out, r.Terms)
		} else {
			printTerms(out, r.Terms)
		}
		printGenerations(out, r)
	}
	if r.Learned.ID != r.Champion.ID {
		fmt.Fprintf(out, "\nNo generation was promoted: these are the weights %s of the last fit; the champion has those "+
			"it began with.\n", r.Learned.ID)
	}
	printFinal(out, r, all)
	if all {
		printWritten(out, r, dir)
	}
	fmt.Fprintln(out)
	if r.Champion.Generation > 0 {
		fmt.Fprintf(out, "weights  %s\n", filepath.Join(dir, filepath.FromSlash(r.Champion.File)))
	}
	if page != "" {
		fmt.Fprintf(out, "report   %s\n", page)
	}
	return nil
}

// printGenerations prints what each generation did.
func printGenerations(out io.Writer, r *learn.Result) {
	for _, g := range r.Generations {
		gate := fmt.Sprintf("gate %s (%d games, Elo %s): %s", g.Gate.Outcome(), g.Gate.Games, g.Gate.Strength.Text(""),
			g.Reason)
		if s := g.Fit.SPSA; s != nil {
			fmt.Fprintf(out, "Generation %d: %d games between perturbed weights, %d parameters; %s\n", g.Number, s.Games,
				len(s.Parameters), gate)
		} else {
			fmt.Fprintf(out, "Generation %d: %d games (of %d adjudicated and played on, %d drawn after all, %d reversed), %d "+
				"positions, validation loss %s -> %s; %s\n",
				g.Number, g.Games.Games, g.Games.PlayedOn, g.Games.Disagreed-g.Games.Reversed, g.Games.Reversed, g.Positions.Kept,
				lossOrNone(g.Fit.Start.Valid), lossOrNone(g.Fit.Rounded.Valid), gate)
		}
		for _, w := range g.Warnings {
			fmt.Fprintf(out, "  note: %s\n", w)
		}
	}
}

// learnedBy returns the generation that made the weights that are shown; nil if none did.
func learnedBy(r *learn.Result) *learn.GenerationResult {
	for i := range r.Generations {
		if r.Generations[i].Number == r.Learned.Generation {
			return &r.Generations[i]
		}
	}
	return nil
}

// printFinal prints the matches that measure the gain.
func printFinal(out io.Writer, r *learn.Result, all bool) {
	fmt.Fprintf(out, "\nThe gain, in matches of fixed length at %d nodes a move:\n", r.Plan.Final.Nodes)
	printMeasured(out, r.Final, all)
	switch {
	case r.FromStart == nil:
		fmt.Fprintln(out, "Nothing was learned that passed a gate: the champion has the weights it began with.")
	case r.Opponent.ID == r.Start.ID:
		fmt.Fprintln(out, "The opponent has the weights that the run began with: this is what was learned.")
	default:
		printMeasured(out, r.FromStart, all)
	}
}

// printMeasured prints the result of a match of fixed length.
func printMeasured(out io.Writer, m *match.Result, all bool) {
	nodes := ""
	if n := m.NodesAPly(); n != [2]float64{} {
		nodes = fmt.Sprintf(", %.0f and %.0f nodes a ply", n[0], n[1])
	}
	fmt.Fprintf(out, "  %s against %s: Elo %s, %d games%s\n", m.A, m.B, m.Strength.Text(""), m.Games, nodes)
	if !all {
		return
	}
	fmt.Fprintf(out, "    +%d =%d -%d, LOS %s, pairs by score 0, 1/2, 1, 3/2, 2: %v\n", m.Wins, m.Draws, m.Losses,
		ui.PercentOr(m.LOS, 1), m.Pentanomial)
	for _, row := range m.Details.Lines() {
		fmt.Fprintf(out, "    %s %s\n", row[0], row[1])
	}
	if nps := m.NodesPerSecond(); nps[0] > 0 && nps[1] > 0 {
		fmt.Fprintf(out, "    %.2f M nodes/s, the opponent %.2f M\n", nps[0]/1e6, nps[1]/1e6)
	}
}

// printWritten lists what the run left.
func printWritten(out io.Writer, r *learn.Result, dir string) {
	fmt.Fprintln(out, "\nWritten:")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what string, path ...string) { quote.Fprintf(w, "  %s\t%s\n", what, filepath.Join(path...)) }
	if r.Champion.Generation > 0 {
		line("champion", dir, filepath.FromSlash(r.Champion.File))
	}
	for _, g := range r.Generations {
		folder := filepath.Join(dir, fmt.Sprintf("gen-%d", g.Number))
		parts := []string{"games", "positions", "weights.json", "gate"}
		if g.Fit.SPSA != nil {
			parts = []string{"spsa", "weights.json", "gate"}
		}
		for _, part := range parts {
			line(fmt.Sprintf("generation %d", g.Number), folder, part)
		}
	}
	last := filepath.Join(dir, fmt.Sprintf("gen-%d", len(r.Generations)))
	line("final match", last, "final", "games.pgn")
	if r.FromStart != nil && r.Opponent.ID != r.Start.ID {
		line("match from start", last, "from-start", "games.pgn")
	}
	line("result", dir, durable.RunResultName)
	w.Flush()
}

func lossOrNone(v num.Float) string {
	if !v.Known() {
		return "-"
	}
	return fmt.Sprintf("%.5f", v)
}

// printTerms prints every coefficient before and after.
func printTerms(out io.Writer, terms []tuner.TermFit) {
	fmt.Fprintf(out, "\nAll %d terms, start and learned, in centipawns; a star marks a change\nof more than two "+
		"standard errors where at least 30 effective games and the data rather than the prior speak\n", len(terms))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TERM\tMG\t-> NEW\t± SE\tEG\t-> NEW\t± SE\tPOSITIONS\t")
	for _, t := range terms {
		star := ""
		if t.Moved() {
			star = "*"
		}
		quote.Fprintf(w, "%s\t%.0f\t%d\t%s\t%.0f\t%d\t%s\t%d\t%s\n", t.Name, t.StartMG, t.MG, ui.ErrorText(t.SEMG, 1),
			t.StartEG, t.EG, ui.ErrorText(t.SEEG, 1), t.Count, star)
	}
	w.Flush()
	fmt.Fprintln(out)
}

// printTermsByGames prints every coefficient before and after a tuning by games.
func printTermsByGames(out io.Writer, terms []tuner.TermFit) {
	fmt.Fprintf(out, "\nAll %d terms, start and learned by games, in centipawns; the 95 %% interval is that of "+
		"the\noptimum by a regression on all results, - where it says nothing\n", len(terms))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TERM\tGROUP\tMG\t-> NEW\t95 % INTERVAL\tEG\t-> NEW\t95 % INTERVAL\t")
	interval := func(i tuner.Interval) string {
		if i == (tuner.Interval{}) {
			return "-"
		}
		return fmt.Sprintf("%.0f to %.0f", i[0], i[1])
	}
	for _, t := range terms {
		quote.Fprintf(w, "%s\t%s\t%.0f\t%d\t%s\t%.0f\t%d\t%s\t\n", t.Name, t.Group, t.StartMG, t.MG, interval(t.IntervalMG),
			t.StartEG, t.EG, interval(t.IntervalEG))
	}
	w.Flush()
	fmt.Fprintln(out)
}
