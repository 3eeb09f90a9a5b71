package datagen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// ErrForfeit says that a player forfeited more games than are tolerated, so that the run
// stopped. Its games are kept. It is a selfplay.ErrNoVerdict too.
var ErrForfeit error = forfeitError{}

type forfeitError struct{}

func (forfeitError) Error() string        { return "a player failed" }
func (forfeitError) Is(target error) bool { return target == selfplay.ErrNoVerdict }

// Run plays the games that are not in Out yet and completes the data set. If Out is
// complete, it plays nothing and sets Summary.Already. After an error a call with an equal
// configuration resumes the run. With another configuration the error is a
// *durable.ConfigChangedError.
func Run(ctx context.Context, c Config) (*Summary, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	openings, err := c.Setup.Openings(ctx, c.Games)
	if err != nil {
		return nil, err
	}
	short := func(s *Summary) bool { return uint64(s.Games) < c.Games }
	if gamelog.Short(c.Out, short) || !gamelog.Complete(c.Out) {
		if err := c.Setup.Preflight(ctx, func(int) selfplay.Limits { return c.Limits }, c.Players...); err != nil {
			return nil, err
		}
	}
	id := c.identity(openings)
	info := durable.RunInfo{Command: "selfplay", Resume: c.Resume, Program: c.Program, Pinned: c.Pinned,
		Total: c.Games, Players: gamelog.Players(c.Players...)}
	reload := func(_ *durable.Run, s *Summary) error {
		s.Already = true
		return gamelog.CheckTotal(c.Out, uint64(s.Games), c.Games)
	}
	return gamelog.InFolder(c.Out, info, id, short, reload, func(run *durable.Run) (*Summary, error) {
		if c.Progress != nil {
			c.Progress = run.Progress(c.Progress)
		}
		g := newGenerator(c, id, run, openings)
		g.summary.Timed = !c.Limits.Deterministic()
		return g.generate(ctx)
	})
}

type generator struct {
	Config
	id       identity
	run      *durable.Run
	openings selfplay.Openings
	writer   *dataset.Writer[dataset.GameRow]
	rows     rowMaker
	pending  *durable.Pending[selfplay.Result] // finished games that are in no listed shard
	known    map[uint64]selfplay.Result        // games of earlier processes
	guard    gamelog.Guard
	fault    string // the last one of a player
	summary  Summary
	used     []uint64 // keys of the openings in listed shards
	started  time.Time

	shown int64                        // how many games are announced
	soon  struct{ games, added int64 } // how many will be when that many lines of the journal are on disk
}

func newGenerator(c Config, id identity, run *durable.Run, openings selfplay.Openings) *generator {
	g := &generator{Config: c, id: id, run: run, openings: openings, rows: newRowMaker(id, &id)}
	g.guard = gamelog.Guard{Tolerance: c.Tolerance, Slots: c.Runner.Parallel()}
	for _, p := range c.Players {
		g.guard.Names = append(g.guard.Names, p.Label())
	}
	return g
}

// sidesOf returns the indices of White's and Black's player in a game among n players.
func sidesOf(game uint64, n int) [2]int {
	return [2]int{int(game % uint64(n)), int((game + 1) % uint64(n))}
}

func (g *generator) generate(ctx context.Context) (*Summary, error) {
	err := g.openData()
	if err != nil {
		return nil, err
	}
	if g.writer == nil { // complete, but the process ended before it wrote the result
		return &g.summary, durable.RemovePending(g.run.Path(gamelog.JournalName))
	}
	defer g.writer.Close()
	if g.pending, err = gamelog.OpenPending(g.Out, uint64(g.summary.Games)); err != nil {
		return nil, err
	}
	report, err := g.play(ctx)
	if err = errors.Join(err, g.pending.Close()); err != nil {
		return nil, err
	}
	return g.finish(report)
}

// play plays the games that are neither in shards nor in the journal.
func (g *generator) play(ctx context.Context) (report selfplay.SeriesReport, err error) {
	g.known = g.pending.Units()
	has := uint64(0)
	for number := range g.known {
		has = max(has, number+1)
	}
	if err := gamelog.CheckTotal(g.Out, has, g.Games); err != nil {
		return report, err
	}
	if err := g.run.Event("playing", map[string]any{"from": g.summary.Games, "journal": len(g.known),
		"to": g.Games}); err != nil {
		return report, err
	}
	g.started = time.Now()
	g.soon.games = g.summary.Games + int64(len(gapless(g.known, uint64(g.summary.Games))))
	g.show(g.soon.games)
	if err = g.tolerated(); err == nil {
		report, err = g.series().Run(ctx)
	}
	if ctx.Err() != nil {
		return report, fmt.Errorf("%s: interrupted with %d of %d games on disk: %w", g.Out,
			g.writer.Rows()+int64(len(g.pending.Units())), g.Games, context.Cause(ctx))
	}
	if err == nil || errors.Is(err, ErrForfeit) {
		g.guard.Conclude()
		g.guard.Blame(report.Load)
		err = g.tolerated()
	}
	return report, err
}

// tolerated returns an error if a player has forfeited too many games.
func (g *generator) tolerated() error {
	if g.guard.Reason() == "" {
		return nil
	}
	last := ""
	if g.fault != "" {
		last = "; the last was " + g.fault
	}
	return fmt.Errorf("%s: %w: %w%s", g.Out, ErrForfeit, g.guard.Cause(), last)
}

// openData opens the data set in the run's folder and counts its games. If it is
// complete, the writer stays nil.
func (g *generator) openData() error {
	config := dataset.WriterConfig{Config: g.id, Seed: g.Seed, Program: g.Program}
	if err := g.reopen(); err != nil {
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

// reopen makes a complete data set with too few games one that is continued. The games of a last shard that is
// not full go back to the journal.
func (g *generator) reopen() error {
	m, err := durable.LoadManifest(g.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a new run
	}
	if err != nil {
		return err
	}
	if uint64(m.Rows) >= g.Games {
		return gamelog.CheckTotal(g.Out, uint64(m.Rows), g.Games)
	}
	return dataset.ReopenGames(g.Out, func(before int64, last []dataset.GameRow) error {
		journal, err := gamelog.OpenPending(g.Out, uint64(before))
		if err != nil {
			return err
		}
		for i := range last {
			number := uint64(before) + uint64(i)
			job := g.job(number)
			if err = journal.Add(*gamelog.ResultOf(&last[i], number, job.Specs())); err != nil {
				break
			}
		}
		return errors.Join(err, journal.Close())
	})
}

// count reads the games on disk.
func (g *generator) count() error {
	r, err := dataset.OpenGames(g.Out, dataset.Partial)
	if err != nil {
		return err
	}
	for row, err := range r.All() {
		if err != nil {
			return err
		}
		g.add(&row, gamelog.ResultOf(&row, uint64(g.summary.Games), [2]string{}))
		g.used = append(g.used, row.Opening)
	}
	if m := r.Manifest(); m.Complete {
		g.summary.DataID = m.ID()
	}
	return nil
}

func (g *generator) add(row *dataset.GameRow, r *selfplay.Result) {
	g.summary.add(g.Rule, row)
	g.guard.Count(func(game uint64) [2]int { return sidesOf(game, len(g.Players)) }, *r)
}

func (g *generator) series() *selfplay.Series {
	s := g.Setup.Series(g.openings)
	s.PerOpening = 1
	s.Job = g.job
	s.First, s.End = uint64(g.summary.Games), g.Games
	s.Used, s.Known = g.used, g.known
	s.Finished = g.finished
	s.Deliver = func(_ uint64, games []selfplay.Result) error { return g.deliver(&games[0]) }
	return &s
}

// viewFault returns a fault of the players' scores, with their names as typed. Scores
// arrive from the view of the side to move.
func (g *generator) viewFault() *dataset.ViewFault {
	f := g.summary.views.Fault()
	if f == nil {
		return nil
	}
	f.Flipped = true
	for i, name := range f.Players {
		for _, e := range g.Players {
			if e.Identity() == name {
				f.Players[i] = e.Label()
			}
		}
	}
	return f
}

func (g *generator) job(number uint64) selfplay.Job {
	sides := sidesOf(number, len(g.Players))
	return g.Setup.Job(number, g.Players[sides[0]], g.Players[sides[1]])
}

// finished keeps a game that has ended. A void one is played again.
func (g *generator) finished(r selfplay.Result) error {
	if r.Void != "" {
		return nil
	}
	if err := gamelog.KeepFaultLog(g.Out, &r); err != nil {
		return err
	}
	return g.pending.Add(*gamelog.Line(&r))
}

func (g *generator) deliver(r *selfplay.Result) error {
	row, err := g.rows.row(r)
	if err != nil {
		return err
	}
	before := g.writer.Rows()
	if err := g.writer.Append(row); err != nil {
		return err
	}
	g.guard.Tally.Add(r, sidesOf(r.Number, len(g.Players)))
	g.add(row, r)
	if _, earlier := g.known[r.Number]; !earlier {
		g.played(r)
	}
	if now := g.writer.Rows(); now != before {
		if err := g.pending.Listed(uint64(now)); err != nil {
			return err
		}
		if err := g.run.Event("shard", map[string]any{"games": now}); err != nil {
			return err
		}
	}
	if r.Fault != "" {
		g.fault = fmt.Sprintf("game %d: %s", r.Number, r.Fault)
	}
	return g.tolerated()
}

// played counts a game of this process.
func (g *generator) played(r *selfplay.Result) {
	g.summary.Played++
	g.summary.Plied += int64(len(r.Moves) - r.Opening)
	g.summary.Nodes += r.Nodes[0] + r.Nodes[1]
	g.announce()
}

// announce shows how many games are done that survive a power cut. A new count is shown when the journal, which is
// synced once a second, has its last game on disk.
func (g *generator) announce() {
	shown := g.shown
	added, safe := g.pending.Written()
	if safe >= g.soon.added {
		shown = g.soon.games
		g.soon.games, g.soon.added = g.summary.Games, added
	}
	if safe == added {
		shown = g.summary.Games
	}
	g.show(shown)
}

func (g *generator) show(games int64) {
	if g.shown = games; g.Progress != nil {
		g.Progress(games, int64(g.Games), "")
	}
}

func (g *generator) finish(report selfplay.SeriesReport) (*Summary, error) {
	m, err := g.writer.Finish(&g.summary)
	if err == nil {
		err = durable.RemovePending(g.run.Path(gamelog.JournalName))
	}
	if err != nil {
		return nil, err
	}
	g.summary.DataID = m.ID()
	g.summary.Took, g.summary.Search = time.Since(g.started), report
	g.summary.Warnings = g.guard.Warnings(g.Limits, g.Players...)
	g.summary.Views = g.viewFault()
	g.show(g.summary.Games)
	return &g.summary, nil
}
