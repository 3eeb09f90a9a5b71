package app

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/screen"
)

// planDraws is the share of draws that the plan assumes.
const planDraws = 0.5

// plan says before the first game what it will take. It ends the screen if a factor changes nothing.
func (x *screening) plan(c *screen.Config) error {
	players, single := []selfplay.Player{c.Base}, []int{-1}
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

// sayPlan prints what a screen will take. Hours count what a game takes.
func (x *screening) sayPlan(c *screen.Config, hours float64) {
	say := func(format string, args ...any) { fmt.Fprintf(x.stderr, "screen: "+format+"\n", args...) }
	k, builds := x.design.Factors, "random subsets, no builds"
	if n := len(x.design.Builds()); n > 0 {
		builds = fmt.Sprintf("%d builds", n)
	}
	variance := screen.Variance(planDraws)
	single := screen.Single(k, c.Games/2, variance)
	off, need := screen.Precision(c.Games/2, variance), 2*screen.Need(5, variance)
	say("%d factors, %s, %d games: each effect within ±%.1f Elo if %.0f %% are drawn, where single matches of %d games "+
		"each have ±%.1f", k, builds, c.Games, 1.96*off, 100*planDraws, int(c.Games)/k/2*2, 1.96*single)
	say("%s at %.2g games/s; within ±5 Elo: %d games, %s", hoursText(hours*float64(c.Games)), 1/(3600*hours), need,
		hoursText(hours*float64(need)))
	if least := uint64(x.design.LeastOpenings()) * screen.GamesPerOpening; c.Games < least {
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

// print prints what the games say, the recommended set as commands, and what confirmed it.
func (x *screening) print(c *screen.Config, r *screen.Result, confirmed []*match.Result) error {
	d := doc.Screen(r)
	if x.Out != "" {
		d.Note("written %s", filepath.Join(x.Out, gamelog.PGNName))
	}
	if r.Best != 0 && r.Verdict == "" {
		d.Parts = append(d.Parts, x.recommended(r, confirmed))
	}
	both := append(slices.Clip(confirmed), nil, nil)
	all := struct {
		*screen.Result
		Confirm *match.Result `json:"confirm,omitempty"`
		Clock   *match.Result `json:"confirm_clock,omitempty"`
	}{r, both[0], both[1]}
	return x.show(all, r.Process, d, map[string]any{})
}

// recommended are the recommended set as commands, and what confirmed it.
func (x *screening) recommended(r *screen.Result, confirmed []*match.Result) (p doc.Part) {
	p.Text = []string{"recommended: " + strings.Join(r.Recommended, ", ")}
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
		p.Text = append(p.Text, "  git cherry-pick "+strings.Join(commits, " "))
	}
	if len(files) > 0 {
		p.Text = append(p.Text, "  git apply "+strings.Join(files, " "))
	}
	best := x.spec
	for i, off := range x.factors.set(0) {
		if on := x.factors.set(r.Best)[i]; on != off {
			best.Options = append(slices.Clip(best.Options), on)
		}
	}
	if x.built == 0 {
		p.Text = append(p.Text, fmt.Sprintf("  assay match %s %s --sprt 0,5 --seed %d", quote.Word(best.String()),
			quote.Word(x.spec.String()), x.Seed+1))
	}
	if confirmed == nil {
		p.Text = append(p.Text, "a choice among many is no gain yet: --confirm plays it")
	}
	for i, m := range confirmed {
		at := [2]string{"", " at " + x.clock.String()}[i]
		p.Text = append(p.Text, fmt.Sprintf("match of the recommended factors%s: %s", at, m.Headline()))
	}
	return p
}
