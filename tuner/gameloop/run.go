package gameloop

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// Command is the durable.RunInfo.Command of these runs.
const Command = "learn-game"

// RunConfig is the content of a run's config.json.
type RunConfig struct {
	Program string `json:"program"`
	Game    string `json:"game"`
	Start   string `json:"start"` // id of the weights
	Plan    Plan   `json:"plan"`
}

// loop is a run in progress.
type loop struct {
	Config
	run    *durable.Run
	result Result
	now    GenerationResult // of the generation under way
}

// Run carries out the plan in the run's folder, from where an earlier call stopped. For a complete
// run it returns the recorded result.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Plan.check(); err != nil {
		return nil, err
	}
	if err := c.Game.Check(); err != nil {
		return nil, err
	}
	if c.Start == nil {
		c.Start = c.Game.StartFile()
	}
	if _, err := c.Game.Weights(c.Start); err != nil {
		return nil, err
	}
	config := RunConfig{c.Program, c.Game.Name, c.Start.ID(), c.Plan}
	run, err := durable.OpenRun(c.Dir, durable.RunInfo{Command: Command, Resume: c.Resume, Program: c.Program}, config)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if raw, complete := run.Result(); complete {
		r := &Result{Already: true}
		if err := json.Unmarshal(raw, r); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", run.Path(durable.RunResultName), durable.ErrDamaged, err)
		}
		return r, nil
	}
	l := &loop{Config: c, run: run}
	l.result = Result{Format: formatName, Program: c.Program, Game: c.Game.Name, Title: c.Game.Title, Plan: c.Plan,
		Start: c.Start.ID()}
	if err := l.all(ctx); err != nil {
		return nil, err
	}
	return &l.result, nil
}

func (l *loop) all(ctx context.Context) error {
	start := &learn.Weights{WeightsRef: learn.WeightsRef{ID: l.Start.ID()}, Values: l.Start}
	champion, last, err := learn.Loop(ctx, l.run, l, l.Plan.Generations, start)
	if err != nil {
		return err
	}
	player := champion
	if player.ID == start.ID {
		player = last // how far the last fit is from being promoted is worth knowing
	}
	s := l.series(0, "final", "final")
	s.Games = l.Plan.FinalGames
	if l.result.Final, err = l.match(ctx, "final match against the start weights", s, player, start, nil); err != nil {
		return err
	}
	if err := l.show(player); err != nil {
		return err
	}
	l.result.Champion, l.result.Learned, l.result.File, l.result.Terms = champion.ID, player.ID, player.File, player.Terms
	if l.result.Worth, err = l.worth(ctx); err != nil {
		return err
	}
	return l.run.Finish(&l.result)
}

// show keeps a game of the final match to look at.
func (l *loop) show(learned *learn.Weights) error {
	shown, err := l.Game.Show(l.run.Path("final"))
	if err != nil {
		return err
	}
	for i, id := range shown.Players {
		name := "start weights"
		if id == learned.ID {
			name = "learned weights"
		}
		shown.Players[i] = fmt.Sprintf("%s: %s", l.Game.Players[i], name)
	}
	l.result.Shown = shown
	return nil
}

// Names of files of a generation, and of a match.
const (
	FitName   = "fit.json"   // in the folder of a generation: a tuner.Result
	MatchName = "match.json" // in the folder of a match: a match.Result
)

// player returns weights as a player.
func (l *loop) player(w *learn.Weights) (games.Player, error) {
	p := games.Player{Name: "start", ID: w.ID}
	if w.Generation > 0 {
		p.Name = learn.Folder(w.Generation)
	}
	var err error
	p.Weights, err = l.Game.Weights(w.Values)
	return p, err
}

// Propose plays and learns.
func (l *loop) Propose(ctx context.Context, g int, champion *learn.Weights) (_ *learn.Weights, err error) {
	l.now = GenerationResult{Number: g}
	r, s := &l.now, l.series(g, "games", "selfplay")
	s.Games = l.Plan.Games
	if s.A, err = l.player(champion); err != nil {
		return nil, err
	}
	stage := learn.Begin(l.Stage, fmt.Sprintf("generation %d: self-play", g))
	s.Progress = stage.Update
	if err := s.Self(ctx); err != nil {
		return nil, err
	}
	if r.Games, err = games.Count(s.Dir); err != nil {
		return nil, err
	}
	stage.Finish(fmt.Sprintf("%d games, %d plies; %s won %d, drawn %d, %s won %d", r.Games.Games, r.Games.Plies,
		l.Game.Players[0], r.Games.First, r.Games.Drawn, l.Game.Players[1], r.Games.Second))
	stage = learn.Begin(l.Stage, fmt.Sprintf("generation %d: features", g))
	if err := s.Features(ctx, l.run.Path(learn.Folder(g), "features")); err != nil {
		return nil, err
	}
	stage.Finish("")
	var file *models.File
	if r.Fit, file, err = l.fit(ctx, g, champion.ID); err != nil {
		return nil, err
	}
	r.ID = file.ID()
	return &learn.Weights{WeightsRef: learn.WeightsRef{ID: r.ID, File: learn.Folder(g) + "/" + learn.WeightsName,
		Generation: g}, Values: file, Terms: r.Fit.Terms}, nil
}

// Gate lets the last fit's weights meet the champion's.
func (l *loop) Gate(ctx context.Context, g int, proposed, champion *learn.Weights) (*match.Result,
	*learn.Weights, error) {
	if proposed.ID == champion.ID {
		return nil, proposed, nil
	}
	s := l.series(g, "gate", "gate")
	s.Games = l.Plan.GateGames
	r, err := l.match(ctx, fmt.Sprintf("generation %d: gate", g), s, proposed, champion, &gate)
	return r, proposed, err
}

// Decided keeps the result of a generation.
func (l *loop) Decided(_ int, d learn.Decision) error {
	l.now.Gate, l.now.Promoted, l.now.Reason = d.Gate, d.Promoted, d.Reason
	l.result.Generations = append(l.result.Generations, l.now)
	return nil
}

// series returns games in a folder of a generation's folder, or of the run's if g is 0, without players.
func (l *loop) series(g int, name, stage string) games.Series {
	dir := l.run.Path(name)
	if g > 0 {
		dir = l.run.Path(learn.Folder(g), name)
	}
	return games.Series{Game: l.Game, Dir: dir, Depth: l.Plan.Depth, Seed: l.Plan.Seed, Generation: uint64(g),
		Stage:   stage,
		Program: l.Program, Workers: l.Workers}
}

func (l *loop) match(ctx context.Context, name string, s games.Series, a, b *learn.Weights, test *sprt.Test) (
	_ *match.Result, err error) {
	if s.A, err = l.player(a); err != nil {
		return nil, err
	}
	if s.B, err = l.player(b); err != nil {
		return nil, err
	}
	stage := learn.Begin(l.Stage, name)
	s.Progress = stage.Update
	r, err := s.Match(ctx, test)
	if err != nil {
		return nil, err
	}
	stage.Finish(r.Headline())
	doc, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	return r, durable.WriteFile(filepath.Join(s.Dir, MatchName), append(doc, '\n'))
}
