package ownengine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
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
	if !exists(l.path(learn.Folder(g), halfGate)) && !l.fits(l.plan.Seconds(l.plan.Gate+2*l.plan.Final)) {
		l.noHalf = fmt.Sprintf("; half of the step does not fit into the %g hours any more", l.plan.Hours)
		return r, proposed, nil
	}
	half, err := l.candidate(g, HalfName, champion, between(champion.Values, proposed.Values, 0.5))
	if err != nil || half.ID == champion.ID || half.ID == proposed.ID {
		return r, proposed, err
	}
	l.now.First = r
	second, err := l.gate(g, halfGate, halfStage, learn.GateAlpha(2), half, champion)
	if err != nil {
		return nil, nil, err
	}
	l.now.Half = true
	return second, half, nil
}

// halfGate is the folder of the gate of half of a step.
const halfGate = "gate-half"

func (l *loop) gate(g int, name string, stage int, alpha float64, a, b *learn.Weights) (*match.Result, error) {
	return l.match(learn.Folder(g), name, a, b, slices.Concat(l.games(l.plan.Gate, g, stage), l.plan.Limits(), []string{
		"--sprt", fmt.Sprintf("%g,%g", l.plan.Elo0, l.plan.Elo1), "--elo-model", sprt.Logistic.String(), "--alpha",
		fmt.Sprint(alpha)}))
}

// match plays a match in a folder of a generation's. One that ended without a verdict is put aside, and played again.
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
	if durable.Status(l.path(folder, name)).State == durable.NoVerdict {
		if err := aside(l.path(folder, name)); err != nil {
			return nil, err
		}
	}
	out, err := l.stage(folder, name, slices.Concat([]string{"match"}, players, words)...)
	if err != nil {
		return nil, err
	}
	r := new(match.Result)
	return r, durable.ReadJSON(filepath.Join(out, durable.RunResultName), r)
}

// final plays the matches that decide, of the champion against the engine as it was, and writes the patch if they allow
// it.
func (l *loop) final(champion *learn.Weights, acceptNotWeaker bool) (err error) {
	p := &l.result.Proof
	t := NotWeaker
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
	l.result.Outcome = p.Outcome()
	if l.result.Outcome == learn.GainProved || l.result.Outcome == learn.NotWeaker && acceptNotWeaker {
		return l.patch(champion)
	}
	return nil
}

// addition is a match that only adds to what was found: nothing that happens in it takes the rest back.
type addition struct {
	name         string // of its folder
	stage, games int
	limit        []string
	seconds      float64 // that it takes
	result       **match.Result
}

// further lists the additions that the plan has and the result does not.
func (l *loop) further() (list []addition) {
	r, p := &l.result, &l.plan
	open := func(m *match.Result) bool { return m == nil || m.Verdict == match.NoVerdict }
	switch {
	case r.Outcome == learn.NothingFound:
		return nil
	case p.Deep > 0 && p.Clock == "" && open(r.Deep):
		list = append(list, addition{"deep", deepStage, p.Deep, []string{"--nodes",
			fmt.Sprint(DeepFactor * p.Nodes)}, p.DeepSeconds(), &r.Deep})
	}
	if p.Clocked > 0 && (open(r.Clock) || p.FinalClock != r.Plan.FinalClock) {
		list = append(list, addition{"clock", clockStage, p.Clocked, []string{"--tc", p.FinalClock},
			float64(p.Clocked) * p.ClockSeconds(), &r.Clock})
	}
	return list
}

// leaveOut takes a match without a verdict that the plan does not have any more out of the result.
func (l *loop) leaveOut() error {
	r, left := &l.result, false
	for m, games := range map[**match.Result]int{&r.Deep: l.plan.Deep, &r.Clock: l.plan.Clocked} {
		if games == 0 && *m != nil && (*m).Verdict == match.NoVerdict {
			*m, left = nil, true
		}
	}
	if !left {
		return nil
	}
	return l.write()
}

// add plays the further matches. What keeps one from a verdict is said in its place.
func (l *loop) add() error {
	for _, x := range l.further() {
		var played *match.Result
		err := fmt.Errorf("it does not fit into the %g hours any more", l.plan.Hours)
		if l.fits(x.seconds) {
			played, err = l.addition(x)
		}
		if l.ctx.Err() != nil {
			return err
		}
		if err != nil {
			played = &match.Result{Reason: ui.Plain(err.Error())}
			if errors.Is(err, selfplay.ErrNoVerdict) { // the match has the reason alone
				_ = durable.ReadJSON(l.path(FinalName, x.name, durable.RunResultName), played)
			}
			played.Verdict = match.NoVerdict
		}
		*x.result = played
		clock := l.result.Plan.FinalClock // of the result at a clock
		if l.result.Plan = l.plan; x.name != "clock" {
			l.result.Plan.FinalClock = clock
		}
		if err := l.write(); err != nil {
			return err
		}
	}
	return nil
}

// addition plays one of them; one of other limits is put aside.
func (l *loop) addition(x addition) (*match.Result, error) {
	dir, champion := l.path(FinalName, x.name), &learn.Weights{WeightsRef: l.result.Champion}
	var before struct {
		Limits [2]selfplay.Limits `json:"limits"`
	}
	clock, _ := selfplay.ParseClock(l.plan.FinalClock) // the match says what is wrong with it
	err := durable.ReadJSON(filepath.Join(dir, durable.RunConfigName), &before)
	if was := before.Limits[0].Clock; err == nil && was.Base > 0 &&
		(was.Base != clock.Base || was.Increment != clock.Increment || was.Moves != clock.Moves) {
		if err := aside(dir); err != nil {
			return nil, err
		}
	}
	played, err := l.last(x.name, x.stage, x.games, champion, x.limit)
	var changed *durable.ConfigChangedError
	if !errors.As(err, &changed) {
		return played, err
	}
	if err := aside(dir); err != nil {
		return nil, err
	}
	return l.last(x.name, x.stage, x.games, champion, x.limit)
}

// aside gives a folder another name, with the first number that is free.
func aside(dir string) error {
	n := 1
	for exists(fmt.Sprintf("%s-%d", dir, n)) {
		n++
	}
	return os.Rename(dir, fmt.Sprintf("%s-%d", dir, n))
}

// last plays one of the matches at the end.
func (l *loop) last(name string, stage, games int, champion *learn.Weights, words []string) (*match.Result, error) {
	return l.match(FinalName, name, champion, l.start, slices.Concat(l.games(games, 0, stage), words))
}

// patch writes what the author applies. That of a repository that has changed since may not apply.
func (l *loop) patch(champion *learn.Weights) error {
	if l.project.Weights != "" {
		l.result.Patch = champion.File
		return nil
	}
	err := l.inSource(l.path(filepath.FromSlash(champion.File)), func() error {
		l.result.Notes = l.notes
		return nil
	})
	if err != nil {
		return err
	}
	mail, err := l.clone.Mail(l.ctx, l.author, BaseTag, Tag(champion.WeightsRef), l.message())
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
		"engine against itself at\n%s.\n\n", positions, r.Plan.Games*len(r.Generations), l.plan.LimitsText())
	m := r.Fixed
	fmt.Fprintf(&s, "Elo   | %s (95%%)\nConf  | %s\nGames | N: %d W: %d L: %d D: %d\nPenta | %v\n", m.Strength.Text(""),
		l.plan.LimitsText(), m.Games, m.Wins, m.Losses, m.Draws, m.Pentanomial)
	return s.String()
}
