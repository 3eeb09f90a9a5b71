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
	run      *durable.Run
	champion games.Player
	last     games.Player // the last fit
	result   Result
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
	weights, err := c.Game.Weights(c.Start)
	if err != nil {
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
	l := &loop{Config: c, run: run, champion: games.Player{Name: "start", ID: c.Start.ID(), Weights: weights}}
	l.result = Result{Format: formatName, Program: c.Program, Game: c.Game.Name, Title: c.Game.Title, Plan: c.Plan,
		Start: c.Start.ID()}
	if err := l.all(ctx); err != nil {
		return nil, err
	}
	return &l.result, nil
}

func (l *loop) all(ctx context.Context) error {
	start := l.champion
	for g := range l.Plan.Generations {
		if err := l.generation(ctx, g+1); err != nil {
			return fmt.Errorf("generation %d: %w", g+1, err)
		}
	}
	player := l.champion
	if player.ID == start.ID {
		player = l.last // how far the last fit is from being promoted is worth knowing
	}
	var err error
	s := l.series(0, "final", "final")
	s.A, s.B, s.Games = player, start, l.Plan.FinalGames
	if l.result.Final, err = l.match(ctx, "final match against the start weights", s, nil); err != nil {
		return err
	}
	if err := l.show(player); err != nil {
		return err
	}
	l.result.Champion = l.champion.ID
	for _, g := range l.result.Generations {
		if g.ID == player.ID {
			l.result.Learned, l.result.File, l.result.Terms = g.ID, folder(g.Number)+"/"+weightsName, g.Fit.Terms
		}
	}
	if l.result.Worth, err = l.worth(ctx); err != nil {
		return err
	}
	return l.run.Finish(&l.result)
}

// show keeps a game of the final match to look at.
func (l *loop) show(learned games.Player) error {
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
	weightsName = "weights.json"
	FitName     = "fit.json"   // in the folder of a generation: a tuner.Result
	MatchName   = "match.json" // in the folder of a match: a match.Result
)

func folder(g int) string { return fmt.Sprintf("gen-%d", g) }

// generation plays, learns, and lets the gate decide.
func (l *loop) generation(ctx context.Context, g int) error {
	r := GenerationResult{Number: g}
	s := l.series(g, "games", "selfplay")
	s.A, s.Games = l.champion, l.Plan.Games
	stage := learn.Begin(l.Stage, fmt.Sprintf("generation %d: self-play", g))
	s.Progress = stage.Update
	err := s.Self(ctx)
	if err != nil {
		return err
	}
	if r.Games, err = games.Count(s.Dir); err != nil {
		return err
	}
	stage.Finish(fmt.Sprintf("%d games, %d plies; %s won %d, drawn %d, %s won %d", r.Games.Games, r.Games.Plies,
		l.Game.Players[0], r.Games.First, r.Games.Drawn, l.Game.Players[1], r.Games.Second))
	stage = learn.Begin(l.Stage, fmt.Sprintf("generation %d: features", g))
	if err := s.Features(ctx, l.run.Path(folder(g), "features")); err != nil {
		return err
	}
	stage.Finish("")
	var file *models.File
	if r.Fit, file, err = l.fit(ctx, g); err != nil {
		return err
	}
	r.ID = file.ID()
	l.last = games.Player{Name: folder(g), ID: r.ID}
	if l.last.Weights, err = l.Game.Weights(file); err != nil {
		return err
	}
	if l.last.ID == l.champion.ID {
		r.Reason = "the fit changed nothing"
	} else if err := l.decide(ctx, g, &r); err != nil {
		return err
	}
	l.result.Generations = append(l.result.Generations, r)
	return nil
}

// decide lets the last fit's weights meet the champion's.
func (l *loop) decide(ctx context.Context, g int, r *GenerationResult) (err error) {
	s := l.series(g, "gate", "gate")
	s.A, s.B, s.Games = l.last, l.champion, l.Plan.GateGames
	if r.Gate, err = l.match(ctx, fmt.Sprintf("generation %d: gate", g), s, &gate); err != nil {
		return err
	}
	r.Promoted, r.Reason = r.Gate.Passed(), fmt.Sprintf("the gate said %s after %d games", r.Gate.Verdict, r.Gate.Games)
	if r.Promoted {
		l.champion = l.last
	}
	return l.run.Event("decision", map[string]any{
		"generation": g, "promoted": r.Promoted, "reason": r.Reason, "champion": l.champion.ID,
	})
}

// series returns games in a folder of a generation's folder, or of the run's if g is 0, without players.
func (l *loop) series(g int, name, stage string) games.Series {
	dir := l.run.Path(name)
	if g > 0 {
		dir = l.run.Path(folder(g), name)
	}
	return games.Series{Game: l.Game, Dir: dir, Depth: l.Plan.Depth, Seed: l.Plan.Seed, Generation: uint64(g),
		Stage:   stage,
		Program: l.Program, Workers: l.Workers}
}

func (l *loop) match(ctx context.Context, name string, s games.Series, test *sprt.Test) (*match.Result, error) {
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
