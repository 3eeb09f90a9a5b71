package tune

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/weights"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/stats"
)

// tuneText is the report of a fit for people: the warnings about the data, if there are any,
// the verdict, piece values, how good the fit is, then the largest changes, or all terms.
func tuneText(r *tuner.Report, dataWarnings []string, file *models.File, took time.Duration, all bool) string {
	var b strings.Builder
	for _, w := range dataWarnings {
		fmt.Fprintf(&b, "warning: %s\n\n", w)
	}
	b.WriteString(fitVerdict(&r.Result))
	b.WriteString(pieceTable(&r.Result))
	b.WriteString(fitSummary(r, file, took))
	b.WriteString(groupTable(&r.Result))
	b.WriteString(calibrationTable(&r.Calibration))
	b.WriteString(curveTable(r.Curve))
	if all {
		b.WriteString(termTable(&r.Result, file))
		b.WriteString(collinearList(r.Collinear))
	} else {
		_ = cli.PrintChanges(&b, r.Terms) // a strings.Builder cannot fail
	}
	rest := slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool { return slices.Contains(dataWarnings, w) })
	for _, w := range rest {
		fmt.Fprintf(&b, "\nwarning: %s", w)
	}
	if len(rest) > 0 {
		b.WriteString("\n")
	}
	from := ""
	if r.Parent != "" {
		from = ", from " + r.Parent
	}
	fmt.Fprintf(&b, "\nwrote %s (id %s%s)\n", r.Out, r.ID, from)
	return b.String()
}

// fitVerdict is the headline of a fit with what follows from it.
func fitVerdict(r *tuner.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Verdict: %s.\n", r.Headline())
	if r.Bend != nil && r.Bend.Against != nil {
		fmt.Fprintf(&b, "The formula is %s.\n", r.Bend.Comparison())
	}
	for _, line := range r.Advice() {
		fmt.Fprintf(&b, "%s.\n", line)
	}
	b.WriteString("\n")
	return b.String()
}

// pieceTable shows the five piece values, which a chess player looks for first.
func pieceTable(r *tuner.Result) string {
	if len(r.Pieces) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Average marginal value of a piece: by how many centipawns the evaluation falls\nwhen it is taken off the board, over a sample of the data.\n\n")
	fmt.Fprintf(&b, "%-10s %8s %16s %8s %8s %16s\n", "", "start", "fitted", "mg", "eg", "in pawns")
	for _, p := range r.Pieces {
		fmt.Fprintf(&b, "%-10s %8.0f %16s %8.0f %8.0f %16s\n", p.Piece, p.Start, plusMinus(p.Value, p.SE, 0, 1), p.MG, p.EG, plusMinus(p.Pawns, p.SEPawns, 2, 2))
	}
	b.WriteString("\n")
	return b.String()
}

func plusMinus(v float64, se tuner.Float, digits, errDigits int) string {
	return fmt.Sprintf("%.*f +- %s", digits, v, cli.ErrorText(se, errDigits))
}

func fitSummary(r *tuner.Report, file *models.File, took time.Duration) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("data", "%d positions of %d games, split %s", r.Rows, r.Games, r.Split)
	if text := r.Skipped.Text(int64(r.Rows) + r.Skipped.Total()); text != "" {
		line("", "%s", text)
	}
	if r.Unscored > 0 {
		line("", "%d of %d positions (%s) have no score: their target is the result alone, as with --lambda 1", r.Unscored, r.Rows, cli.Share(int64(r.Unscored), int64(r.Rows)))
	}
	line("fit", "%s: %d steps, %.1g above the smallest mean loss, %.1f s", r.Method, r.Steps, r.Gap, took.Seconds())
	line("loss", "training %.6f -> %.6f, validation %s -> %s; rounding to integers costs %.1e", r.Start.Train, r.Rounded.Train, lossText(r.Start.Valid), lossText(r.Rounded.Valid), r.Rounded.Train-r.Fit.Train)
	scale := fmt.Sprintf("%.6f per %s under the start weights, %.6f under the new ones", r.K, file.UnitName(), r.FileK)
	if r.KScore != 0 {
		scale += fmt.Sprintf("; scores %.6f", r.KScore)
	}
	line("K", "%s", scale)
	if r.Scale != nil {
		line("scale", "%v", r.Scale)
	}
	if r.Unit != 0 {
		line("unit", "weights, their errors and their bounds are in engine units, %g a pawn; widths of priors are in centipawns", r.Unit)
	}
	line("parameters", "%d, of which the data determine %.1f (the prior holds the rest)%s", r.Parameters, r.Effective, priorFactor(r.PriorFactor))
	if r.Clustering != 0 {
		line("D", "%.2f (rows of a game depend on each other: %.2f; spread of a single row: %.2f)", r.Design, r.Clustering, r.Dispersion)
	}
	if c := r.EGSigns; c != nil {
		line("endgame", "%d of %d rows (%.2g %%) change the sign of their endgame half, and with it the side whose eg_scale holds", c.Changed, c.Rows, 100*float64(c.Changed)/float64(max(1, c.Rows)))
	}
	if r.Jackknife {
		line("errors", "the jackknife's: %d games or openings are few", r.ClustersTrain)
	}
	return b.String()
}

func priorFactor(factor float64) string {
	if factor == 0 || factor == 1 {
		return ""
	}
	return fmt.Sprintf("; priors of %.3g times the default width", factor)
}

func lossText(v tuner.Float) string {
	if !v.Known() {
		return "none"
	}
	return fmt.Sprintf("%.6f", v)
}

// termTable shows old and new weights with their standard errors by group;
// piece-square tables as boards.
func termTable(r *tuner.Result, file *models.File) string {
	var b strings.Builder
	boards := weights.NewSquareBoards()
	group := ""
	fmt.Fprintf(&b, "\n%-25s %4s    %-13s %4s    %-13s %4s %4s\n", "term", "mg", "fitted", "eg", "fitted", "data", "games")
	for i := range r.Terms {
		x := &r.Terms[i]
		if boards.Take(&file.Terms[i]) {
			continue
		}
		if x.Group != group {
			group = x.Group
			fmt.Fprintf(&b, "%s\n", group)
		}
		eg, arrow := [2]string{number(x.StartEG), withKnownError(x.EG, x.SEEG)}, "->"
		if !x.Tapered {
			eg, arrow = [2]string{}, ""
		}
		fmt.Fprintf(&b, "%-25s %4s -> %-13s %4s %2s %-13s %4s %4.0f%s\n", x.Name, number(x.StartMG), withKnownError(x.MG, x.SEMG), eg[0], arrow, eg[1], percent(x.DataShare), x.EffectiveGames, mark(x))
	}
	b.WriteString(boards.String())
	b.WriteString(termLegend)
	return b.String()
}

// withKnownError is weights.WithError, with a dash for an error that is not known.
func withKnownError(w int32, se tuner.Float) string {
	if !se.Known() {
		return fmt.Sprintf("%d +- %s", w, cli.ErrorText(se, 1))
	}
	return weights.WithError(w, float64(se))
}

func percent(share tuner.Float) string {
	if !share.Known() {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

const termLegend = `
data: the share of the term that the data determined; the prior holds the rest,
and then a small error says nothing of the truth.
games: effective number of games that inform the term; ? fewer than 30, the
error is too small; = frozen; - never seen. --json also has the priors, and the entries of tables, which carry
part of the material, as differences from their mean.
`

func number(v float64) string { return fmt.Sprintf("%.0f", v) }

func mark(x *tuner.TermFit) string {
	switch {
	case x.Frozen:
		return " ="
	case x.Count == 0:
		return " -"
	case x.Few():
		return " ?"
	}
	return ""
}

// groupTable says which groups of terms are worth tuning.
func groupTable(r *tuner.Result) string {
	if len(r.Groups) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-14s %10s %10s %12s %12s\n", "group", "parameters", "effective", "gain", "net gain")
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "  %-12s %10d %10.1f %12.6f %+12.6f\n", g.Name, g.Parameters, g.Effective, g.Gain, g.Net)
	}
	b.WriteString("gain: by how much the mean training loss would be larger had the group kept its\nstart weights and the rest been tuned without it; net: what of it to expect on\nother games.\n")
	return b.String()
}

// calibrationTable compares predictions with results.
func calibrationTable(c *stats.Calibration) string {
	if c.Rows == 0 {
		return ""
	}
	side := "the positions trained on"
	if c.HeldOut {
		side = "held-out positions"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nCalibration on %d %s; loss under the start weights and under the fit.\n", c.Rows, side)
	row := func(name string, x *stats.Bin) {
		if x.Rows > 0 {
			fmt.Fprintf(&b, "  %-12s %9d %10.3f %10.3f +- %.3f %11.4f -> %.4f\n", name, x.Rows, x.Predicted, x.Actual, x.SE, x.Start, x.Loss)
		}
	}
	fmt.Fprintf(&b, "  %-12s %9s %10s %10s    %5s %11s    %s\n", "", "positions", "predicted", "actual", "", "loss", "")
	for i := range c.ByScore {
		x := &c.ByScore[i]
		row(fmt.Sprintf("%.1f to %.1f", x.Lo, x.Hi), x)
	}
	for i := range c.ByPhase {
		x := &c.ByPhase[i]
		row(fmt.Sprintf("phase %.0f-%.0f", x.Lo, x.Hi), x)
	}
	return b.String()
}

// curveTable says whether more games are worth it.
func curveTable(c *tuner.Curve) string {
	if c == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-14s %12s %12s\n", "games", "training", "validation")
	for _, p := range c.Points {
		fmt.Fprintf(&b, "  %-12d %12.6f %12.6f\n", p.Games, p.Train, p.Valid)
	}
	fmt.Fprintf(&b, "Is more data worth it? %s\n", c.Headline())
	return b.String()
}

// collinearList names coefficients that the data cannot distinguish.
func collinearList(list []stats.Collinear) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nCoefficients that the data alone cannot tell from others; the prior does. Freeze\nthem if it is off, and compare only differences within a table.\n")
	const lines, names = 3, 3
	for i, c := range list {
		if i == lines {
			fmt.Fprintf(&b, "  and %d more; --json lists all\n", len(list)-i)
			break
		}
		share := fmt.Sprintf("but for %.2g %% of its information", 100*c.Unexplained)
		if c.Exact {
			share = "exactly"
		}
		others := c.Others
		if len(others) > names {
			others = append(append([]string(nil), others[:names]...), "...")
		}
		fmt.Fprintf(&b, "  %s is, %s, %s\n", c.Coefficient, share, strings.Join(others, ", "))
	}
	return b.String()
}
