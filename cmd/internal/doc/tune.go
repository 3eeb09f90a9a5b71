package doc

import (
	"cmp"
	"fmt"
	"time"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// Tune describes a fit: the verdict with what follows from it, how good the fit is, which groups of terms are worth
// tuning. How long it took may be 0.
func Tune(r *tuner.Report, took time.Duration) *Document {
	d := New("Verdict: " + r.Headline() + ".")
	d.Done, d.Warnings = int64(r.Steps), r.Warnings
	if c := r.Caveat(); c != "" {
		d.Text = append(d.Text, c+".")
	}
	if r.Match != "" {
		d.Text = append(d.Text, "A fit predicts results, games decide:", r.Match)
	}
	d.Parts = []Part{{Tables: []ui.Table{fit(r, took)}}, groups(&r.Result), ablations(r),
		calibration(&r.Calibration)}
	return d
}

func fit(r *tuner.Report, took time.Duration) (t ui.Table) {
	t.Add("data\t%d positions of %d games, split %s", r.Rows, r.Games, r.Split)
	if r.Unscored > 0 {
		t.Add("\t%d of %d positions (%s) have no score: their target is the result alone, as with --lambda 1",
			r.Unscored, r.Rows, ui.Share(int64(r.Unscored), int64(r.Rows)))
	}
	seconds, converged := "", ""
	if took > 0 {
		seconds = fmt.Sprintf(", %.1f s", took.Seconds())
	}
	if !r.Converged {
		converged = ", not converged"
	}
	t.Add("fit\t%s: %d steps%s, %.1g above the smallest mean loss%s", r.Method, r.Steps, converged, r.Gap, seconds)
	t.Add("loss\ttraining %.6f -> %.6f, validation %s -> %s; rounding to integers costs %.1e", r.Start.Train,
		r.Rounded.Train, Loss(r.Start.Valid), Loss(r.Rounded.Valid), r.Rounded.Train-r.Fit.Train)
	scores := ""
	if r.KScore != 0 {
		scores = fmt.Sprintf("; scores %.6f", r.KScore)
	}
	t.Add("K\t%.6f per %s under the start weights, %.6f under the new ones%s", r.K, (&models.File{Unit: r.Unit}).UnitName(),
		r.FileK, scores)
	if l := r.Local; l != nil {
		t.Add("slopes\tpredict a change of the evaluation by %.1f centipawns (RMS); %s moves most, by %.1f of effect",
			l.Predicted, l.Term, l.Largest)
	}
	if r.Scale != nil {
		t.Add("scale\t%s", fmt.Sprint(r.Scale))
	}
	if r.Unit != 0 {
		t.Add("unit\tweights and their errors are in engine units, %g a pawn; widths of priors are in centipawns", r.Unit)
	}
	factor := ""
	if r.PriorFactor != 0 && r.PriorFactor != 1 {
		factor = fmt.Sprintf("; priors of %.3g times the default width", r.PriorFactor)
	}
	t.Add("parameters\t%d, %.1f effective%s", r.Parameters, r.Effective, factor)
	if r.Clustering != 0 {
		t.Add("D\t%.2f (rows of a game depend on each other: %.2f; spread of a single row: %.2f)", r.Design, r.Clustering,
			r.Dispersion)
	}
	if c := r.EGSigns; c != nil {
		t.Add("endgame\t%d of %d rows (%.2g %%) change the sign of their endgame half, and with it the side whose eg_scale "+
			"holds", c.Changed, c.Rows, 100*float64(c.Changed)/float64(max(1, c.Rows)))
	}
	t.Add("weights\tid %s, from %s", r.ID, cmp.Or(r.Parent, "none"))
	return t
}

// groups says which groups of terms are worth tuning.
func groups(r *tuner.Result) Part {
	t := ui.Table{Head: []string{"group", ">parameters", ">effective", ">gain", ">net gain"}}
	for _, g := range r.Groups {
		t.Add("%s\t%d\t%.1f\t%.6f\t%+.6f", g.Name, g.Parameters, g.Effective, g.Gain, g.Net)
	}
	return Part{Title: "Groups", Tables: []ui.Table{t}, Notes: []string{
		"gain: by how much the mean training loss would be larger had the group kept its\n" +
			"start weights and the rest been tuned without it; net: what of it to expect on\nother games."}}
}

// ablations says what groups or terms are worth.
func ablations(r *tuner.Report) Part {
	t := ui.Table{Head: []string{"without", ">terms", ">loss", ">95 % interval", ">share", "verdict"}}
	counts := map[string]int{}
	for _, a := range r.Ablations {
		counts[a.Verdict()]++
		t.Add("%s\t%d\t%+.6f\t[%+.6f, %+.6f]\t%.2f %%\t%s", a.Name, a.Terms, a.Rise, a.Interval[0], a.Interval[1], 100*a.Share,
			a.Verdict())
	}
	return Part{Title: "What each part is worth", Tables: []ui.Table{t}, Notes: []string{fmt.Sprintf(
		"loss: by how much it rises on unseen games if those terms are 0 and all others fitted again; share: of what\n"+
			"the evaluation knows beyond a constant. %d help, %d are not shown to, %d harm.\n"+
			"Whether their cost in speed is worth it, only games decide.", counts[tuner.Helps], counts[tuner.NotShown],
		counts[tuner.Harms])}}
}

// calibration compares predictions with results.
func calibration(c *tuner.Calibration) Part {
	if c.Rows == 0 {
		return Part{}
	}
	side := "the positions trained on"
	if c.HeldOut {
		side = "held-out positions"
	}
	t := ui.Table{Head: []string{"", ">positions", ">predicted", ">actual", ">loss", "fitted"},
		Caption: fmt.Sprintf("Calibration on %d %s; loss under the start weights and under the fit.", c.Rows, side)}
	rows := func(name string, bins []tuner.CalibrationBin) {
		for _, x := range bins {
			if x.Rows > 0 {
				t.Add("%s\t%d\t%.3f\t%.3f +- %.3f\t%.4f\t%.4f", fmt.Sprintf(name, x.Lo, x.Hi), x.Rows, x.Predicted, x.Actual,
					x.SE, x.Start, x.Loss)
			}
		}
	}
	rows("%.1f to %.1f", c.ByScore)
	rows("phase %.0f-%.0f", c.ByPhase)
	return Part{Title: "Calibration", Tables: []ui.Table{t}}
}
