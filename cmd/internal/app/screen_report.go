package app

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/screen"
	"github.com/assay-chess/assay/selfplay/screen/play"
)

// flat is the difference, in Elo, from which the logistic is not straight any more.
const flat = 100

// planDraws is the share of draws that the plan assumes.
const planDraws = 0.5

// plan says before the first game what it will take. It ends the screen if a factor changes nothing.
func (x *screening) plan(c *play.Config) error {
	players, single := []selfplay.Entrant{c.Base}, []int{-1}
	if x.Limits.Deterministic() {
		for j := range x.factors {
			if !x.built.Has(j) { // one patch alone is no build of the design
				players, single = append(players, x.player(1<<j)), append(single, j)
			}
		}
	}
	games, each, err := c.Try(x.ctx, players...)
	if err != nil {
		return err
	}
	for i, j := range single[1:] {
		if games[i+1] == games[0] {
			return ui.Usagef("factor %s: a game with it on is the same as with it off, move by move and node by node: it "+
				"changes nothing at these limits; leave it out", x.factors[j].name)
		}
	}
	x.sayPlan(c, each.Hours())
	return nil
}

// sayPlan prints what a screen will take. Hours are those of a game.
func (x *screening) sayPlan(c *play.Config, hours float64) {
	say := func(format string, args ...any) { fmt.Fprintf(x.stderr, "screen: "+format+"\n", args...) }
	k, builds := x.design.Factors, "random subsets, no builds"
	if n := len(x.design.Builds()); n > 0 {
		builds = fmt.Sprintf("%d builds", n)
	}
	variance := screen.Variance(planDraws)
	single, _ := screen.AtBase(k, 1, c.Games/2, variance) // a match of its share of the games
	off, need := screen.Precision(c.Games/2, variance), 2*screen.Need(5, variance)
	say("%d factors, %s, %d games: each effect within ±%.1f Elo if %.0f %% are drawn, where single matches of %d games "+
		"each have ±%.1f", k, builds, c.Games, 1.96*off, 100*planDraws, int(c.Games)/k/2*2, 1.96*single)
	say("%s at %.2g games/s; within ±5 Elo: %d games, %s", hoursText(hours*float64(c.Games)), 1/(3600*hours), need,
		hoursText(hours*float64(need)))
	if least := uint64(x.design.LeastOpenings()) * play.PerOpening; c.Games < least {
		x.warn(fmt.Sprintf("%d games are too few for %d factors: effects are estimated from %d games on", c.Games, k,
			least))
	}
}

func hoursText(hours float64) string {
	switch {
	case hours < 1./60:
		return "less than a minute"
	case hours < 1:
		return fmt.Sprintf("some %.0f minutes", math.Ceil(60*hours))
	}
	return fmt.Sprintf("%.1f hours", hours)
}

// printAtBase prints how exactly effects at the base could be known.
func (x *screening) printAtBase() error {
	k := x.design.Factors
	fmt.Fprintf(x.stdout, "%d factors, %d games: 95 %% intervals of effects, in Elo\n\n", k, x.Games)
	w := tabwriter.NewWriter(x.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	quote.Fprintf(w, "on at once\tagainst the base\ttwo disjoint sets, from the mean\t\n")
	for m := 1; 2*m <= k; m *= 2 {
		base, apart := screen.AtBase(k, m, x.Games/2, screen.Variance(planDraws))
		quote.Fprintf(w, "%d\t±%.1f\t±%.1f\t\n", m, 1.96*base, 1.96*apart)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(x.stdout, "\n1 at once is one match a factor. With the others at random: ±%.1f\n",
		1.96*screen.Precision(x.Games/2, screen.Variance(planDraws)))
	return err
}

// screenJSON is what screen --json prints.
type screenJSON struct {
	Out string `json:"out,omitempty"`
	*play.Result
	Confirm *match.Result `json:"confirm,omitempty"`
	Clock   *match.Result `json:"confirm_clock,omitempty"`
	Load    machine.Load  `json:"load,omitzero"` // of the machine
	Already bool          `json:"already"`
	Seconds float64       `json:"seconds"`
}

func (x *screening) print(c *play.Config, r *play.Result, confirmed []*match.Result) error {
	if x.JSON {
		both := append(slices.Clip(confirmed), nil, nil)
		return ui.PrintJSON(x.stdout, screenJSON{Out: x.Out, Result: r, Confirm: both[0], Clock: both[1], Load: r.Load,
			Already: r.Already, Seconds: r.Took.Seconds()})
	}
	out := ui.Folded(x.stdout)
	if r.Verdict == gamelog.NoVerdict {
		_, err := quote.Fprintf(out, "no result: %s\n%d games, ended by %s\n", r.Reason, r.Games,
			ui.CountsText(r.Terminations))
		return err
	}
	known, err := printEffects(out, r)
	if err != nil {
		return err
	}
	if known {
		printInteractions(out, r)
	}
	for _, d := range r.Decided {
		fixed := ""
		if d.Fixed {
			fixed = ", and kept at the better level (so their effects are too large)"
		}
		quote.Fprintf(out, "decided after %d games%s: %s\n", d.Games, fixed, strings.Join(d.Factors, ", "))
	}
	quote.Fprintf(out, "%d games (%.0f %% drawn) from %d openings, %s, ended by %s\n", r.Games,
		100*float64(r.Draws)/float64(max(r.Games, 1)), r.Openings, r.Limits, ui.CountsText(r.Terminations))
	squares := 0.0
	for j := range r.Effects {
		e := &r.Effects[j]
		squares += max(0, math.Pow(e.Elo.OrZero(), 2)-math.Pow(e.SE.OrZero(), 2))
	}
	if spread := 2 * math.Sqrt(squares); spread > flat {
		quote.Fprintf(out, "warning: subsets differ by up to %.0f Elo, and results flatten above %d: take smaller steps or "+
			"fewer factors\n", spread, flat)
	}
	ui.PrintWarnings(out, r.Warnings)
	if x.Out != "" {
		quote.Fprintf(out, "written %s\n", filepath.Join(x.Out, gamelog.PGNName))
	}
	return x.printRecommended(out, c, r, confirmed)
}

// printEffects prints the table of effects, the largest first, and reports whether any is known.
func printEffects(out io.Writer, r *play.Result) (known bool, err error) {
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
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "factor\tElo [95 %]\tp\t\n")
	for _, j := range order {
		e := &r.Effects[j]
		if !e.Known() {
			quote.Fprintf(w, "%s\t-\t-\t\n", r.Factors[j].Name)
			continue
		}
		known = true
		quote.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Factors[j].Name, e.Strength.Text(""), chance(e.P),
			bar(float64(e.EloLo), float64(e.Elo), float64(e.EloHi), reach))
	}
	if err := w.Flush(); err != nil {
		return known, err
	}
	if !known {
		quote.Fprintf(out, "Elo -: too few games for the number of factors\n")
	}
	_, err = fmt.Fprintln(out)
	return known, err
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

// printInteractions prints what the games say beside main effects.
func printInteractions(out io.Writer, r *play.Result) {
	pair := func(i screen.Interaction) string {
		return r.Factors[i.Factors[0]].Name + " x " + r.Factors[i.Factors[1]].Name
	}
	if t := r.Interacting; t != nil {
		quote.Fprintf(out, "interactions of two factors: p %s (%d degrees of freedom)\n", chance(t.P), t.DF)
	} else {
		quote.Fprintf(out, "interactions of two factors: not estimated\n")
	}
	for _, i := range r.Interactions {
		if i.Seen {
			quote.Fprintf(out, "  %s: %+.1f ± %.1f Elo beyond the sum of both\n", pair(i.Interaction), i.Elo, 1.96*i.SE)
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
		quote.Fprintf(out, "  %+.1f ± %.1f Elo in the sum%s\n", chain.Elo, 1.96*chain.SE, text)
	}
	if r.Design == screen.Rows {
		text := "not testable, as many factors as rows"
		switch t := r.LackOfFit; {
		case r.Interacting == nil:
			text = "not tested"
		case t != nil:
			text = fmt.Sprintf("p %s (%d degrees of freedom)", chance(t.P), t.DF)
		}
		quote.Fprintf(out, "lack of fit: %s\n", text)
	}
	if t := r.Homogeneity; t != nil {
		text := "the same before and after factors were fixed, and pooled"
		if t.P < 0.05 {
			text = "changed when factors were fixed; those shown are at the levels fixed"
		}
		quote.Fprintf(out, "effects: %s (p %s)\n", text, chance(t.P))
	}
}

// printRecommended prints the recommended set as commands, and what confirmed it.
func (x *screening) printRecommended(out io.Writer, c *play.Config, r *play.Result, confirmed []*match.Result) error {
	if r.Best == 0 {
		text := "no factor; keep the base"
		if !slices.ContainsFunc(r.Effects, func(e screen.Effect) bool { return e.Known() }) {
			text = "nothing, after too few games"
		}
		_, err := quote.Fprintf(out, "\nrecommended: %s\n", text)
		return err
	}
	quote.Fprintf(out, "\nrecommended: %s\n", strings.Join(r.Recommended, ", "))
	var commits, files []string
	for j, f := range x.factors {
		for _, text := range f.patches {
			ref, isCommit := strings.CutPrefix(text, "git:")
			switch {
			case !r.Best.Has(j):
			case isCommit:
				commits = append(commits, quote.Word(ref))
			default:
				files = append(files, quote.Word(text))
			}
		}
	}
	if len(commits) > 0 {
		quote.Fprintf(out, "  git cherry-pick %s\n", strings.Join(commits, " "))
	}
	if len(files) > 0 {
		quote.Fprintf(out, "  git apply %s\n", strings.Join(files, " "))
	}
	best := x.spec
	for i, off := range x.factors.set(0) {
		if on := x.factors.set(r.Best)[i]; on != off {
			best.Options = append(slices.Clip(best.Options), on)
		}
	}
	if x.built == 0 {
		quote.Fprintf(out, "  assay match %s %s --sprt 0,5 --seed %d\n", quote.Word(best.String()),
			quote.Word(x.spec.String()), x.Seed+1)
	}
	if confirmed == nil {
		_, err := quote.Fprintf(out, "a choice among many is no gain yet: --confirm plays it\n")
		return err
	}
	for i, m := range confirmed {
		at := [2]string{"", " at " + x.clock.String()}[i]
		quote.Fprintf(out, "match of the recommended factors%s: %s\n", at, m.Headline())
	}
	return nil
}
