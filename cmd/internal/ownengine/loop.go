package ownengine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/slopes"
)

// loop is a run in progress. It is the learn.Learner of an author's engine.
type loop struct {
	workshop
	kept           *durable.Run // the run's folder
	plan           Plan
	now            Generation    // of the generation under way
	sincePromotion int           // generations without a promotion, the last ones
	began          time.Time     // this process
	worked         time.Duration // earlier processes, as far as they said
	played         int64         // games of this process, as far as they are the plan's
	playing        time.Duration // that they took
	result         Result
}

// Run tunes the engine in the run's folder dir, from where an earlier call stopped. The result is written as soon as
// the match of fixed length decides; matches that only add to it follow, also to the result of an earlier call. For a
// complete run it returns the recorded result.
func Run(ctx context.Context, c Config, dir, resume string) (*Result, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	l := &loop{workshop: workshop{Config: c, ctx: ctx, dir: dir, builds: map[string]*gitbuild.Build{}}, began: time.Now()}
	defer l.close()
	temp, err := os.MkdirTemp("", "assay-learn-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	config, err := l.open(temp)
	if err != nil {
		return nil, err
	}
	info := durable.RunInfo{Command: Command, Resume: resume, Program: ui.Version(), Loose: gamelog.Loose}
	if l.kept, err = durable.OpenRun(dir, info, config); err != nil {
		return nil, err
	}
	defer l.kept.Close()
	l.worked = workedBefore(l.kept)
	l.result = Result{Format: Format, Program: config.Program, Engine: config.Engine, Base: config.Base, Plan: l.plan,
		Top: l.elsewhere()}
	if err := l.all(c.AcceptNotWeaker); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		_ = l.remember()
		_ = l.kept.Event("stopped", map[string]any{"error": err.Error()}) // the error is what matters
		return nil, err
	}
	return &l.result, nil
}

// elsewhere is the top of the author's repository; empty if that is the current folder.
func (l *loop) elsewhere() string {
	here, _ := os.Stat(".")
	if top, _ := os.Stat(l.author.Top); os.SameFile(here, top) {
		return ""
	}
	return l.author.Top
}

// open finds the engine and returns the configuration of the run: the one in its folder, if there is one. A new run
// tries the engine in the folder temp first.
func (l *loop) open(temp string) (*RunConfig, error) {
	if err := l.find(temp); err != nil {
		return nil, err
	}
	recorded := new(RunConfig)
	err := durable.ReadJSON(l.path(durable.RunConfigName), recorded)
	if errors.Is(err, os.ErrNotExist) {
		recorded = nil // there is none yet
	} else if err != nil {
		return nil, err
	}
	complete := exists(l.path(durable.RunResultName))
	if recorded == nil || !exists(l.path(SourceName)) {
		if recorded != nil && recorded.Base != l.source.ID {
			return nil, fmt.Errorf("%s started with %.12s, but the engine is now %.12s: delete the folder, or use another "+
				"--out", l.dir, recorded.Base, l.source.ID)
		}
		place := l.dir
		l.dir = temp
		defer func() { l.dir = place }()
	}
	if err := l.openClone(); err != nil {
		return nil, err
	}
	plan, err := newPlan(&l.Config, l.project.Learn)
	if err != nil {
		return nil, err
	}
	if plan.Book != "" && !filepath.IsAbs(plan.Book) {
		plan.Book = filepath.Join(l.author.Top, plan.Book) // in the author's repository, not in a copy of it that goes
	}
	if err := there(plan.Added, plan.Book); err != nil && !complete {
		return nil, err
	}
	config := &RunConfig{Program: ui.Version(), Engine: l.author.Name(), Base: l.source.ID, Build: l.project.Build(),
		Numbers: l.project.Numbers, Value: l.project.Value, Skip: l.project.Skip, Take: l.project.Take, Plan: plan}
	if recorded != nil {
		l.adopt(config, recorded)
		return config, nil
	}
	if err := l.prepare(); err != nil {
		return nil, err
	}
	said, err := l.sameBench()
	if err != nil {
		return nil, err
	}
	l.say("%d numbers; %s", len(l.set.Numbers), said)
	if err := l.speed(&config.Plan); err != nil {
		return nil, err
	}
	l.plan = config.Plan
	return config, nil
}

// adopt lets a run go on with what it began with: the numbers of games that a speed gave, and the engine's files. What
// changes no game of an earlier stage may change: the hours, and the matches that only add to the result.
func (l *loop) adopt(now, recorded *RunConfig) {
	if now.Base != recorded.Base {
		l.say("the engine has changed since the run began: it goes on with %.12s", recorded.Base)
		now.Base, l.source.ID = recorded.Base, recorded.Base // players are named after it
	}
	if now.Plan.Hours > 0 {
		if recorded.Plan.Speed > 0 {
			now.Plan.Split(recorded.Plan.Speed, recorded.Plan.AtOnce)
		}
		now.Plan.Games, now.Plan.Gate, now.Plan.Final = recorded.Plan.Games, recorded.Plan.Gate, recorded.Plan.Final
	}
	p, was := &now.Plan, &recorded.Plan
	p.Speed, p.AtOnce = was.Speed, was.AtOnce
	l.plan = *p
	p.Hours, p.Clocked, p.FinalClock, p.LeftOut = was.Hours, was.Clocked, was.FinalClock, was.LeftOut
}

// fewGames and speedGames are played before a run: to see whether the engine plays, and to measure the speed from which
// a plan by the hour follows.
const fewGames, speedGames = 2, 24

// speed plays a few games, and checks the values of their positions.
func (l *loop) speed(p *Plan) error {
	games := fewGames
	if p.Hours > 0 {
		games = speedGames
	}
	if _, err := l.first(fmt.Sprintf("%d games to begin with", games), games, p); err != nil {
		return err
	}
	warning, err := slopes.Check(l.ctx, l.measuring("", nil, l.path("positions")))
	if warning != "" {
		l.say("warning: %s", warning)
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// all carries out the loop and the matches at its end, as far as an earlier call did not.
func (l *loop) all(acceptNotWeaker bool) error {
	unpatched := false // the author takes what was decided earlier
	doc, decided := l.kept.Result()
	if decided {
		if err := json.Unmarshal(doc, &l.result); err != nil {
			return fmt.Errorf("%s: %w: %w", l.kept.Path(durable.RunResultName), durable.ErrDamaged, err)
		}
		unpatched = acceptNotWeaker && l.result.Outcome == NotWeaker && l.result.Patch == ""
		if l.result.Already = !l.further() && !unpatched; l.result.Already {
			return l.leaveOut()
		}
	}
	if err := l.openClone(); err != nil {
		return err
	}
	if err := l.prepare(); err != nil {
		return err
	}
	l.result.Numbers = len(l.set.Numbers)
	if !decided {
		fmt.Fprint(l.Stderr, l.plan.Text())
		if err := l.decide(acceptNotWeaker); err != nil {
			return err
		}
	}
	if unpatched {
		if err := l.patch(l.result.Champion); err != nil {
			return err
		}
		if err := l.write(); err != nil {
			return err
		}
	}
	return l.add()
}

// decide carries out the loop, and the match at its end that decides what it found.
func (l *loop) decide(acceptNotWeaker bool) error {
	found, err := learn.Loop(l.ctx, l.kept, l, l.plan.Generations, base)
	if err != nil {
		return err
	}
	if step := l.result.ahead(); found == base && step != nil {
		found = step.Weights
		l.result.Generations[step.Weights.Generation-1].Reason = fmt.Sprintf("the %s step is ahead after %d games: the match "+
			"at the end decides", step.Name, step.Gate.Games)
	}
	l.result.Champion = found
	if l.result.Outcome = NothingFound; found != base {
		if err := l.final(found, acceptNotWeaker); err != nil {
			return err
		}
	}
	return l.write()
}

// write writes the result as far as it is known.
func (l *loop) write() error {
	if err := l.kept.Finish(&l.result); err != nil {
		return err
	}
	if l.Written != nil {
		l.Written()
	}
	return nil
}

// workedEvent says after each stage, and when a process ends in one, how many seconds the run has worked.
const workedEvent = "worked"

// spent is how long the run has worked in all its processes.
func (l *loop) spent() time.Duration { return l.worked + time.Since(l.began) }

// workedBefore is what earlier processes of a run said of that.
func workedBefore(run *durable.Run) (worked time.Duration) {
	durable.Events(run.Dir(), func(kind string, data json.RawMessage) {
		var seconds float64
		if kind == workedEvent && json.Unmarshal(data, &seconds) == nil {
			worked = time.Duration(seconds * float64(time.Second))
		}
	})
	return worked
}

// remember keeps how long the run has worked.
func (l *loop) remember() error { return l.kept.Event(workedEvent, l.spent().Seconds()) }

// The stages of a generation, and those at the end, as generation 0: their openings differ.
const (
	playStage = iota + 1
	gateStage
	_ // seeds of later stages stay
	checkStage
	fixedStage
	_
	clockStage
)

// Propose plays the games of a generation, and fits.
func (l *loop) Propose(_ context.Context, g int, champion learn.WeightsRef) (learn.WeightsRef, error) {
	if l.sincePromotion == 2 || l.late(g) {
		return champion, learn.ErrEnough
	}
	l.now = Generation{Number: g, Step: 1}
	if fitted, err := l.fitted(g); fitted || err != nil {
		return l.proposed(champion), err
	}
	player, err := l.with("champion", champion)
	if err != nil {
		return champion, err
	}
	if err := l.games(g, player); err != nil {
		return champion, err
	}
	f := fitting{l: l, g: g}
	if f.champion, err = l.valuesOf(champion); err != nil {
		return champion, err
	}
	f.data = slices.Clone(l.plan.Added)
	for from := 1; from <= g; from++ {
		f.data = append(f.data, l.data(from))
	}
	for i, positions := range f.data {
		m, err := durable.LoadManifest(positions)
		if err != nil {
			return champion, err
		}
		l.now.Positions += m.Rows
		f.weights = append(f.weights, l.weight(i-len(l.plan.Added)+1, g))
	}
	found, err := f.run()
	if err != nil {
		return champion, err
	}
	if err := l.propose(g, champion, f.champion, found); err != nil {
		return champion, err
	}
	return l.proposed(champion), errors.Join(durable.WriteJSON(l.path(learn.Folder(g), fitName), &l.now), l.remember())
}

// fitName is the file of a generation that has what its fit found.
const fitName = "fit.json"

// fitted reads what the fit of a generation found, and reports whether all of it is there.
func (l *loop) fitted(g int) (bool, error) {
	err := durable.ReadJSON(l.path(learn.Folder(g), fitName), &l.now)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, s := range l.now.Steps {
		if !exists(l.path(filepath.FromSlash(s.Weights.File))) {
			l.now = Generation{Number: g, Step: 1}
			return false, nil
		}
	}
	return true, nil
}

// pace is how many games a second this process played.
func (l *loop) pace() float64 {
	if l.played == 0 {
		return l.plan.Speed
	}
	return float64(l.played) / l.playing.Seconds()
}

// paced is how many games the time of planned ones has time for. The few games before a run say it roughly.
func (l *loop) paced(games int) int {
	if l.plan.Hours == 0 || l.plan.Speed == 0 {
		return games
	}
	return even(l.plan.Seconds(games) * l.pace())
}

// lengthName is the file that keeps how many games a stage has where time decides.
const lengthName = "length.json"

// kept reads a value from a file. If there is no file, choose returns the value, and the file keeps it: a resumed run
// plays as many games, whatever time it has.
func kept[T any](file string, choose func() (T, error)) (v T, err error) {
	if err := durable.ReadJSON(file, &v); !errors.Is(err, os.ErrNotExist) {
		return v, err
	}
	if v, err = choose(); err != nil {
		return v, err
	}
	return v, errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), durable.WriteJSON(file, v))
}

// late reports whether a further generation, and the matches that must follow, do not fit into the hours.
func (l *loop) late(g int) bool {
	if g == 1 || exists(l.path(learn.Folder(g))) {
		return false
	}
	if exists(l.path(FinalName, lengthName)) {
		l.say("no generation %d: the match at the end has begun", g)
		return true
	}
	if l.fits(l.plan.Seconds(l.plan.Games + l.plan.Gate + l.plan.Final)) {
		return false
	}
	l.say("generation %d does not fit into the %g hours any more", g, l.plan.Hours)
	return true
}

// fits reports whether what takes so many seconds fits into the hours.
func (l *loop) fits(seconds float64) bool {
	return l.plan.Hours == 0 || l.spent().Seconds()+seconds <= l.plan.Hours*3600
}

// weight returns what the rows of a generation weigh in the fit of another. Each champion since makes it less, because
// the games of a weaker engine say less. Others' data, as generations below 1, weigh as if one champion came after
// them.
func (l *loop) weight(from, in int) float64 {
	if from < 1 {
		return l.plan.Decay
	}
	weight := 1.0
	for _, g := range l.result.Generations[from-1 : in-1] {
		if g.Promoted {
			weight *= l.plan.Decay
		}
	}
	return weight
}

// data returns the positions of a generation.
func (l *loop) data(g int) string { return l.path(learn.Folder(g), "positions") }

// Decided keeps the result of a generation.
func (l *loop) Decided(d learn.Decision) {
	l.now.Gate, l.now.Promoted, l.now.Reason = d.Gate, d.Promoted, d.Reason
	if l.sincePromotion++; d.Promoted {
		l.sincePromotion = 0
	}
	l.result.Generations = append(l.result.Generations, l.now)
}

// match plays a match in a folder of the run. One that ended without a verdict is put aside, and played again.
func (l *loop) match(folder string, a, b selfplay.Player, games, g, stage int, limits selfplay.Limits,
	test *sprt.Test) (*match.Result, error) {
	out := l.path(filepath.FromSlash(folder))
	if durable.Status(out).State == durable.NoVerdict {
		if err := aside(out); err != nil {
			return nil, err
		}
	}
	if r, err := recorded(out, games); r != nil || err != nil {
		return r, err
	}
	s, err := l.setup(out, l.plan.Book, &l.plan, limits, g, stage)
	if err != nil {
		return nil, err
	}
	r, err := l.play(folder, match.Config{Setup: s, A: a, B: b, Games: uint64(games), Test: test})
	if err == nil && limits == l.plan.limits() {
		l.played, l.playing = l.played+r.Played, l.playing+r.Took
	}
	return r, errors.Join(err, l.remember())
}
