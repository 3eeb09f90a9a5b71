package doc

import (
	"fmt"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/match"
)

// Match describes a match, which is kept in the folder dir unless that is empty.
func Match(r *match.Result, dir string) *Document {
	d := New(r.Headline())
	d.Done, d.Warnings, d.WDL = r.Games, r.Warnings, fmt.Sprintf("%d–%d–%d", r.Wins, r.Draws, r.Losses)
	var facts ui.Table
	for i, nps := range r.NodesPerSecond() {
		speed, name, id := "", [2]string{r.A, r.B}[i], [2]string{r.IDA, r.IDB}[i]
		if nps > 0 {
			speed = fmt.Sprintf(", %.0f nodes/s", nps)
		}
		facts.Add("%c\t%s%s", 'A'+i, name, speed)
		if id != name && id != "" {
			facts.Add("\t%s", id)
		}
	}
	p := r.Pentanomial
	facts.Add("games\t%d: +%d =%d -%d for A, score %.2f %%", r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score)
	facts.Add("pairs\t%d: LL %d, LD %d, even %d, WD %d, WW %d", p.Samples(), p[0], p[1], p[2], p[3], p[4])
	if r.Verdict != match.NoVerdict {
		facts.Add("Elo\t%s", r.Strength.Text(""))
		if r.LLR != nil && r.Lower != nil && r.Upper != nil {
			d.LLR = fmt.Sprintf("%.2f (%.2f, %.2f)", *r.LLR, *r.Lower, *r.Upper)
			facts.Add("LLR\t%.2f, bounds %.2f and %.2f%s", *r.LLR, *r.Lower, *r.Upper, testText(r))
		}
	}
	if r.Nodes != [2]uint64{} && r.Plies > 0 {
		n := r.NodesAPly()
		facts.Add("searches\t%.0f nodes a ply of A, %.0f of B", n[0], n[1])
	}
	if u := r.Unscored; u != [2]int64{} {
		facts.Add("no score\t%d plies of A, %d of B; adjudication needs scores of both", u[0], u[1])
	}
	if len(r.Terminations) > 0 {
		facts.Add("ended by\t%s", ui.CountsText(r.Terminations))
	}
	if r.Forfeits != [2]int64{} || r.Verdict == match.NoVerdict {
		facts.Add("forfeits\tA %d, B %d (%s)", r.Forfeits[0], r.Forfeits[1],
			ui.FaultsText(dir, r.Forfeits[0]+r.Forfeits[1]))
	}
	if r.VoidPairs > 0 {
		facts.Add("void pairs\t%d, played again", r.VoidPairs)
	}
	if r.Load.Busy() {
		facts.Add("machine\tbusy: %v", r.Load)
	}
	d.Parts = []Part{{Tables: []ui.Table{facts}}}
	if r.Verdict != match.NoVerdict {
		d.Parts = append(d.Parts, measures(r))
	}
	return d
}

func testText(r *match.Result) string {
	if r.Test == nil {
		return ""
	}
	return fmt.Sprintf(", %s Elo %g to %g", r.Test.Model, r.Test.Elo0, r.Test.Elo1)
}

// measures are other measures of strength.
func measures(r *match.Result) Part {
	var t ui.Table
	t.Add("LOS\t%s", ui.PercentOr(r.LOS, 1))
	t.Add("even pairs\t%.1f %%", 100*r.DrawRatio)
	for _, row := range r.Details.Lines() {
		t.Rows = append(t.Rows, row[:])
	}
	return Part{Title: "Other measures of strength", Tables: []ui.Table{t}, More: true}
}
