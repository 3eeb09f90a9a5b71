package tune

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/stats"
)

// page is the report of a fit for people.
type page struct{ strings.Builder }

func (b *page) print(format string, args ...any) { fmt.Fprintf(b, format, args...) }

// tuneText returns the warnings about the data, if there are any, the verdict, how good
// the fit is, then the largest changes, or all terms.
func tuneText(r *tuner.Report, dataWarnings []string, file *models.File, took time.Duration, all bool) string {
	var b page
	for _, w := range dataWarnings {
		b.print("warning: %s\n\n", w)
	}
	b.verdict(r)
	b.summary(r, file, took)
	b.groups(&r.Result)
	b.ablations(r, file.Model)
	b.calibration(&r.Calibration)
	if all {
		b.terms(&r.Result, file)
		b.collinear(r.Collinear)
	} else {
		_ = ui.PrintChanges(&b, r.Terms) // a strings.Builder cannot fail
	}
	end := "\n"
	for _, w := range r.Warnings {
		if !slices.Contains(dataWarnings, w) {
			b.print("\nwarning: %s", w)
			end = "\n\n"
		}
	}
	from := ""
	if r.Parent != "" {
		from = ", from " + r.Parent
	}
	b.print("%swrote %s (id %s%s)\n", end, r.Out, r.ID, from)
	return b.String()
}

// verdict is the headline of a fit with what follows from it.
func (b *page) verdict(r *tuner.Report) {
	b.print("Verdict: %s.\n", r.Headline())
	if r.Bend != nil && r.Bend.Against != nil {
		b.print("The formula is %s.\n", r.Bend.Comparison())
	}
	if c := r.Caveat(); c != "" {
		b.print("%s.\n", c)
	}
	b.print("A fit predicts results, games decide:\n%s\n\n", r.Match)
}

func (b *page) summary(r *tuner.Report, file *models.File, took time.Duration) {
	line := func(name, format string, args ...any) { b.print("%-11s %s\n", name, fmt.Sprintf(format, args...)) }
	line("data", "%d positions of %d games, split %s", r.Rows, r.Games, r.Split)
	if text := r.Skipped.Text(int64(r.Rows) + r.Skipped.Total()); text != "" {
		line("", "%s", text)
	}
	if r.Unscored > 0 {
		line("", "%d of %d positions (%s) have no score: their target is the result alone, as with --lambda 1",
			r.Unscored, r.Rows, ui.Share(int64(r.Unscored), int64(r.Rows)))
	}
	line("fit", "%s: %d steps, %.1g above the smallest mean loss, %.1f s", r.Method, r.Steps, r.Gap, took.Seconds())
	line("loss", "training %.6f -> %.6f, validation %s -> %s; rounding to integers costs %.1e",
		r.Start.Train, r.Rounded.Train,
		lossText(r.Start.Valid), lossText(r.Rounded.Valid), r.Rounded.Train-r.Fit.Train)
	scores := ""
	if r.KScore != 0 {
		scores = fmt.Sprintf("; scores %.6f", r.KScore)
	}
	line("K", "%.6f per %s under the start weights, %.6f under the new ones%s", r.K, file.UnitName(), r.FileK, scores)
	if r.Scale != nil {
		line("scale", "%v", r.Scale)
	}
	if r.Unit != 0 {
		line("unit", "weights and their errors are in engine units, %g a pawn; widths of priors are in centipawns",
			r.Unit)
	}
	factor := ""
	if r.PriorFactor != 0 && r.PriorFactor != 1 {
		factor = fmt.Sprintf("; priors of %.3g times the default width", r.PriorFactor)
	}
	line("parameters", "%d; the data determine %.1f, the prior holds the rest%s",
		r.Parameters, r.Effective, factor)
	if r.Clustering != 0 {
		line("D", "%.2f (rows of a game depend on each other: %.2f; spread of a single row: %.2f)",
			r.Design, r.Clustering, r.Dispersion)
	}
	if c := r.EGSigns; c != nil {
		line("endgame", "%d of %d rows (%.2g %%) change the sign of their endgame half, and with it the side whose "+
			"eg_scale holds",
			c.Changed, c.Rows, 100*float64(c.Changed)/float64(max(1, c.Rows)))
	}
}

// known formats a number, or returns other if it is not known.
func known(format string, v, shown num.Float, other string) string {
	if !v.Known() {
		return other
	}
	return fmt.Sprintf(format, shown)
}

func lossText(v num.Float) string { return known("%.6f", v, v, "none") }

// terms shows old and new weights with their standard errors by group; piece-square tables as boards.
func (b *page) terms(r *tuner.Result, file *models.File) {
	boards, shown := weights.SquareBoards(file.Terms)
	group := ""
	b.print("\n%-25s %4s    %-13s %4s    %-13s %4s %4s\n", "term", "mg", "fitted", "eg", "fitted", "data", "games")
	for i := range r.Terms {
		x := &r.Terms[i]
		if shown[i] {
			continue
		}
		if x.Group != group {
			group = x.Group
			b.print("%s\n", group)
		}
		startEG, arrow, eg := fmt.Sprintf("%.0f", x.StartEG), "->", withKnownError(x.EG, x.SEEG)
		if !x.Tapered {
			startEG, arrow, eg = "", "", ""
		}
		b.print("%-25s %4.0f -> %-13s %4s %2s %-13s %4s %4.0f%s\n", x.Name, x.StartMG, withKnownError(x.MG, x.SEMG),
			startEG, arrow, eg, known("%.0f%%", x.DataShare, 100*x.DataShare, "-"), x.EffectiveGames, mark(x))
	}
	b.WriteString(boards)
	b.WriteString(`
data: the share of the term that the data determined; the prior holds the rest,
and then a small error says nothing of the truth.
games: effective number of games that inform the term; ? fewer than 30, the
error is too small; = frozen; - never seen. --json also has the priors, and the entries of tables, which carry
part of the material, as differences from their mean.
`)
}

// withKnownError is weights.WithError, with a dash for an error that is not known.
func withKnownError(w int32, se num.Float) string {
	if !se.Known() {
		return fmt.Sprintf("%d +- %s", w, ui.ErrorText(se, 1))
	}
	return weights.WithError(w, float64(se))
}

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

// groups says which groups of terms are worth tuning.
func (b *page) groups(r *tuner.Result) {
	if len(r.Groups) == 0 {
		return
	}
	b.print("\n%-14s %10s %10s %12s %12s\n", "group", "parameters", "effective", "gain", "net gain")
	for _, g := range r.Groups {
		b.print("  %-12s %10d %10.1f %12.6f %+12.6f\n", g.Name, g.Parameters, g.Effective, g.Gain, g.Net)
	}
	b.print("gain: by how much the mean training loss would be larger had the group kept its\n" +
		"start weights and the rest been tuned without it; net: what of it to expect on\nother games.\n")
}

// ablations says what groups or terms are worth.
func (b *page) ablations(r *tuner.Report, model string) {
	if len(r.Ablations) == 0 {
		return
	}
	wide := len("without")
	for _, a := range r.Ablations {
		wide = max(wide, len(a.Name))
	}
	b.print("\n%-*s %6s %10s  %-24s %8s\n", wide, "without", "terms", "loss", "95 % interval", "share")
	counts := map[string]int{}
	for _, a := range r.Ablations {
		counts[a.Verdict()]++
		b.print("%-*s %6d %+10.6f  [%+.6f, %+.6f]   %6.2f %%  %s\n", wide, a.Name, a.Terms, a.Rise, a.Interval[0],
			a.Interval[1], 100*a.Share, a.Verdict())
	}
	b.print("loss: by how much it rises on unseen games if those terms are 0 and all others fitted again; share: of "+
		"what\nthe evaluation knows beyond a constant. %d help, %d are not shown to, %d harm.\n"+
		"Whether their cost in speed is worth it, only games decide.\n", counts[tuner.Helps], counts[tuner.NotShown],
		counts[tuner.Harms])
	if r.Without(0) == nil {
		return
	}
	file := filepath.ToSlash(withoutPath(filepath.Dir(r.Out), "GROUP"))
	if _, err := eval.Lookup(model); err == nil {
		b.print("Games:     assay match assay:weights=%s assay:weights=%s --nodes 5000 --games 2000\n", r.Out, file)
	} else {
		b.print("Games: let the engine with the weights of %s play that with those of %s.\n", r.Out, file)
	}
}

// calibration compares predictions with results.
func (b *page) calibration(c *stats.Calibration) {
	if c.Rows == 0 {
		return
	}
	side := "the positions trained on"
	if c.HeldOut {
		side = "held-out positions"
	}
	b.print("\nCalibration on %d %s; loss under the start weights and under the fit.\n", c.Rows, side)
	b.print("  %-12s %9s %10s %10s    %5s %11s    %s\n", "", "positions", "predicted", "actual", "", "loss", "")
	rows := func(name string, bins []stats.Bin) {
		for _, x := range bins {
			if x.Rows > 0 {
				b.print("  %-12s %9d %10.3f %10.3f +- %.3f %11.4f -> %.4f\n", fmt.Sprintf(name, x.Lo, x.Hi),
					x.Rows, x.Predicted, x.Actual, x.SE, x.Start, x.Loss)
			}
		}
	}
	rows("%.1f to %.1f", c.ByScore)
	rows("phase %.0f-%.0f", c.ByPhase)
}

// collinear names coefficients that the data cannot distinguish.
func (b *page) collinear(list []stats.Collinear) {
	if len(list) == 0 {
		return
	}
	b.print("\nCoefficients that the data alone cannot separate from others; the prior does. Freeze\n" +
		"them if it is off, and compare only differences within a table.\n")
	const lines, names = 3, 3
	for _, c := range list[:min(lines, len(list))] {
		share := fmt.Sprintf("but for %.2g %% of its information", 100*c.Unexplained)
		if c.Exact {
			share = "exactly"
		}
		others := c.Others
		if len(others) > names {
			others = append(slices.Clone(others[:names]), "...")
		}
		b.print("  %s is, %s, %s\n", c.Coefficient, share, strings.Join(others, ", "))
	}
	if len(list) > lines {
		b.print("  and %d more; --json lists all\n", len(list)-lines)
	}
}
