package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/record"
)

// Run plays the match to its end and returns what it found. With Out it goes on where
// an earlier call stopped, and only says again what a complete match found. An error
// leaves Out as it is, to be resumed; with another configuration there, the error is a
// *store.ConfigChangedError.
//
// Where openings run out before a test has decided, the error wraps
// opening.ErrExhausted or selfplay.ErrNoOpening, and the result so far comes with it.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	c.defaults()
	openings, err := c.Opening.Open(selfplay.Seed(c.Seed, c.Generation, c.Stage+"/opening", 0))
	if err != nil {
		return nil, err
	}
	if err := c.checkBook(openings); err != nil {
		return nil, err
	}
	count, err := newCounter(&c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	m := &match{Config: c, openings: openings, count: count, known: map[uint64]selfplay.Result{}, begun: time.Now()}
	if c.Out == "" {
		return m.play(ctx)
	}
	return m.playOnDisk(ctx)
}

// match is a match in progress.
type match struct {
	Config
	openings opening.Source
	count    *counter
	disk     *record.Games              // nil: nothing is kept
	known    map[uint64]selfplay.Result // games of an earlier life that are not counted yet
	used     []uint64                   // keys of the openings counted
	played   int64                      // now
	begun    time.Time
}

func (m *match) playOnDisk(ctx context.Context) (*Result, error) {
	id := m.identity(m.openings)
	run, err := store.OpenRun(m.Out, store.RunInfo{Command: "match", Resume: m.Resume, Program: m.Program}, id)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if doc, complete := run.Result(); complete {
		return finished(run, doc)
	}
	m.disk, err = record.Open(record.Config{Run: run, Identity: id, Seed: m.Seed, Program: m.Program,
		Event: "assay match", Header: m.header}, m.replay)
	if err != nil {
		return nil, err
	}
	defer m.disk.Close()
	result, err := m.play(ctx)
	if err != nil {
		_ = run.Event("stopped", map[string]any{"error": err.Error(), "pairs": m.count.countedPair}) // the error is what matters
		return result, err
	}
	if err := m.disk.Finish(result); err != nil {
		return nil, err
	}
	return result, run.Finish(result)
}

// finished returns the result of a match that was complete before. The times are in
// the journal, because they are no part of the result.
func finished(run *store.Run, doc json.RawMessage) (*Result, error) {
	r := &Result{}
	if err := json.Unmarshal(doc, r); err != nil {
		return nil, fmt.Errorf("match: %s: %w", run.Path(store.RunResultName), err)
	}
	r.Already = true
	err := record.Read(run.Path(JournalName), func(g *selfplay.Result) error {
		if g.Number < uint64(r.Games) {
			for _, side := range []board.Color{board.White, board.Black} {
				r.Time[playerOf(g.Number, side)] += g.Time[side]
			}
		}
		return nil
	})
	return r, err
}

// replay takes a game from the journal: it counts as soon as all before it do.
func (m *match) replay(disk *record.Games, g *selfplay.Result) error {
	m.disk = disk
	if _, twice := m.known[g.Number]; twice || g.Number/2 < m.count.countedPair {
		return fmt.Errorf("game %d is there twice: %w", g.Number, store.ErrDamaged)
	}
	m.known[g.Number] = *g
	for !m.count.over() {
		next := 2 * m.count.countedPair
		first, ok := m.known[next]
		second, both := m.known[next+1]
		if !ok || !both {
			break
		}
		delete(m.known, next)
		delete(m.known, next+1)
		if _, err := m.deliver([]selfplay.Result{first, second}); err != nil {
			return err
		}
	}
	if m.count.over() {
		clear(m.known) // what comes after the end counts nowhere
	}
	return nil
}

// header names the players of a game.
func (m *match) header(g *selfplay.Result) record.Header {
	names := [2]string{m.A.Identity(), m.B.Identity()}
	white, black := playerOf(g.Number, board.White), playerOf(g.Number, board.Black)
	return record.Header{White: names[white], Black: names[black], Nodes: m.Limits[white].Nodes,
		Round: fmt.Sprintf("%d.%d", g.Number/2+1, g.Number%2+1)}
}

// deliver counts a pair and records its games.
func (m *match) deliver(pair []selfplay.Result) (over bool, err error) {
	over, err = m.count.add(pair)
	if err != nil {
		return over, err
	}
	if m.openings.Len() == 0 { // a book has no line twice
		first, err := pair[0].OpeningGame()
		if err != nil {
			return over, fmt.Errorf("match: %w", err)
		}
		m.used = append(m.used, first.Position().Key())
	}
	return over, m.disk.Record(pair)
}

func (m *match) play(ctx context.Context) (*Result, error) {
	var report selfplay.SeriesReport
	if !m.count.over() {
		m.progress()
		var err error
		report, err = m.series().Run(ctx)
		if ctx.Err() != nil {
			return nil, m.interrupted(context.Cause(ctx))
		}
		if errors.Is(err, opening.ErrExhausted) || errors.Is(err, selfplay.ErrNoOpening) {
			return m.conclude(report), fmt.Errorf("match: undecided after %d pairs: %w", m.count.countedPair, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return m.conclude(report), nil
}

func (m *match) interrupted(why error) error {
	if m.disk == nil {
		return fmt.Errorf("match: interrupted after %d pairs, of which nothing was kept: %w", m.count.countedPair, why)
	}
	return fmt.Errorf("match: %s: interrupted after %d pairs: %w", m.Out, m.count.countedPair, why)
}

func (m *match) conclude(report selfplay.SeriesReport) *Result {
	r := m.count.conclude()
	r.Played, r.Took, r.Search = m.played, time.Since(m.begun), report
	return r
}

func (m *match) series() *selfplay.Series {
	end := m.Games / 2
	if end == 0 {
		end = math.MaxUint64 / 2
	}
	return &selfplay.Series{
		Runner:   m.Runner,
		Openings: m.openings,
		Check: selfplay.OpeningCheck{Checker: m.Checker, Nodes: m.CheckNodes, Score: m.OpeningScore}.
			Check(selfplay.Seed(m.Seed, m.Generation, m.Stage+"/check", 0)),
		PerOpening: 2,
		Job:        m.job,
		First:      m.count.countedPair,
		End:        end,
		Used:       m.used,
		Known:      m.known,
		Finished: func(g selfplay.Result) error {
			m.played++
			return m.disk.Journalize(&g)
		},
		Deliver: func(_ uint64, pair []selfplay.Result) error {
			if err := m.disk.Sync(); err != nil {
				return err
			}
			over, err := m.deliver(pair)
			m.progress()
			if err == nil && over {
				err = selfplay.ErrStop
			}
			return err
		},
	}
}

func (m *match) job(number uint64) selfplay.Job {
	players := [2]selfplay.Entrant{m.A, m.B}
	job := selfplay.Job{Rule: m.Rule, Plies: m.Plies, Seed: selfplay.Seed(m.Seed, m.Generation, m.Stage, number)}
	for _, side := range []board.Color{board.White, board.Black} {
		p := playerOf(number, side)
		job.Players[side], job.Options[side], job.Limits[side] = players[p].Spec, players[p].Options, m.Limits[p]
	}
	return job
}

func (m *match) progress() {
	if m.Progress != nil {
		m.Progress(m.count.games.Games(), int64(m.Games), m.count.note())
	}
}
