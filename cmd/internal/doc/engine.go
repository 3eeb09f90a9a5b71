package doc

import (
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/cmd/internal/ownengine"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// Engine describes what a run in the folder dir found for an author's engine.
func Engine(r *ownengine.Result, dir string) *Document {
	d := New(r.Headline())
	if d.Done = int64(len(r.Generations)); r.Outcome == learn.GainProved {
		d.Class = Good
	}
	var t ui.Table
	for _, g := range r.Generations {
		t.Add("generation %d\t%d games, %d positions", g.Number, r.Plan.Games, g.Positions)
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
		{"test", r.NotWeaker}, {"match", r.Fixed}, {fmt.Sprintf("%d x nodes", ownengine.DeepFactor), r.Deep},
		{r.Plan.FinalClock, r.Clock},
	} {
		switch {
		case m.r == nil:
		case m.r.Verdict == match.NoVerdict:
			t.Add("%s\tno verdict: %s; the same command tries this match again", m.name, m.r.Reason)
		default:
			lost := ""
			if m.r.Known() && m.r.EloHi < 0 && r.Patch != "" {
				lost = ": a loss, so think again before you apply the patch"
			}
			t.Add("%s\t%s Elo, %d games +%d =%d -%d%s", m.name, m.r.Strength.Text(""), m.r.Games, m.r.Wins, m.r.Draws,
				m.r.Losses, lost)
		}
	}
	if r.Plan.LeftOut != nil && r.Outcome != learn.NothingFound {
		t.Add("\t%s", r.Plan.NotPlayed())
	}
	if best := r.Best(); best != nil {
		t.Add("best\t%s: %s Elo, %d games", best.Name, best.Match.Strength.Text(""), best.Match.Games)
		if best.Match.Elo > 0 {
			t.Add("to play it on\t%s", r.Longer(best, dir))
		}
	}
	switch path := filepath.Join(dir, filepath.FromSlash(r.Patch)); {
	case r.Patch == "":
	case r.Stale:
		t.Add("patch\t%s; the repository has changed since: it is for %s", path, ownengine.Short(r.Base))
	case r.Dirty:
		t.Add("patch\tgit apply %s", quote.Word(path))
	default:
		t.Add("patch\tgit am %s", quote.Word(path))
	}
	d.Add(t)
	return d
}
