package ownengine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/tuner/learn"
)

// loop is a run in progress. It is the learn.Learner of an author's engine.
type loop struct {
	tools
	kept           *durable.Run    // the run's folder
	author         *gitbuild.Repo  // the author's repository
	clone          *gitbuild.Clone // the run's own
	plan           Plan
	start          *learn.Weights
	set            dataset.FeatureSet // of the champion's features
	builds         map[string]*gitbuild.Build
	now            Generation    // of the generation under way
	noHalf         string        // why half of its step was not tried
	sincePromotion int           // generations without a promotion, the last ones
	began          time.Time     // this process
	worked         time.Duration // earlier processes, as far as they said
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
	l := &loop{tools: tools{Config: c, ctx: ctx, dir: dir}, builds: map[string]*gitbuild.Build{}, began: time.Now()}
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
	info := durable.RunInfo{Command: Command, Resume: resume, Program: ui.Version()}
	if l.kept, err = durable.OpenRun(dir, info, config); err != nil {
		return nil, err
	}
	defer l.kept.Close()
	l.worked = workedBefore(l.kept)
	l.result = Result{Format: Format, Program: config.Program, Engine: config.Engine,
		Base: config.Base, Weights: config.Weights, Plan: l.plan}
	if err := l.all(c.AcceptNotWeaker); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		_ = l.kept.Event("stopped", map[string]any{"error": err.Error()}) // the error is what matters
		return nil, err
	}
	return &l.result, nil
}

// open finds the engine, and says what the run plays: what it began with, if it is there.
func (l *loop) open(temp string) (*RunConfig, error) {
	log := func(format string, args ...any) { fmt.Fprintf(l.Stderr, "learn: "+format+"\n", args...) }
	if err := l.find(temp); err != nil {
		return nil, err
	}
	recorded, err := readConfig(l.dir)
	if err != nil {
		return nil, err
	}
	if clone := l.path(SourceName); recorded == nil || !exists(clone) {
		if recorded != nil && recorded.Base != l.source.ID {
			return nil, fmt.Errorf("%s started with %s, but the engine is now %s: delete the folder, or give this run "+
				"another --run name", l.dir, Short(recorded.Base), Short(l.source.ID))
		}
		place := l.dir
		l.dir = temp
		if err := l.source.Checkout(l.ctx, l.path(SourceName)); err != nil {
			return nil, err
		}
		defer func() { l.dir = place }()
	}
	if err := l.describe(log); err != nil {
		return nil, err
	}
	plan, err := newPlan(&l.Config, l.project.Learn)
	if err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(l.path(SourceName), plan.Book); plan.Book != "" && err == nil {
		plan.Book = filepath.Join(l.repo.Top, rel) // in the author's repository, not in a copy of it that goes
	}
	config := &RunConfig{Program: ui.Version(), Engine: l.repo.Name(), Base: l.source.ID,
		Build: l.project.Build(),
		Dump:  l.project.Dump, Sources: l.project.Sources, Weights: l.project.Weights, Plan: plan}
	if recorded != nil {
		l.adopt(config, recorded)
		return config, nil
	}
	err = l.measure(&config.Plan)
	l.plan = config.Plan
	return config, err
}

// adopt lets a run go on with what it began with: the numbers of games that a speed gave, and the engine's files. What
// changes no game of an earlier stage may change: the hours, and the matches that only add to the result.
func (l *loop) adopt(now, recorded *RunConfig) {
	if now.Base != recorded.Base {
		fmt.Fprintf(l.Stderr, "learn: the engine has changed since the run began: it goes on with %s\n",
			Short(recorded.Base))
		now.Base = recorded.Base
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
	p.Hours, p.Deep, p.Clocked, p.FinalClock, p.LeftOut = was.Hours, was.Deep, was.Clocked, was.FinalClock, was.LeftOut
}

// fewGames and speedGames are played before a run: to see whether the engine plays, and to measure the speed from which
// a plan by the hour follows.
const fewGames, speedGames = 2, 24

// measure plays a few games.
func (l *loop) measure(p *Plan) error {
	b, err := l.cache.Build(l.ctx, l.source, l.project.Build())
	if err != nil {
		return err
	}
	defer b.Close()
	games := fewGames
	if p.Hours > 0 {
		games = speedGames
	}
	fmt.Fprintf(l.Stderr, "learn: %d games to begin with\n", games)
	began := time.Now()
	if err := l.try(b, games, l.path("speed"), p); err != nil {
		return l.failed(err)
	}
	p.Split(float64(games)/time.Since(began).Seconds(), l.atOnce())
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readConfig reads the configuration of a run; nil if there is none yet.
func readConfig(dir string) (*RunConfig, error) {
	c := new(RunConfig)
	err := durable.ReadJSON(filepath.Join(dir, durable.RunConfigName), c)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return c, err
}

func (l *loop) close() {
	for _, b := range l.builds {
		b.Close()
	}
}

// all carries out the loop and the matches at its end, as far as an earlier call did not.
func (l *loop) all(acceptNotWeaker bool) (err error) {
	doc, decided := l.kept.Result()
	if decided {
		if err := json.Unmarshal(doc, &l.result); err != nil {
			return fmt.Errorf("%s: %w: %w", l.kept.Path(durable.RunResultName), durable.ErrDamaged, err)
		}
		if l.result.Already = len(l.further()) == 0; l.result.Already {
			return l.leaveOut()
		}
	}
	if l.clone, err = gitbuild.NewClone(l.ctx, l.path(SourceName), l.source, BaseTag); err != nil {
		return err
	}
	l.author = l.repo
	if l.repo, err = gitbuild.OpenRepo(l.ctx, l.clone.Dir); err != nil {
		return err
	}
	l.start = &learn.Weights{WeightsRef: learn.WeightsRef{ID: BaseTag}}
	if !decided {
		fmt.Fprint(l.Stderr, l.plan.Text())
		if err := l.decide(acceptNotWeaker); err != nil {
			return err
		}
	}
	return l.add()
}

// decide carries out the loop, and the matches at its end that decide what it found.
func (l *loop) decide(acceptNotWeaker bool) error {
	champion, _, err := learn.Loop(l.ctx, l.kept, l, l.plan.Generations, l.start)
	if err != nil {
		return l.failed(err)
	}
	l.result.Champion = champion.WeightsRef
	if l.result.Outcome = learn.NothingFound; champion != l.start {
		if err := l.final(champion, acceptNotWeaker); err != nil {
			return l.failed(err)
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

// play runs a command of assay that shows its progress.
func (l *loop) play(words ...string) error {
	l.show(words)
	_, err := l.Command(l.ctx, words, l.Stderr)
	return errors.Join(err, l.kept.Event(workedEvent, l.spent().Seconds()))
}

// workedEvent says after each stage, and when a process ends in one, how many seconds the run has worked.
const workedEvent = "worked"

// spent is how long the run has worked in all its processes.
func (l *loop) spent() time.Duration { return l.worked + time.Since(l.began) }

// workedBefore is what earlier processes of a run said of that.
func workedBefore(run *durable.Run) (worked time.Duration) {
	_ = durable.ReadJournal(run.Path(durable.RunEventsName), func(line []byte) error { // no result depends on it
		var e struct {
			Kind string  `json:"event"`
			Data float64 `json:"data"`
		}
		if json.Unmarshal(line, &e) == nil && e.Kind == workedEvent {
			worked = time.Duration(e.Data * float64(time.Second))
		}
		return nil
	})
	return worked
}

// stage runs a command whose output is a folder of a generation's, unless that is complete, and returns its path.
func (l *loop) stage(folder, name string, words ...string) (string, error) {
	out := l.path(folder, name)
	if m, err := durable.LoadManifest(out); err == nil && m.Complete || durable.Status(out).State == durable.Complete {
		return out, nil
	}
	fmt.Fprintf(l.Stderr, "%s: %s\n", folder, name)
	return out, l.play(append(words, "--out", out)...)
}

// games returns the words of a command that plays: the limits, a seed of its own, the repository and the machines.
func (l *loop) games(number, g, stage int) []string {
	return slices.Concat([]string{"--games", fmt.Sprint(number), "--seed",
		fmt.Sprint(l.plan.Seed + uint64(100*g+stage)<<32)}, l.Playing)
}

// The stages of a generation, and those at the end, as generation 0: their openings differ.
const (
	playStage = iota + 1
	gateStage
	halfStage
	testStage
	fixedStage
	deepStage
	clockStage
)

// built returns the build of the engine with weights, or that loads them.
func (l *loop) built(w *learn.Weights) (*gitbuild.Build, error) {
	name := Tag(w.WeightsRef)
	if l.project.Weights != "" {
		name = BaseTag
	}
	if b := l.builds[name]; b != nil {
		return b, nil
	}
	s, err := l.repo.Resolve(l.ctx, "refs/tags/"+name)
	if err != nil {
		return nil, err
	}
	l.lastCommand = "" // the error of a build has its own command
	b, err := l.cache.Build(l.ctx, s, l.project.Build())
	if err == nil {
		l.builds[name] = b
	}
	return b, err
}

// weightFile returns the weights that an engine loads; empty if they stand in its source.
func (l *loop) weightFile(w *learn.Weights) string {
	if l.project.Weights == "" || w.Generation == 0 {
		return ""
	}
	return l.path(filepath.FromSlash(w.File))
}

// engine returns an engine with weights as a player, with a name for people.
func (l *loop) engine(name string, w *learn.Weights) (string, error) {
	b, err := l.built(w)
	if err != nil {
		return "", err
	}
	return "name=" + name + ":" + l.player(b.Path, l.weightFile(w)), nil
}

// dumpOf returns the command that prints the features of an engine with weights.
func (l *loop) dumpOf(w *learn.Weights) (string, error) {
	b, err := l.built(w)
	if err != nil {
		return "", err
	}
	return l.dump(b.Path, l.weightFile(w)), nil
}

// Propose plays the games of a generation, and fits.
func (l *loop) Propose(_ context.Context, g int, champion *learn.Weights) (*learn.Weights, error) {
	if l.sincePromotion == 2 || l.late(g) {
		return nil, learn.ErrEnough
	}
	l.now, l.noHalf = Generation{Number: g, Step: 1}, ""
	fit, err := l.fit(g, champion)
	if err != nil {
		return nil, err
	}
	return l.take(g, champion, fit)
}

// late reports whether a further generation, and the matches that must follow, do not fit into the hours.
func (l *loop) late(g int) bool {
	if g == 1 || exists(l.path(learn.Folder(g))) || l.fits(l.plan.Seconds(l.plan.Games+l.plan.Gate+2*l.plan.Final)) {
		return false
	}
	fmt.Fprintf(l.Stderr, "learn: generation %d does not fit into the %g hours any more\n", g, l.plan.Hours)
	return true
}

// fits reports whether what takes so many seconds fits into the hours.
func (l *loop) fits(seconds float64) bool {
	return l.plan.Hours == 0 || l.spent().Seconds()+seconds <= l.plan.Hours*3600
}

// fit plays, and fits to the positions of all generations. It returns the folder of the fit.
func (l *loop) fit(g int, champion *learn.Weights) (string, error) {
	player, err := l.engine("champion", champion)
	if err != nil {
		return "", err
	}
	_, err = l.stage(learn.Folder(g), "games", slices.Concat([]string{"selfplay", "--players", player},
		l.games(l.plan.Games, g, playStage), l.plan.Limits())...)
	if err != nil {
		return "", err
	}
	if err := l.positions(g, champion); err != nil {
		return "", err
	}
	dump, err := l.dumpOf(champion)
	if err != nil {
		return "", err
	}
	data := slices.Clone(l.plan.Added)
	for from := 1; from <= g; from++ {
		data = append(data, l.data(from))
	}
	words, weights := []string{"tune"}, []string{}
	for i, positions := range data {
		m, err := durable.LoadManifest(positions)
		if err != nil {
			return "", err
		}
		l.now.Positions += m.Rows
		name := fmt.Sprintf("features-%d", i+1)
		out, err := l.stage(learn.Folder(g), name, l.collect(positions, "--cmd", dump)...)
		if err != nil {
			return "", err
		}
		words = append(words, out)
		weights = append(weights, fmt.Sprint(l.weight(i-len(l.plan.Added)+1, g)))
	}
	if _, l.set, err = dataset.OpenFeatures(words[1]); err != nil {
		return "", err
	}
	var terms []string
	for _, t := range l.set.Terms {
		terms = append(terms, t.Name)
	}
	words = append(words, "--weight", strings.Join(weights, ","), "--lambda", fmt.Sprint(l.plan.Lambda), "--seed",
		fmt.Sprint(l.plan.Seed))
	for _, name := range frozen(&l.plan, terms) {
		words = append(words, "--freeze", name)
	}
	return l.stage(learn.Folder(g), "fit", words...)
}

// weight returns what the rows of a generation weigh in the fit of another. Each champion since makes it less, because
// the games of a weaker engine say less. Others' data, as generations below 1, weigh as if one champion came after them.
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

// positions makes the positions that a generation learns from.
func (l *loop) positions(g int, champion *learn.Weights) error {
	words := []string{"data", "positions", l.path(learn.Folder(g), "games"), "--preset", "texel", "--seed",
		fmt.Sprint(l.plan.Seed)}
	if l.plan.Rows > 0 {
		words = append(words, "--sample", fmt.Sprint(l.plan.Rows))
	}
	if l.plan.PerGame > 0 {
		words = append(words, "--max-per-game", fmt.Sprint(l.plan.PerGame))
	}
	out, err := l.stage(learn.Folder(g), "positions", words...)
	if err != nil || l.plan.Relabel == 0 {
		return err
	}
	player, err := l.engine("champion", champion)
	if err != nil {
		return err
	}
	_, unnamed, _ := strings.Cut(player, "name=champion:")
	_, err = l.stage(learn.Folder(g), filepath.Base(l.data(g)), "data", "relabel", out, "--player", unnamed, "--nodes",
		fmt.Sprint(l.plan.Relabel))
	return err
}

// data returns the positions of a generation.
func (l *loop) data(g int) string {
	if l.plan.Relabel > 0 {
		return l.path(learn.Folder(g), "relabeled")
	}
	return l.path(learn.Folder(g), "positions")
}

// Decided keeps the result of a generation.
func (l *loop) Decided(_ int, d learn.Decision) error {
	l.now.Gate, l.now.Promoted, l.now.Reason = d.Gate, d.Promoted, d.Reason+l.noHalf
	if l.sincePromotion++; d.Promoted {
		l.sincePromotion = 0
	}
	l.result.Generations = append(l.result.Generations, l.now)
	return nil
}
