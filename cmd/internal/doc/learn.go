package doc

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
)

// Learn describes what a loop of generations learned, in the folder dir: the gain, the largest changes, and beside
// them every coefficient, generation and file.
func Learn(r *learn.Result, dir string) *Document {
	gained, against := r.Final, r.Plan.Opponent
	if r.FromStart != nil {
		gained, against = r.FromStart, "the start weights"
	}
	d := New(fmt.Sprintf("%s at %d nodes a move", gain(gained, against), r.Plan.Final.Nodes))
	d.Done, d.WDL = int64(len(r.Generations)), Match(r.Final, "").WDL
	for _, h := range r.Held {
		d.Text = append(d.Text, fmt.Sprintf("Held at its start weight: %s; %s.", h.Name, h.Why))
	}
	if r.Learned.ID != r.Champion.ID {
		d.Text = append(d.Text, fmt.Sprintf("No generation was promoted: the tables show the last fit, %s.", r.Learned.ID))
	}
	matches := []*match.Result{r.Final}
	switch {
	case r.FromStart == nil:
		d.Text = append(d.Text, "Nothing was learned that passed a gate: the champion has the weights it began with.")
	case r.Opponent.ID != r.Start.ID:
		d.Text = append(d.Text, gain(r.Final, r.Plan.Opponent)+".")
		matches = []*match.Result{r.FromStart, r.Final}
	}
	played := ui.Table{Head: []string{"player", "against", "Elo", ">games", ">nodes a ply"},
		Caption: fmt.Sprintf("Matches of fixed length at %d nodes a move; the learned weights are %s:", r.Plan.Final.Nodes,
			r.FinalPlayer().ID)}
	for _, m := range matches {
		nodes := m.NodesAPly()
		played.Add("%s\t%s\t%s\t%d\t%.0f, %.0f", m.A, m.B, m.Strength.Text(""), m.Games, nodes[0], nodes[1])
	}
	byGames := slices.ContainsFunc(r.Generations, func(g learn.GenerationResult) bool {
		return g.Number == r.Learned.Generation && g.Fit.SPSA != nil
	})
	d.Parts = append([]Part{Changes(r.Terms), Terms(r.Terms, byGames)}, Generations(r.Generations)...)
	d.Parts = append(d.Parts, Part{Tables: []ui.Table{played}})
	for _, m := range matches {
		p := measures(m)
		p.Tables[0].Caption = m.A + " against " + m.B
		d.Parts = append(d.Parts, p)
	}
	return d
}

// gain says how strong the weights are against others, if the games tell.
func gain(m *match.Result, against string) string {
	if !m.Strength.Known() {
		return fmt.Sprintf("too few games for an Elo against %s: %d", against, m.Games)
	}
	return fmt.Sprintf("%s against %s, in %d games", m.Strength.Text(" Elo"), against, m.Games)
}

// Generations describes what each generation did, as far as it got, and what its fit warned of.
func Generations(list []learn.GenerationResult) []Part {
	t := ui.Table{Head: []string{"generation", ">games", ">positions", ">loss before", ">after", "gate: Elo", ">games",
		"decision"}}
	var notes ui.Table
	for i := range list {
		g := &list[i]
		games, rows, before, after, elo, gate := "playing", "", "", "", "", ""
		if s := g.Fit.SPSA; s != nil {
			games, rows = fmt.Sprintf("%d, perturbed", s.Games), fmt.Sprintf("%d parameters", len(s.Parameters))
		} else if g.Games.Games > 0 {
			games = fmt.Sprint(g.Games.Games)
			notes.Add("generation %d\tof its games %d were adjudicated and played on, %d drawn after all, %d reversed", g.Number,
				g.Games.PlayedOn, g.Games.Disagreed-g.Games.Reversed, g.Games.Reversed)
		}
		if fit := g.Fit.Result; fit != nil {
			rows, before, after = fmt.Sprint(fit.Rows), Loss(fit.Start.Valid), Loss(fit.Rounded.Valid)
		}
		if m := g.Gate; m != nil {
			elo, gate = m.Strength.Text(""), fmt.Sprint(m.Games)
		}
		for _, w := range g.Warnings {
			notes.Add("generation %d\t%s", g.Number, w)
		}
		t.Add("%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s", g.Number, games, rows, before, after, elo, gate, g.Reason)
	}
	return []Part{{Title: "Generations", Tables: []ui.Table{t}, More: true},
		{Title: "Notes", Tables: []ui.Table{notes}, More: true}}
}

// Changes describes the coefficients that moved most.
func Changes(terms []tuner.TermFit) Part {
	const most = 20
	list := tuner.LargestChanges(terms, most)
	if len(list) == 0 {
		return Part{}
	}
	t := ui.Table{Head: []string{"", "", ">start", ">new", ">± SE", ">positions", ""},
		Caption: fmt.Sprintf("The %d coefficients that moved most, of %d terms; a star marks a change of more than "+
			"two standard errors:", len(list), len(terms))}
	for _, c := range list {
		t.Add("%s\t%s\t%.0f\t%d\t%s\t%d\t%s", c.Term.Name, c.Half, c.Start, c.Value, ui.Known("%.1f", c.SE), c.Term.Count,
			ui.If(c.Term.Moved(), "*"))
	}
	return Part{Title: "The largest changes", Tables: []ui.Table{t}}
}

// Terms has every coefficient of a fit, or of a tuning by games, before and after.
func Terms(list []tuner.TermFit, byGames bool) Part {
	t := ui.Table{Head: []string{"term", ">mg", ">mg new", ">± SE", ">eg", ">eg new", ">± SE", ">positions", ">data",
		">games", "mark"}}
	caption := ""
	if byGames {
		caption, t.Head[3], t.Head[6] = " by games", ">95 %", ">95 %"
	}
	t.Caption = fmt.Sprintf("All %d terms, start and learned%s:", len(list), caption)
	certain := func(se num.Float, i tuner.Interval) string {
		switch {
		case !byGames:
			return ui.Known("%.1f", se)
		case i == (tuner.Interval{}):
			return "-"
		}
		return fmt.Sprintf("%.0f to %.0f", i[0], i[1])
	}
	for i := range list {
		x := &list[i]
		mark := ui.If(x.Moved(), "*")
		switch {
		case x.Frozen:
			mark = "="
		case x.Few():
			mark = "?"
		}
		t.Add("%s\t%.0f\t%d\t%s\t%.0f\t%d\t%s\t%d\t%s\t%.0f\t%s", x.Name, x.StartMG, x.MG, certain(x.SEMG, x.IntervalMG),
			x.StartEG, x.EG, certain(x.SEEG, x.IntervalEG), x.Count, ui.Known("%.0f %%", 100*x.DataShare), x.EffectiveGames,
			mark)
	}
	return Part{Title: "Every coefficient", Tables: []ui.Table{t}, More: true, Notes: []string{
		"data: the share of the term that the data determined; the prior holds the rest, and then a small error says\n" +
			"nothing of the truth. games: effective number of games that inform the term; ? fewer than 30, the error is too\n" +
			"small; = frozen; * moved by more than two errors. After a tuning by games the interval comes from a regression."}}
}

// Loss formats a loss that may not be known.
func Loss(v num.Float) string {
	if !v.Known() {
		return "none"
	}
	return fmt.Sprintf("%.6f", v)
}

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
	d.Parts = []Part{{Tables: []ui.Table{fit(r, took)}}, groups(&r.Result), ablations(r), calibration(&r.Calibration)}
	return d
}

func fit(r *tuner.Report, took time.Duration) (t ui.Table) {
	t.Add("data\t%d positions of %d games, split %s", r.Rows, r.Games, r.Split)
	if r.Unscored > 0 {
		t.Add("\t%d of %d positions (%s) have no score: their target is the result alone, as with --lambda 1",
			r.Unscored, r.Rows, ui.Share(int64(r.Unscored), int64(r.Rows)))
	}
	t.Add("fit\t%s: %d steps%s, %.1g above the smallest mean loss%s", r.Method, r.Steps,
		ui.If(!r.Converged, ", not converged"), r.Gap, ui.If(took > 0, ", %.1f s", took.Seconds()))
	t.Add("loss\ttraining %.6f -> %.6f, validation %s -> %s; rounding to integers costs %.1e", r.Start.Train,
		r.Rounded.Train, Loss(r.Start.Valid), Loss(r.Rounded.Valid), r.Rounded.Train-r.Fit.Train)
	t.Add("K\t%.6f per %s under the start weights, %.6f under the new ones%s", r.K,
		(&models.File{Unit: r.Unit}).UnitName(), r.FileK, ui.If(r.KScore != 0, "; scores %.6f", r.KScore))
	if l := r.Linearization; l != nil {
		t.Add("slopes\tpredict a change of the evaluation by %.1f centipawns (RMS); %s moves most, by %.1f of effect",
			l.Predicted, l.Term, l.Largest)
	}
	if r.Scale != nil {
		t.Add("scale\t%s", fmt.Sprint(r.Scale))
	}
	if r.Unit != 0 {
		t.Add("unit\tweights and their errors are in engine units, %g a pawn; widths of priors are in centipawns", r.Unit)
	}
	t.Add("parameters\t%d, %.1f effective%s", r.Parameters, r.Effective, ui.If(r.PriorFactor != 0 && r.PriorFactor != 1,
		"; priors of %.3g times the default width", r.PriorFactor))
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
		t.Add("%s\t%d\t%+.6f\t[%+.6f, %+.6f]\t%.2f %%\t%s", a.Name, a.Terms, a.Rise, a.Interval[0],
			a.Interval[1], 100*a.Share,
			a.Verdict())
	}
	return Part{Title: "What each part is worth", Tables: []ui.Table{t}, Notes: []string{fmt.Sprintf(
		"loss: by how much it rises on unseen games if those terms are 0 and all others fitted again; share: of what\n"+
			"the evaluation knows beyond a constant. %d help, %d are not shown to, %d harm.\n"+
			"Whether their cost in speed is worth it, only games decide.", counts[tuner.Helps], counts[tuner.NotShown],
		counts[tuner.Harms])}}
}

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
