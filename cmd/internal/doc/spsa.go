package doc

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ownengine"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/datagen"
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
		d.Text = []string{fmt.Sprintf("%d iterations, %d games of %s, %d forfeited (%s); %d void pairs", r.Iterations,
			r.Games, r.Player, r.Forfeits, ui.FaultsText(dir, r.Forfeits), r.VoidPairs)}
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
		"answers are averages over the last third, their errors (±) from batches; " +
			"the optimum is by a regression on all results"}
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

// Selfplay describes the games in the folder dir.
func Selfplay(s *datagen.Summary, dir string) *Document {
	d := New("")
	d.Done, d.Warnings = s.Games, s.Warnings
	if s.Views != nil {
		d.Warnings = append([]string{fmt.Sprintf("%v; %s", s.Views, ui.ViewCure(s.Views, true))}, d.Warnings...)
	}
	share, lo, hi := s.Disagreement()
	if lo > datagen.MaxDisagreement {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%.1f %% of the games played on ended differently from their "+
			"adjudication (%d won by the other side, %d drawn); if the draws are won endgames that the player cannot win, "+
			"adjudication is right; otherwise raise --win-score or --win-plies", 100*share, s.Reversed,
			s.Disagreed-s.Reversed))
	}
	var t ui.Table
	t.Add("games\t%d\t+%d =%d -%d for White", s.Games, s.WhiteWins, s.Draws, s.BlackWins)
	t.Add("plies\t%d\t%.1f a game, without openings%s", s.Plies, float64(s.Plies)/float64(max(1, s.Games)),
		ui.If(s.Unscored > 0, "; %d of them have no score", s.Unscored))
	t.Add("ended by\t\t%s", ui.CountsText(s.Terminations))
	if n := s.Forfeits(); n > 0 {
		t.Add("forfeits\t%d\t%s; no labels", n, ui.FaultsText(dir, n))
	}
	differently := ui.If(s.PlayedOn > 0, " (%.1f %%, 95 %% interval %.1f to %.1f), %d of these won by the other side",
		100*share, 100*lo, 100*hi, s.Reversed)
	t.Add("adjudicated\t%d\t%d of them played to the end as a check: %d ended differently%s", s.Adjudicated, s.PlayedOn,
		s.Disagreed, differently)
	if c := s.Search; c.Checks > 0 {
		t.Add("openings\t%d checked\t%d unbalanced, %d played before%s", c.Checks, c.Lopsided, c.Repeated,
			ui.If(c.Unscored > 0, ", %d without a score: accepted unchecked", c.Unscored))
	}
	if seconds := s.Took.Seconds(); seconds > 0 {
		t.Add("speed\t%.1f games/s\t%.0f plies/s, %.0f nodes/s", float64(s.Played)/seconds, float64(s.Plied)/seconds,
			float64(s.Nodes)/seconds)
	}
	if s.Nodes > 0 && s.Plied > 0 {
		t.Add("searches\t\t%.0f nodes a ply", float64(s.Nodes)/float64(s.Plied))
	}
	if s.Timed {
		t.Add("limits\tof time\tanother run gives other games")
	}
	t.Add("written\t%s\tid %.12s", dir, s.DataID)
	d.Add(t)
	return d
}

// Engine describes what a run in the folder dir found for an author's engine.
func Engine(r *ownengine.Result, dir string) *Document {
	d := New(r.Headline())
	if d.Done = int64(len(r.Generations)); r.Outcome == ownengine.GainProved {
		d.Class = Good
	}
	var t ui.Table
	for _, g := range r.Generations {
		t.Add("generation %d\t%d games, %d positions", g.Number, g.Games, g.Positions)
		for _, f := range g.Fits {
			t.Add("\t%s", f.Text())
		}
		for _, s := range g.Steps {
			if s.Gate != nil {
				t.Add("\t%s step: %s Elo, %d games", s.Name, s.Gate.Strength.Text(""), s.Gate.Games)
			}
		}
		t.Add("\t%s", g.Reason)
	}
	for _, m := range []struct {
		name string
		r    *match.Result
	}{
		{"match", r.Fixed}, {r.Plan.FinalClock, r.Clock},
	} {
		switch {
		case m.r == nil:
		case m.r.Verdict == match.NoVerdict:
			t.Add("%s\tno verdict: %s; the same command tries this match again", m.name, m.r.Reason)
		default:
			lost := ui.If(m.r.Known() && m.r.EloHi < 0 && r.Patch != "", ": a loss, so think again before you apply the patch")
			t.Add("%s\t%s Elo, %d games +%d =%d -%d%s", m.name, m.r.Strength.Text(""), m.r.Games, m.r.Wins, m.r.Draws,
				m.r.Losses, lost)
		}
	}
	if r.Plan.LeftOut && r.Outcome != ownengine.NothingFound {
		t.Add("\t%s", r.Plan.NotPlayed())
	}
	if best := r.Best(); best != nil {
		t.Add("best\t%s: %s Elo, %d games", best.Name, best.Gate.Strength.Text(""), best.Gate.Games)
		if best.Gate.Elo > 0 {
			t.Add("to play it on\t%s", r.Longer(best, dir))
		}
	}
	git, path := "git", filepath.Join(dir, filepath.FromSlash(r.Patch))
	if abs, err := filepath.Abs(path); err == nil && r.Top != "" {
		git, path = "git -C "+quote.Word(r.Top), abs
	}
	switch {
	case r.Patch == "" && r.Outcome == ownengine.NotWeaker:
		t.Add("patch\tnone; the same command with --accept-not-weaker writes it")
	case r.Patch == "":
	case r.Stale:
		t.Add("patch\t%s; the repository has changed since: it is for %.12s", path, r.Base)
	case r.Dirty:
		t.Add("patch\t%s apply %s", git, quote.Word(path))
	case r.KeepCR:
		t.Add("patch\t%s am --keep-cr %s", git, quote.Word(path))
	default:
		t.Add("patch\t%s am %s", git, quote.Word(path))
	}
	d.Add(t)
	return d
}
