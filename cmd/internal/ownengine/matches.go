package ownengine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// Gate tests the proposed weights against the champion's. If the test is undecided, half of the step is tested once.
func (l *loop) Gate(_ context.Context, g int, proposed, champion *learn.Weights) (*match.Result, *learn.Weights,
	error) {
	if proposed.ID == champion.ID {
		return nil, proposed, nil
	}
	r, err := l.gate(g, "gate", gateStage, learn.GateAlpha(1), proposed, champion)
	if err != nil || r.Passed() || r.Verdict == match.AcceptH0 {
		return r, proposed, err
	}
	half, err := l.candidate(g, "half.json", champion, between(champion.Values, proposed.Values, 0.5))
	if err != nil || half.ID == champion.ID || half.ID == proposed.ID {
		return r, proposed, err
	}
	second, err := l.gate(g, "gate-half", halfStage, learn.GateAlpha(2), half, champion)
	if err != nil {
		return nil, nil, err
	}
	l.now.Half = true
	return second, half, nil
}

func (l *loop) gate(g int, name string, stage int, alpha float64, a, b *learn.Weights) (*match.Result, error) {
	return l.match(learn.Folder(g), name, a, b, slices.Concat(l.games(l.plan.Gate, g, stage), l.plan.Limits(), []string{
		"--sprt", fmt.Sprintf("%g,%g", l.plan.Elo0, l.plan.Elo1), "--elo-model", sprt.Logistic.String(), "--alpha",
		fmt.Sprint(alpha)}))
}

// match plays a match in a folder of a generation's.
func (l *loop) match(folder, name string, a, b *learn.Weights, words []string) (*match.Result, error) {
	players := make([]string, 2)
	for i, w := range []*learn.Weights{a, b} {
		var err error
		if players[i], err = l.engine([]string{"new", "old"}[i], w); err != nil {
			return nil, err
		}
	}
	if l.plan.Book != "" {
		words = append(words, "--book", l.plan.Book, "--book-order", "random")
	}
	out, err := l.stage(folder, name, slices.Concat([]string{"match"}, players, words)...)
	if err != nil {
		return nil, err
	}
	r := new(match.Result)
	return r, durable.ReadJSON(filepath.Join(out, durable.RunResultName), r)
}

// whole plays the whole fit against the champion, whatever the screen says of its groups, and adds what it scores to
// the author's archive: of groups that games chose it would promise too much of the next fit.
func (l *loop) whole(g int, champion *learn.Weights, fit string) error {
	if l.plan.Whole == 0 {
		return nil
	}
	file, err := models.OpenAny(filepath.Join(fit, learn.WeightsName))
	if err != nil {
		return err
	}
	w, err := l.candidate(g, "whole.json", champion, file)
	if err != nil || w.ID == champion.ID {
		return err
	}
	l.now.Changed = 0 // of the candidate that games compose
	l.now.Whole, err = l.match(learn.Folder(g), wholeName, w, champion, slices.Concat(l.games(l.plan.Whole, g, wholeStage),
		l.plan.Limits()))
	if err != nil || l.now.Whole.Verdict == match.NoVerdict || len(l.plan.Added) > 0 {
		return err // games of others beside own ones are neither
	}
	start := dataset.TunedStart
	if champion.Generation == 0 {
		start = l.plan.Start
	}
	return l.play("archive", "add", fit, l.path(learn.Folder(g), wholeName), "--pedigree", start+","+dataset.OwnGames)
}

// wholeName is the folder of a generation's match of the whole fit.
const wholeName = "whole"

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
