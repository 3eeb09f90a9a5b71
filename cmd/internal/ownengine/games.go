package ownengine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// setup says how games are played, with a seed of their own, from the openings of a book unless its name is empty.
func (k *workshop) setup(out, book string, p *Plan, limits selfplay.Limits, g, stage int) (selfplay.Setup, error) {
	rule := selfplay.StandardAdjudication()
	s := selfplay.Setup{Rules: selfplay.Rules{Limits: limits, Rule: rule,
		Opening: opening.Spec{Plies: opening.DefaultPlies}, Seed: p.Seed + uint64(100*g+stage)<<32, Program: ui.Version()}}
	s.Out, s.Open, s.Concurrency = out, roster.Open, k.Concurrency
	s.Tolerance.MaxForfeits = selfplay.DefaultMaxForfeits
	if book != "" {
		s.Opening = opening.Spec{Book: book, Random: true}
		return s, nil
	}
	var err error
	s.Check.Player, err = ui.OpenPlayer(nil, ui.SmallChecker)
	return s, err
}

// selfplay plays games of a player against itself into a folder, and returns what was said about them.
func (k *workshop) selfplay(label, out string, games int, p *Plan, player selfplay.Player, g int) (*datagen.Summary,
	error) {
	limits := p.limits()
	limits.HardNodes = limits.Nodes > 0
	s, err := k.setup(out, "", p, limits, g, playStage)
	if err != nil {
		return nil, err
	}
	progress, end, err := k.Begin(label, &s, player)
	if err != nil {
		return nil, err
	}
	defer end()
	r, err := datagen.Run(k.ctx, datagen.Config{Setup: s, Games: uint64(games), Players: []selfplay.Player{player}})
	if errors.Is(err, selfplay.ErrPreflight) && p.Clock == "" {
		err = fmt.Errorf("%w; if the engine does not know go nodes, add it, or set tc in [learn] of assay.toml", err)
	}
	if err != nil {
		return nil, err
	}
	progress.Finish(fmt.Sprintf("%d games", r.Games))
	for _, w := range r.Warnings {
		k.say("warning: %s", w)
	}
	if r.Views != nil {
		k.say("warning: %v; %s", r.Views, ui.ViewCure(r.Views, false))
	}
	return r, nil
}

// first plays the first games of the engine, whose speed fills in a plan by the hour, and makes quiet positions of
// them.
func (k *workshop) first(label string, games int, p *Plan) (rows int64, err error) {
	player, err := k.with("engine", base)
	if err != nil {
		return 0, err
	}
	r, err := k.selfplay(label, k.path("games"), games, p, player, 0)
	if err != nil {
		return 0, err
	}
	p.Split(float64(r.Played)/r.Took.Seconds(), k.atOnce())
	for _, line := range r.Warnings {
		if strings.Contains(line, `does not seem to know "go nodes"`) {
			return 0, fmt.Errorf("%s; add go nodes to the engine, or set tc in [learn]", line)
		}
	}
	return k.quiet(k.path("games"), k.path("positions"), p)
}

// play plays a match into a folder.
func (k *workshop) play(label string, c match.Config) (*match.Result, error) {
	progress, end, err := k.Begin(label, &c.Setup, c.A, c.B)
	if err != nil {
		return nil, err
	}
	defer end()
	c.Rule.PlayOn = 0
	r, err := k.Match(k.ctx, c)
	if errors.Is(err, selfplay.ErrNoVerdict) {
		return nil, fmt.Errorf("%s: %w", c.Out, err)
	}
	if err != nil {
		return nil, err
	}
	progress.Finish(fmt.Sprintf("%d games, %s", r.Games, r.Outcome()))
	return r, nil
}

// recorded returns the result of a match that needs no more games; nil if it does.
func recorded(dir string, games int) (*match.Result, error) {
	if durable.Status(dir).State != durable.Complete {
		return nil, nil
	}
	r := new(match.Result)
	if err := durable.ReadJSON(filepath.Join(dir, durable.RunResultName), r); err != nil {
		return nil, err
	}
	if r.Verdict == match.Undecided && r.Test != nil && r.Games < int64(games) {
		return nil, nil
	}
	return r, nil
}

// limits bounds one move.
func (p *Plan) limits() selfplay.Limits {
	if p.Clock != "" {
		return clocked(p.Clock)
	}
	return selfplay.Limits{Nodes: p.Nodes}
}

// clocked are the limits of a clock, whose text was checked when it was read.
func clocked(text string) (l selfplay.Limits) {
	l.Clock, _ = selfplay.ParseClock(text)
	return l
}

// test is the test of each size of a step. The sizes share its error probability, 0.05.
func (p *Plan) test() *sprt.Test {
	return &sprt.Test{Model: sprt.Logistic, Elo0: p.Elo0, Elo1: p.Elo1, Alpha: 0.05 / float64(len(sizes)), Beta: 0.05}
}

// quietBy are the weights of the quiescence search that makes positions quiet.
const quietBy = "shannon-1950"

// quiet makes quiet positions of games.
func (k *workshop) quiet(games, out string, p *Plan) (rows int64, err error) {
	c := positions.Config{Filter: positions.DefaultFilter(), Program: ui.Version()}
	c.Filter.DropLeafScore, c.Filter.Seed = true, p.Seed
	if err := ui.Quiescence(&c, quietBy); err != nil {
		return 0, err
	}
	read, err := dataset.OpenGames(games)
	if err != nil {
		return 0, err
	}
	progress := ui.NewProgress(k.Stderr, "positions")
	c.Progress = progress.Update
	m, _, err := positions.Extract(k.ctx, []*dataset.Reader[dataset.GameRow]{read}, out, c)
	if err != nil && !errors.Is(err, dataset.ErrComplete) {
		return 0, err
	}
	progress.Finish(fmt.Sprintf("%d quiet positions", m.Rows))
	return m.Rows, nil
}

// games plays the games of a generation, and makes the positions that it learns from.
func (l *loop) games(g int, player selfplay.Player) error {
	if err := l.playItself(g, player); err != nil {
		return err
	}
	if err := l.remember(); err != nil {
		return err
	}
	_, err := l.quiet(l.path(learn.Folder(g), "games"), l.data(g), &l.plan)
	return err
}

// firstShare is the share of a generation's games after which their pace says how many there is time for.
const firstShare = 0.2

// playItself plays the games of a generation's self-play.
func (l *loop) playItself(g int, player selfplay.Player) (err error) {
	games, label := l.path(learn.Folder(g), "games"), fmt.Sprintf("generation %d: self-play", g)
	l.now.Games, err = kept(l.path(learn.Folder(g), lengthName), func() (int, error) {
		if l.plan.Hours == 0 || exists(games) {
			return l.plan.Games, nil
		}
		first, err := l.selfplay(label, games, even(firstShare*float64(l.plan.Games)), &l.plan, player, g)
		if err != nil {
			return 0, err
		}
		l.played, l.playing = l.played+first.Played, l.playing+first.Took
		return max(int(first.Games), l.paced(l.plan.Games)), nil
	})
	if err == nil {
		_, err = l.selfplay(label, games, l.now.Games, &l.plan, player, g)
	}
	return err
}
