package ownengine

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// final plays the matches that decide, of the champion against the engine as it was, and writes the patch if they allow
// it.
func (l *loop) final(champion *learn.Weights, acceptNotWeaker bool) (err error) {
	if err := l.verify(champion); err != nil {
		return err
	}
	p, limits := &l.result.Proof, l.plan.limits()
	if p.NotWeaker, err = l.last("test", testStage, l.plan.Final, champion, limits, &NotWeaker); err != nil {
		return err
	}
	if p.NotWeaker.Verdict == match.AcceptH0 {
		return nil
	}
	if p.Fixed, err = l.last("match", fixedStage, l.plan.Final, champion, limits, nil); err != nil {
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
	limit        selfplay.Limits
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
		list = append(list, addition{"deep", deepStage, p.Deep, selfplay.Limits{Nodes: DeepFactor * p.Nodes},
			p.DeepSeconds(), &r.Deep})
	}
	if p.Clocked > 0 && (open(r.Clock) || p.FinalClock != r.Plan.FinalClock) {
		list = append(list, addition{"clock", clockStage, p.Clocked, clocked(p.FinalClock),
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
	clock := x.limit.Clock
	err := durable.ReadJSON(filepath.Join(dir, durable.RunConfigName), &before)
	if was := before.Limits[0].Clock; err == nil && was.Base > 0 &&
		(was.Base != clock.Base || was.Increment != clock.Increment || was.Moves != clock.Moves) {
		if err := aside(dir); err != nil {
			return nil, err
		}
	}
	played, err := l.last(x.name, x.stage, x.games, champion, x.limit, nil)
	var changed *durable.ConfigChangedError
	if !errors.As(err, &changed) {
		return played, err
	}
	if err := aside(dir); err != nil {
		return nil, err
	}
	return l.last(x.name, x.stage, x.games, champion, x.limit, nil)
}

// aside gives a folder another name, with the first number that is free.
func aside(dir string) error {
	n := 1
	for exists(fmt.Sprintf("%s-%d", dir, n)) {
		n++
	}
	return os.Rename(dir, fmt.Sprintf("%s-%d", dir, n))
}

// last plays one of the matches at the end, by engines with their numbers in the source.
func (l *loop) last(name string, stage, games int, champion *learn.Weights, limits selfplay.Limits,
	test *sprt.Test) (*match.Result, error) {
	new, err := l.asSource("new", champion)
	if err != nil {
		return nil, err
	}
	old, err := l.asSource("old", l.start)
	if err != nil {
		return nil, err
	}
	return l.match(path.Join(FinalName, name), new, old, games, 0, stage, limits, test)
}

// verify returns an error unless the engine with the champion's numbers in its source evaluates the positions as the
// champion did that played: a number that stands in another place too makes a difference.
func (l *loop) verify(champion *learn.Weights) error {
	if err := l.keepPatched(champion); err != nil {
		return err
	}
	measured, err := l.built(checkTag)
	if err != nil {
		return err
	}
	_, err = l.sameValues(l.data(champion.Generation), l.builds[settingTag], measured,
		l.path(filepath.FromSlash(champion.File)))
	if err != nil {
		return fmt.Errorf("the engine with the new numbers in its source is not the one that passed: %w", err)
	}
	return nil
}

// checkTag is the tag of the engine with new numbers in its source, which can be set again.
const checkTag = "check"

// keepPatched keeps the engine with the weights in its source and settable numbers as the checkTag.
func (k *workshop) keepPatched(w *learn.Weights) error {
	values, err := k.valuesOf(w)
	if err != nil {
		return err
	}
	return k.keep(checkTag, "new numbers that can be set", func() error {
		if _, err := k.set.WriteBack(k.clone.Dir, values); err != nil {
			return err
		}
		set, err := numbers.Scan(k.clone.Dir, k.project.Numbers, k.taken())
		if err != nil {
			return err
		}
		return set.Instrument(k.clone.Dir, k.project.Value)
	})
}

// patch writes what the author applies. That of a repository that has changed since may not apply.
func (l *loop) patch(champion *learn.Weights) error {
	values, err := l.valuesOf(champion)
	if err != nil {
		return err
	}
	l.result.Changed = 0
	for i, n := range l.set.Numbers {
		if values[i] != n.Value {
			l.result.Changed++
		}
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
