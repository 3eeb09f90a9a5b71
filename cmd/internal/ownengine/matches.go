package ownengine

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// final plays the match that decides, of what the loop found against the engine as it was, and writes the patch if it
// allows it.
func (l *loop) final(found learn.WeightsRef, acceptNotWeaker bool) (err error) {
	if err := l.verify(found); err != nil {
		return err
	}
	games, err := l.finalGames(found)
	if err != nil {
		return err
	}
	if l.result.Fixed, err = l.last("match", fixedStage, games, found, l.plan.limits()); err != nil {
		return err
	}
	l.result.Outcome = l.result.Proof.Outcome()
	if l.result.Outcome == GainProved || l.result.Outcome == NotWeaker && acceptNotWeaker {
		return l.patch(found)
	}
	return nil
}

// finalGames returns how many games the match at the end has. A plan by the hour gives it the time that is left: the
// length depends on other games alone, so it favors no result.
func (l *loop) finalGames(found learn.WeightsRef) (games int, err error) {
	return kept(l.path(FinalName, lengthName), func() (int, error) {
		p := &l.plan
		if p.Hours == 0 || l.pace() == 0 {
			return p.Final, nil
		}
		if _, _, err := l.finalists(found); err != nil { // they are built first
			return 0, err
		}
		left := lastShare*p.Hours*3600 - l.spent().Seconds() - p.ClockSeconds()
		games := max(even(left*l.pace()), even(float64(l.paced(p.Final))/2))
		if p.mostFinal > 0 {
			games = min(games, p.mostFinal)
		}
		return games, nil
	})
}

// further reports whether the match at a clock is to be played, which only adds to what was found: nothing that happens
// in it takes the rest back.
func (l *loop) further() bool {
	r, p := &l.result, &l.plan
	return r.Outcome != NothingFound && p.Clocked > 0 &&
		(r.Clock == nil || r.Clock.Verdict == match.NoVerdict || p.FinalClock != r.Plan.FinalClock)
}

// leaveOut takes the match at a clock out of the result if it has no verdict, and the plan does not have it any more.
func (l *loop) leaveOut() error {
	if r := &l.result; l.plan.Clocked > 0 || r.Clock == nil || r.Clock.Verdict != match.NoVerdict {
		return nil
	}
	l.result.Clock = nil
	return l.write()
}

// add plays the match at a clock. What keeps it from a verdict is said in its place.
func (l *loop) add() error {
	if !l.further() {
		return nil
	}
	var played *match.Result
	err := there(nil, l.plan.Book)
	if err == nil && !l.fits(l.plan.ClockSeconds()) {
		err = fmt.Errorf("it does not fit into the %g hours any more; give more --hours", l.plan.Hours)
	}
	switch c := l.result.Clock; {
	case err == nil:
		played, err = l.atClock()
	case c != nil && c.Verdict != match.NoVerdict:
		l.say("no match at %s: %v", l.plan.FinalClock, err)
		return nil
	}
	if l.ctx.Err() != nil {
		return err
	}
	if err != nil {
		played = &match.Result{Reason: ui.Plain(err.Error())}
		if errors.Is(err, selfplay.ErrNoVerdict) { // the match has the reason alone
			_ = durable.ReadJSON(l.path(FinalName, clockName, durable.RunResultName), played)
		}
		played.Verdict = match.NoVerdict
	}
	l.result.Clock, l.result.Plan = played, l.plan
	return l.write()
}

// clockName is the folder of the match at a clock.
const clockName = "clock"

// atClock plays that match; one at another clock is put aside.
func (l *loop) atClock() (*match.Result, error) {
	dir, limits := l.path(FinalName, clockName), clocked(l.plan.FinalClock)
	var before struct {
		Limits [2]selfplay.Limits `json:"limits"`
	}
	err := durable.ReadJSON(filepath.Join(dir, durable.RunConfigName), &before)
	was, clock := before.Limits[0].Clock, limits.Clock
	if err == nil && (was.Base != clock.Base || was.Increment != clock.Increment || was.Moves != clock.Moves) {
		if err := aside(dir); err != nil {
			return nil, err
		}
	}
	return l.last(clockName, clockStage, l.plan.Clocked, l.result.Champion, limits)
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
func (l *loop) last(name string, stage, games int, found learn.WeightsRef,
	limits selfplay.Limits) (*match.Result, error) {
	new, old, err := l.finalists(found)
	if err != nil {
		return nil, err
	}
	return l.match(path.Join(FinalName, name), new, old, games, 0, stage, limits, nil)
}

// verify returns an error unless the engine with the champion's numbers in its source evaluates the positions as the
// champion did that played: a number that stands in another place too makes a difference.
func (l *loop) verify(champion learn.WeightsRef) error {
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
func (k *workshop) keepPatched(w learn.WeightsRef) error {
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
func (l *loop) patch(champion learn.WeightsRef) error {
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
	mail, err := l.clone.Mail(l.ctx, l.author, BaseTag, Tag(champion), l.message())
	if err != nil {
		return err
	}
	l.result.Patch, l.result.KeepCR = "engine.patch", strings.Contains(mail, "\r\n")
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
	positions, games := int64(0), 0
	for _, g := range r.Generations {
		positions, games = max(positions, g.Positions), games+g.Games
	}
	fmt.Fprintf(&s, "eval: weights learned from self-play\n\nassay fitted them to %d positions of %d games of the "+
		"engine against itself at\n%s.\n\n", positions, games, l.plan.LimitsText())
	m := r.Fixed
	fmt.Fprintf(&s, "Elo   | %s (95%%)\nConf  | %s\nGames | N: %d W: %d L: %d D: %d\nPenta | %v\n", m.Strength.Text(""),
		l.plan.LimitsText(), m.Games, m.Wins, m.Losses, m.Draws, m.Pentanomial)
	return s.String()
}

// there returns an error if added data or a book cannot be read, or data occur twice: else a run would say so after
// hours of games. A book with an empty name is none.
func there(added []string, book string) error {
	var ids []string
	for _, path := range added {
		m, err := durable.LoadManifest(path)
		if err != nil {
			return err
		}
		if slices.Contains(ids, m.ID()) {
			return fmt.Errorf("%s: %w", path, dataset.ErrDuplicate)
		}
		ids = append(ids, m.ID())
	}
	if book == "" {
		return nil
	}
	_, err := os.Stat(book)
	return err
}
