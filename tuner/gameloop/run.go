package gameloop

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// Command is the durable.RunInfo.Command of these runs.
const Command = "learn-game"

// MatchName is the file in the folder of a match with its match.Result.
const MatchName = "match.json"

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
	start := c.Start.ID()
	return gamelog.InFolder(c.Dir, durable.RunInfo{Command: Command, Resume: c.Resume, Program: c.Program},
		RunConfig{c.Program, c.Game.Name, start, c.Plan},
		func(_ *durable.Run, r *Result) error { r.Already = true; return nil },
		func(run *durable.Run) (*Result, error) {
			l := &loop{Config: c, run: run, result: Result{Format: formatName, Program: c.Program, Game: c.Game.Name,
				Title: c.Game.Title, Plan: c.Plan, Start: start}}
			return &l.result, l.all(ctx)
		})
}

func (l *loop) all(ctx context.Context) error {
	r, start := &l.result, &learn.Weights{WeightsRef: learn.WeightsRef{ID: l.Start.ID()}, Values: l.Start}
	champion, player, err := learn.Loop(ctx, l.run, l, l.Plan.Generations, start)
	if err != nil {
		return err
	}
	if champion.ID != start.ID { // else how far the last fit is from being promoted is worth knowing
		player = champion
	}
	s := games.Series{Dir: l.run.Path("final"), Stage: "final", Games: l.Plan.FinalGames}
	if r.Final, err = l.match(ctx, "final match against the start weights", s, player, start, nil); err != nil {
		return err
	}
	if r.Shown, err = l.Game.Show(s.Dir); err != nil {
		return err
	}
	for i, id := range r.Shown.Players {
		name := "start weights"
		if id == player.ID {
			name = "learned weights"
		}
		r.Shown.Players[i] = fmt.Sprintf("%s: %s", l.Game.Players[i], name)
	}
	r.Champion, r.Learned, r.File, r.Terms = champion.ID, player.ID, player.File, player.Terms
	r.Worth, err = l.worth(ctx)
	return err
}

// Propose plays and learns.
func (l *loop) Propose(ctx context.Context, g int, champion *learn.Weights) (*learn.Weights, error) {
	l.now = GenerationResult{Number: g}
	r, dir := &l.now, l.run.Path(learn.Folder(g))
	s := games.Series{Dir: filepath.Join(dir, "games"), Stage: "selfplay", Generation: uint64(g), Games: l.Plan.Games}
	stage, err := l.begin(&s, fmt.Sprintf("generation %d: self-play", g), champion, champion)
	if err != nil {
		return nil, err
	}
	if err := s.Self(ctx); err != nil {
		return nil, err
	}
	if r.Games, err = games.Count(s.Dir); err != nil {
		return nil, err
	}
	stage.Finish(fmt.Sprintf("%d games, %d plies; %s won %d, drawn %d, %s won %d", r.Games.Games, r.Games.Plies,
		l.Game.Players[0], r.Games.First, r.Games.Drawn, l.Game.Players[1], r.Games.Second))
	stage = learn.Begin(l.Stage, fmt.Sprintf("generation %d: features", g))
	if err := s.Features(ctx, filepath.Join(dir, "features")); err != nil {
		return nil, err
	}
	stage.Finish("")
	file, err := l.fit(ctx, g, champion.ID)
	if err != nil {
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
	s := games.Series{Dir: l.run.Path(learn.Folder(g), "gate"), Stage: "gate", Generation: uint64(g),
		Games: l.Plan.GateGames}
	r, err := l.match(ctx, fmt.Sprintf("generation %d: gate", g), s, proposed, champion, &gate)
	return r, proposed, err
}

// Decided keeps the result of a generation.
func (l *loop) Decided(_ int, d learn.Decision) error {
	l.now.Decision = d
	l.result.Generations = append(l.result.Generations, l.now)
	return nil
}

// begin begins the stage of a series between weights.
func (l *loop) begin(s *games.Series, name string, players ...*learn.Weights) (stage learn.StageProgress, err error) {
	stage = learn.Begin(l.Stage, name)
	s.Game, s.Depth, s.Seed, s.Program, s.Workers = l.Game, l.Plan.Depth, l.Plan.Seed, l.Program, l.Workers
	s.Progress = stage.Update
	for i, p := range []*games.Player{&s.A, &s.B} {
		w := players[i]
		*p = games.Player{Name: "start", ID: w.ID}
		if w.Generation > 0 {
			p.Name = learn.Folder(w.Generation)
		}
		if p.Weights, err = l.Game.Weights(w.Values); err != nil {
			return nil, err
		}
	}
	return stage, nil
}

func (l *loop) match(ctx context.Context, name string, s games.Series, a, b *learn.Weights, test *sprt.Test) (
	*match.Result, error) {
	stage, err := l.begin(&s, name, a, b)
	if err != nil {
		return nil, err
	}
	r, err := s.Match(ctx, test)
	if err != nil {
		return nil, err
	}
	stage.Finish(r.Headline())
	return r, durable.WriteJSON(filepath.Join(s.Dir, MatchName), r)
}
