package doc

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// noEffect is the p-value from which no effect of a parameter was seen.
const noEffect = 0.05

// SPSA describes a tuning by games of the parameters, which is kept in the folder dir.
func SPSA(r *play.Result, parameters []spsa.Parameter, dir string) *Document {
	if r.Verdict == gamelog.NoVerdict {
		d := New("NO VERDICT: " + r.Reason)
		d.Done = int64(r.Iterations)
		d.Text = []string{fmt.Sprintf("%d iterations, %d games of %s, %d forfeited (%s); %d void pairs", r.Iterations, r.Games,
			r.Player, r.Forfeits, ui.FaultsText(dir, r.Forfeits), r.VoidPairs)}
		return d
	}
	d := New("NOT VALIDATED: no match of the answer against the start was asked for")
	if v := r.Validation; v != nil {
		d = New(fmt.Sprintf("%s: the answer against the start, %d games, %s: Elo %s", validated(v), v.Games, r.Limits,
			v.Strength.Text("")))
		d.WDL = Match(v, dir).WDL
	}
	d.Done, d.Warnings = int64(r.Iterations), r.Warnings
	answers := ui.Table{Head: []string{"parameter", ">start", ">answer", ">±", ">optimum, 95 %"}}
	regression := ui.Table{Head: []string{"parameter", ">start", ">by regression", ">±", ">Elo per c_end", ">±"}}
	var chance []string
	for i := range r.Parameters {
		e := &r.Parameters[i]
		p := &spsa.Parameter{}
		if i < len(parameters) {
			p = &parameters[i]
		}
		interval, se := tooFew, tooFew
		if e.OptimumLo != nil {
			interval = orTooFew(e.OptimumLo) + " to " + orTooFew(e.OptimumHi)
		}
		if e.BatchSE > 0 {
			se = fmt.Sprintf("%.3g", e.BatchSE)
		}
		if e.EffectP != nil && *e.EffectP >= noEffect {
			chance = append(chance, e.Name)
		}
		start := play.Text(p, e.Start)
		answers.Add("%s\t%s\t%s\t%s\t%s", e.Name, start, play.Text(p, e.Value), se, interval)
		regression.Add("%s\t%s\t%s\t%s\t%s\t%s", e.Name, start, orTooFew(e.Optimum), orTooFew(e.OptimumSE), orTooFew(e.Slope),
			orTooFew(e.SlopeSE))
	}
	notes := []string{fmt.Sprintf("%d iterations, %d games (%.0f %% drawn) of %s, %s", r.Iterations, r.Games,
		100*float64(r.Draws)/float64(max(r.Games, 1)), r.Player, r.Limits),
		"answers are averages over the last third, their errors (±) from batches; the optimum is by a regression on all results"}
	if len(chance) > 0 {
		notes = append(notes, fmt.Sprintf("no effect seen (p >= %.2f) of: %s. More games may see one; each of these values "+
			"may be chance", noEffect, strings.Join(chance, ", ")))
	}
	if r.Forfeits > 0 {
		notes = append(notes, fmt.Sprintf("%d games were forfeited and count as lost (%s)", r.Forfeits,
			ui.FaultsText(dir, r.Forfeits)))
	}
	if r.Load.Busy() {
		notes = append(notes, fmt.Sprintf("machine busy: %v", r.Load))
	}
	d.Parts = []Part{{Tables: []ui.Table{answers}, Notes: notes},
		{Title: "The regression", Tables: []ui.Table{regression}, More: true}}
	return d
}

func validated(v *match.Result) string {
	switch v.Verdict {
	case match.Stronger:
		return "BETTER"
	case match.Weaker:
		return "WORSE"
	}
	return "UNDECIDED"
}

// tooFew stands for a number that the results are too few for.
const tooFew = "too few"

func orTooFew(x *float64) string {
	if x == nil {
		return tooFew
	}
	return fmt.Sprintf("%.4g", *x)
}
