package doc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/screen"
)

// flat is the difference, in Elo, from which the logistic is not straight any more.
const flat = 100

// Screen describes the effects of many changes.
func Screen(r *screen.Result) *Document {
	ended := fmt.Sprintf("%d games (%.0f %% drawn) from %d openings, %s, ended by %s", r.Games,
		100*float64(r.Draws)/float64(max(r.Games, 1)), r.Openings, r.Limits, ui.CountsText(r.Terminations))
	if r.Verdict == gamelog.NoVerdict {
		d := New("NO VERDICT: " + r.Reason)
		d.Done, d.Text = r.Games, []string{ended}
		return d
	}
	known := slices.ContainsFunc(r.Effects, func(e screen.Effect) bool { return e.Known() })
	chosen := "no factor; keep the base"
	switch {
	case len(r.Recommended) > 0:
		chosen = strings.Join(r.Recommended, ", ")
	case !known:
		chosen = "nothing, after too few games"
	}
	d := New("recommended: " + chosen)
	d.Done, d.Warnings = r.Games, r.Warnings
	squares := 0.0
	for j := range r.Effects {
		e := &r.Effects[j]
		squares += max(0, math.Pow(e.Elo.OrZero(), 2)-math.Pow(e.SE.OrZero(), 2))
	}
	if spread := 2 * math.Sqrt(squares); spread > flat {
		d.Warnings = append(slices.Clip(d.Warnings), fmt.Sprintf("subsets differ by up to %.0f Elo, and results flatten "+
			"above %d: take smaller steps or fewer factors", spread, flat))
	}
	var notes []string
	if known {
		notes = interactions(r)
	} else {
		notes = []string{"Elo -: too few games for the number of factors"}
	}
	for _, x := range r.Decided {
		fixed := ""
		if x.Fixed {
			fixed = ", and kept at the better level (so their effects are too large)"
		}
		notes = append(notes, fmt.Sprintf("decided after %d games%s: %s", x.Games, fixed, strings.Join(x.Factors, ", ")))
	}
	d.Parts = []Part{{Tables: []ui.Table{effects(r)}, Notes: append(notes, ended)}}
	return d
}

// effects is the table of effects, the largest first. Its last column draws them on a terminal.
func effects(r *screen.Result) ui.Table {
	order := make([]int, len(r.Factors))
	reach := 1.0
	for j := range order {
		order[j] = j
		if e := &r.Effects[j]; e.Known() {
			reach = max(reach, math.Abs(float64(e.EloLo)), math.Abs(float64(e.EloHi)))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.Effects[b].Elo.OrZero(), r.Effects[a].Elo.OrZero())
	})
	t := ui.Table{Head: []string{"factor", "Elo [95 %]", "p", ""}}
	for _, j := range order {
		if e := &r.Effects[j]; e.Known() {
			t.Add("%s\t%s\t%s\t%s", r.Factors[j].Name, e.Strength.Text(""), chance(e.P),
				bar(float64(e.EloLo), float64(e.Elo), float64(e.EloHi), reach))
		} else {
			t.Add("%s\t-\t-\t", r.Factors[j].Name)
		}
	}
	return t
}

func chance(p num.Float) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// bar draws an interval from -reach to reach.
func bar(lo, mid, hi, reach float64) string {
	const half = 15
	at := func(elo float64) int { return half + int(math.Round(half*min(max(elo/reach, -1), 1))) }
	cells := slices.Repeat([]rune{' '}, 2*half+1)
	for i := at(lo); i <= at(hi); i++ {
		cells[i] = '-'
	}
	cells[half] = '|'
	cells[at(mid)] = 'o'
	return strings.TrimRight(string(cells), " ")
}

// interactions are what the games say beside main effects.
func interactions(r *screen.Result) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	pair := func(i screen.Interaction) string {
		return r.Factors[i.Factors[0]].Name + " x " + r.Factors[i.Factors[1]].Name
	}
	if t := r.Interacting; t != nil {
		add("interactions of two factors: p %s (%d degrees of freedom)", chance(t.P), t.DF)
	} else {
		add("interactions of two factors: not estimated")
	}
	for _, i := range r.Interactions {
		if i.Seen {
			add("  %s: %+.1f ± %.1f Elo beyond the sum of both", pair(i.Interaction), i.Elo, 1.96*i.SE)
		}
	}
	for _, chain := range r.Chains {
		if math.Abs(chain.Elo) < 1.96*chain.SE {
			continue
		}
		text := ""
		for _, i := range chain.Of {
			text += map[bool]string{true: " + ", false: " - "}[i.Sign > 0] + pair(i)
		}
		add("  %+.1f ± %.1f Elo in the sum%s", chain.Elo, 1.96*chain.SE, text)
	}
	if r.Design == screen.Rows {
		text := "not testable, as many factors as rows"
		switch t := r.LackOfFit; {
		case r.Interacting == nil:
			text = "not tested"
		case t != nil:
			text = fmt.Sprintf("p %s (%d degrees of freedom)", chance(t.P), t.DF)
		}
		add("lack of fit: %s", text)
	}
	if t := r.Homogeneity; t != nil {
		text := "the same before and after factors were fixed, and pooled"
		if t.P < 0.05 {
			text = "changed when factors were fixed; those shown are at the levels fixed"
		}
		add("effects: %s (p %s)", text, chance(t.P))
	}
	return list
}
