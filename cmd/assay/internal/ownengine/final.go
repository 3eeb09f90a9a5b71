package ownengine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/assay/internal/enginerun"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// final plays the matches of the champion against the engine as it was, and writes the patch if they allow it.
func (l *loop) final(champion *learn.Weights, acceptNotWeaker bool) (err error) {
	p := &l.result.Proof
	t := enginerun.NotWeaker
	words := slices.Concat(l.plan.Limits(), []string{"--sprt", fmt.Sprintf("%g,%g", t.Elo0, t.Elo1), "--elo-model",
		t.Model.String(), "--alpha", fmt.Sprint(t.Alpha)})
	if p.NotWeaker, err = l.last("test", testStage, l.plan.Final, champion, words); err != nil {
		return err
	}
	if p.NotWeaker.Verdict == match.AcceptH0 {
		return nil
	}
	if p.Fixed, err = l.last("match", fixedStage, l.plan.Final, champion, l.plan.Limits()); err != nil {
		return err
	}
	if l.plan.Deep > 0 && l.plan.Clock == "" {
		if p.Deep, err = l.last("deep", deepStage, l.plan.Deep, champion, []string{"--nodes",
			fmt.Sprint(enginerun.DeepFactor * l.plan.Nodes)}); err != nil {
			return err
		}
	}
	if l.plan.Clocked > 0 {
		if p.Clock, err = l.last("clock", clockStage, l.plan.Clocked, champion, []string{"--tc",
			l.plan.FinalClock}); err != nil {
			return err
		}
	}
	l.result.Outcome = p.Outcome()
	if l.result.Outcome == learn.GainProved || l.result.Outcome == learn.NotWeaker && acceptNotWeaker {
		return l.patch(champion)
	}
	return nil
}

// last plays one of the matches at the end.
func (l *loop) last(name string, stage, games int, champion *learn.Weights, words []string) (*match.Result, error) {
	return l.match(enginerun.FinalName, name, champion, l.start, slices.Concat(l.games(games, 0, stage), words))
}

// patch writes what the author applies. That of a repository that has changed since may not apply.
func (l *loop) patch(champion *learn.Weights) error {
	if l.project.Weights != "" {
		l.result.Patch = champion.File
		return nil
	}
	err := l.write(l.path(filepath.FromSlash(champion.File)), func() error {
		l.result.Notes = l.notes
		return nil
	})
	if err != nil {
		return err
	}
	mail, err := l.clone.Mail(l.ctx, l.author, baseTag, tag(champion), l.message())
	if err != nil {
		return err
	}
	l.result.Patch = "engine.patch"
	path := l.path(l.result.Patch)
	if err := durable.WriteFile(path, []byte(mail)); err != nil {
		return err
	}
	applies, err := l.author.Applies(l.ctx, path)
	if err != nil {
		return err
	}
	dirty, err := l.author.Dirty(l.ctx)
	l.result.Stale, l.result.Dirty = !applies, dirty > 0
	return err
}

// message is the commit's, with the block of results that engine authors write.
func (l *loop) message() string {
	r := &l.result
	var s strings.Builder
	positions := int64(0)
	for _, g := range r.Generations {
		positions = max(positions, g.Positions)
	}
	fmt.Fprintf(&s, "eval: weights learned from self-play\n\nassay fitted them to %d positions of %d games of the "+
		"engine against itself at\n%s. Groups of terms: %s.\n\n", positions, r.Plan.Games*len(r.Generations),
		l.plan.LimitsText(), strings.Join(r.Kept(), ", "))
	m := r.Fixed
	fmt.Fprintf(&s, "Elo   | %s (95%%)\nConf  | %s\nGames | N: %d W: %d L: %d D: %d\nPenta | %v\n", m.Strength.Text(""),
		l.plan.LimitsText(), m.Games, m.Wins, m.Losses, m.Draws, m.Pentanomial)
	return s.String()
}
