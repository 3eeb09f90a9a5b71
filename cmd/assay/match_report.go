package main

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/selfplay/match"
)

// matchReport is what match --json prints.
type matchReport struct {
	Out string `json:"out,omitempty"`
	*match.Result
	NodesASecond [2]float64 `json:"nodes_per_second"` // of A and B, in search
	Load         cores.Load `json:"load,omitzero"`    // of the machine; absent if it was not measured
	Already      bool       `json:"already"`
	Played       int64      `json:"played"` // by this process, including games that do not count
	Seconds      float64    `json:"seconds"`
}

func matchJSON(out string, r *match.Result) matchReport {
	return matchReport{Out: out, Result: r, NodesASecond: r.NodesPerSecond(), Load: r.Load, Already: r.Already, Played: r.Played, Seconds: r.Took.Seconds()}
}

// printMatch prints a result: the headline, what it rests on, and with all other measures of
// strength.
func printMatch(out io.Writer, dir string, r *match.Result, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\n", r.Headline())
	for i, nps := range r.NodesPerSecond() {
		name, id := [2]string{r.A, r.B}[i], [2]string{r.IDA, r.IDB}[i]
		fmt.Fprintf(w, "%c\t%s, %.0f nodes/s\n", 'A'+i, name, nps)
		if id != name {
			fmt.Fprintf(w, "\t%s\n", id)
		}
	}
	fmt.Fprintf(w, "games\t%d: +%d =%d -%d for A, score %.2f %%\n", r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score)
	p := r.Pentanomial
	fmt.Fprintf(w, "pairs\t%d: LL %d, LD %d, even %d, WD %d, WW %d\n", p.Samples(), p[0], p[1], p[2], p[3], p[4])
	if r.Verdict != match.NoVerdict {
		printElo(w, r, all)
	}
	fmt.Fprintf(w, "ended by\t%s\n", cli.CountsText(r.Terminations))
	if r.Forfeits != [2]int64{} || r.Verdict == match.NoVerdict {
		fmt.Fprintf(w, "forfeits\tA %d, B %d (%s)\n", r.Forfeits[0], r.Forfeits[1], cli.FaultsText(dir, r.Forfeits[0]+r.Forfeits[1]))
	}
	if r.VoidPairs > 0 || r.Verdict == match.NoVerdict {
		fmt.Fprintf(w, "void pairs\t%d, played again\n", r.VoidPairs)
	}
	if r.Load.Busy() {
		fmt.Fprintf(w, "machine\tbusy: %v\n", r.Load)
	}
	for _, text := range r.Warnings {
		fmt.Fprintf(w, "warning\t%s\n", text)
	}
	if dir != "" {
		fmt.Fprintf(w, "written\t%s\n", filepath.Join(dir, match.PGNName))
	}
	return w.Flush()
}

// printElo prints what the games say about strength. The headline has the Elo.
func printElo(w io.Writer, r *match.Result, all bool) {
	fmt.Fprintf(w, "Elo\t%s\n", r.Strength.Text(1, ""))
	if r.LLR != nil {
		fmt.Fprintf(w, "LLR\t%.2f, bounds %.2f and %.2f, %s Elo %g to %g\n", *r.LLR, *r.Lower, *r.Upper, r.Test.Model, r.Test.Elo0, r.Test.Elo1)
	}
	if !all {
		return
	}
	fmt.Fprintf(w, "LOS\t%s\n", cli.PercentOr(r.LOS, 1))
	fmt.Fprintf(w, "even pairs\t%.1f %%\n", 100*r.DrawRatio)
	for _, row := range r.Details.Lines(1) {
		fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
	}
}
