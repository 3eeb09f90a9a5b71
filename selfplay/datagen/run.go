package datagen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// ErrForfeit says that a player lost a game by its own fault. Such a game is no training
// data, and the run stops.
var ErrForfeit = errors.New("a player failed")

// Run plays the games that are not in Out yet and completes the data set. If Out is
// complete, it plays nothing and sets Summary.Already. After an error a call with an equal
// configuration resumes the run. With another configuration the error is a
// *durable.ConfigChangedError.
func Run(ctx context.Context, c Config) (*Summary, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	openings, err := c.Setup.Openings(c.Games)
	if err != nil {
		return nil, fmt.Errorf("datagen: %w", err)
	}
	if !gamelog.Complete(c.Out) {
		if err := c.Setup.Preflight(ctx, func(int) selfplay.Limits { return c.Limits }, c.Players...); err != nil {
			return nil, fmt.Errorf("datagen: %w", err)
		}
	}
	id := c.identity(openings)
	info := durable.RunInfo{Command: "selfplay", Resume: c.Resume, Program: c.Program, Pinned: c.Pinned}
	run, err := durable.OpenRun(c.Out, info, id)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if doc, complete := run.Result(); complete {
		s := &Summary{Already: true}
		if err := json.Unmarshal(doc, s); err != nil {
			return nil, fmt.Errorf("datagen: %s: %w", run.Path(durable.RunResultName), err)
		}
		return s, nil
	}
	g := &generator{Config: c, id: id, run: run, openings: openings}
	g.summary.Timed = !c.Limits.Deterministic()
	summary, err := g.generate(ctx)
	if err != nil {
		_ = run.Event("stopped", map[string]any{"error": err.Error(), "games": g.safe()}) // the error is what matters
		return nil, err
	}
	return summary, run.Finish(summary)
}

// generator is a run in progress.
type generator struct {
	Config
	id       identity
	runID    string
	run      *durable.Run
	openings selfplay.Openings
	writer   *dataset.Writer[dataset.GameRow]
	summary  Summary
	used     []uint64 // keys of the openings on disk
	started  time.Time
}

func (g *generator) generate(ctx context.Context) (*Summary, error) {
	var err error
	if g.runID, err = gamelog.RunID(&g.id); err != nil {
		return nil, err
	}
	if err := g.openData(); err != nil {
		return nil, err
	}
	if g.writer == nil { // complete, but the process ended before it wrote the result
		return &g.summary, nil
	}
	defer g.writer.Close()
	if err := g.run.Event("playing", map[string]any{"from": g.summary.Games, "to": g.Games}); err != nil {
		return nil, err
	}
	g.started = time.Now()
	report, err := g.series().Run(ctx)
	if ctx.Err() != nil {
		err = fmt.Errorf("datagen: %s: interrupted with %d of %d games on disk: %w", g.Out, g.safe(), g.Games, context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	return g.finish(report)
}

// safe returns the number of games in complete shards.
func (g *generator) safe() int64 {
	if g.writer == nil {
		return g.summary.Games
	}
	return g.writer.Rows()
}

// openData opens the data set in the run's folder and counts its games. If it is
// complete, the writer stays nil.
func (g *generator) openData() error {
	config := dataset.WriterConfig{Config: g.id, Seed: g.Seed, Program: g.Program}
	if err := g.beginManifest(); err != nil {
		return err
	}
	w, err := dataset.NewGameWriter(g.Out, config)
	if errors.Is(err, dataset.ErrComplete) {
		return g.count()
	}
	if err != nil {
		return err
	}
	g.writer = w
	if w.Rows() == 0 {
		return nil
	}
	if err := g.count(); err != nil {
		w.Close()
		return err
	}
	return nil
}

// beginManifest writes an empty manifest into a new run's folder: without one, a data set
// is not started in a folder with other files, such as those of the run.
func (g *generator) beginManifest() error {
	_, err := durable.LoadManifest(g.Out)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	config, err := json.Marshal(g.id)
	if err != nil {
		return err
	}
	m := durable.Manifest{Format: durable.ManifestFormat, Schema: dataset.GamesFormat, Seed: g.Seed, Program: g.Program, Config: config}
	return m.Save(g.Out)
}

// count reads the games on disk.
func (g *generator) count() error {
	r, err := dataset.OpenGames(g.Out, dataset.Partial())
	if err != nil {
		return err
	}
	for row, err := range r.All() {
		if err != nil {
			return err
		}
		g.summary.add(g.Rule, &row)
		g.used = append(g.used, row.Opening)
	}
	if m := r.Manifest(); m.Complete {
		g.summary.DataID, err = m.ID()
	}
	return err
}

func (g *generator) series() *selfplay.Series {
	s := g.Setup.Series(g.openings)
	s.PerOpening = 1
	s.Job = g.job
	s.First, s.End = uint64(g.summary.Games), g.Games
	s.Used = g.used
	s.Deliver = func(_ uint64, games []selfplay.Result) error { return g.deliver(&games[0]) }
	return &s
}

// sides returns who plays White and Black in the game with the number.
func (g *generator) sides(number uint64) (white, black selfplay.Entrant) {
	n := uint64(len(g.Players))
	return g.Players[number%n], g.Players[(number+1)%n]
}

func (g *generator) job(number uint64) selfplay.Job {
	white, black := g.sides(number)
	return g.Setup.Job(number, white, black)
}

// deliver writes the next game.
func (g *generator) deliver(r *selfplay.Result) error {
	if loser, yes := r.Forfeited(); yes {
		err := fmt.Errorf("datagen: game %d: %w: %s, %s", r.Number, ErrForfeit, r.Players[loser], r.Fault)
		return errors.Join(err, gamelog.KeepFaultLog(g.Out, r))
	}
	if r.Void != "" {
		return fmt.Errorf("datagen: game %d is void: %s", r.Number, r.Void)
	}
	row, err := g.row(r)
	if err != nil {
		return fmt.Errorf("datagen: %w", err)
	}
	before := g.writer.Rows()
	if err := g.writer.Append(row); err != nil {
		return err
	}
	g.summary.add(g.Rule, row)
	n := uint64(len(g.Players))
	g.summary.Stalls.Add(r, [2]int{int(r.Number % n), int((r.Number + 1) % n)})
	g.summary.Played++
	g.summary.Plied += int64(len(r.Moves) - r.Opening)
	g.summary.Nodes += r.Nodes[0] + r.Nodes[1]
	if g.Progress != nil {
		g.Progress(g.summary.Games, int64(g.Games), "")
	}
	if now := g.writer.Rows(); now != before {
		return g.run.Event("shard", map[string]any{"games": now})
	}
	return nil
}

func (g *generator) row(r *selfplay.Result) (*dataset.GameRow, error) {
	row, err := gamelog.Row(r, g.runID)
	if err != nil {
		return nil, err
	}
	white, black := g.sides(r.Number)
	row.Nodes = uint32(g.Limits.Nodes)
	row.White, row.Black = white.Identity(), black.Identity()
	return row, nil
}

func (g *generator) finish(report selfplay.SeriesReport) (*Summary, error) {
	m, err := g.writer.Finish(&g.summary)
	if err != nil {
		return nil, err
	}
	if g.summary.DataID, err = m.ID(); err != nil {
		return nil, err
	}
	g.summary.Took, g.summary.Search = time.Since(g.started), report
	g.summary.Warnings = g.summary.Stalls.Warnings(g.id.Players)
	return &g.summary, nil
}
