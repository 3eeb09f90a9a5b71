package match

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Run plays the match to its end and returns its result. With Out it continues where an
// earlier call stopped, and returns the result of a complete match without playing. After
// an error the match can be resumed; if Out has another configuration, the error is a
// *durable.ConfigChangedError.
//
// If the openings run out before a test has decided, the error wraps opening.ErrExhausted
// or selfplay.ErrNoOpening, and the result so far is returned with it. If too many games
// failed, the error wraps selfplay.ErrNoVerdict, and the result has the verdict NoVerdict.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	openings, err := c.Setup.Openings(ctx, c.need())
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	count, err := newCounter(&c)
	if err != nil {
		return nil, fmt.Errorf("match: %w: %w", selfplay.ErrConfig, err)
	}
	m := &match{Config: c, openings: openings, count: count}
	m.pairs = gamelog.Pairs{Name: "match", Fresh: openings.Len() == 0, // a book has no line twice
		Over: count.over, Count: count.add, After: m.progress,
		Guard: gamelog.Guard{Tolerance: c.Tolerance, Slots: c.Runner.Parallel(), Who: playerOf}}
	a, b := c.A, c.B
	a.Name, b.Name = "A: "+a.Label(), "B: "+b.Label()
	count.tally = &m.pairs.Guard.Tally
	m.name(nil)
	return gamelog.PlayRun(ctx, &m.pairs, gamelog.Run[Result]{Setup: &m.Setup, Limits: m.limits,
		Try: []selfplay.Player{a, b}, Players: []*selfplay.Player{&m.A, &m.B}, Identity: m.identity(openings),
		Games: c.Games, Short: m.short,
		Tags: testTags(c.Test, c.Corrected), Header: m.header, Reload: m.finished, Begin: m.name, Play: m.play})
}

// name shows the players by their names.
func (m *match) name(*durable.Run) error {
	m.count.result.A, m.count.result.B = m.A.Label(), m.B.Label()
	m.pairs.Guard.Names = []string{m.A.Label() + " (A)", m.B.Label() + " (B)"}
	return nil
}

// match is a match in progress.
type match struct {
	Config
	openings opening.Source
	count    *counter
	pairs    gamelog.Pairs
}

// short reports whether a result has fewer games than the match is to have: a test that has decided needs no more.
func (m *match) short(r *Result) bool {
	return (r.Test == nil || r.Verdict == Undecided) && (m.Games == 0 || uint64(r.Games) < m.Games)
}

// finished completes the result of a match that was complete before. The times come from
// the journal, because they are not part of the result.
func (m *match) finished(run *durable.Run, r *Result) error {
	if err := gamelog.CheckTotal(run.Dir(), uint64(r.Games), m.Games); err != nil {
		return err
	}
	r.Process = gamelog.Before(run)
	return gamelog.ReadPlayed(run.Path(gamelog.JournalName), func(g *selfplay.Result) error {
		if g.Number < uint64(r.Games) {
			for _, side := range []board.Color{board.White, board.Black} {
				r.Time[playerOf(g.Number, side)] += g.Time[side]
			}
		}
		return nil
	})
}

// header names the players of a game.
func (m *match) header(g *selfplay.Result) gamelog.Header {
	players := [2]selfplay.Player{m.A, m.B}
	white, black := playerOf(g.Number, board.White), playerOf(g.Number, board.Black)
	return gamelog.HeaderOf(g.Number, [2]selfplay.Limits{m.limits(white), m.limits(black)},
		[2]selfplay.Player{players[white], players[black]})
}

func (m *match) play(ctx context.Context) (*Result, error) {
	err := m.pairs.Play(ctx, m.series())
	exhausted := errors.Is(err, opening.ErrExhausted) || errors.Is(err, selfplay.ErrNoOpening)
	none := errors.Is(err, selfplay.ErrNoVerdict)
	if err != nil && !exhausted && !none {
		return nil, err
	}
	r := m.count.conclude()
	r.Process = m.pairs.Process()
	r.Warnings = slices.Concat(r.Warnings, m.pairs.Guard.Tally.StallWarnings([]string{r.A, r.B}))
	if none {
		r.Verdict, r.Reason, r.Strength = NoVerdict, m.pairs.Guard.Reason(), sprt.Unknown()
		return r, err
	}
	if exhausted {
		return r, fmt.Errorf("match: undecided after %d pairs: %w", m.pairs.Counted(), err)
	}
	return r, m.pairs.Finish(r)
}

func (m *match) series() selfplay.Series {
	s := m.Setup.Series(m.openings)
	s.Job = m.job
	if s.End = m.Games / 2; s.End == 0 {
		s.End = math.MaxUint64 / 2
	}
	return s
}

func (m *match) job(number uint64) selfplay.Job {
	players := [2]selfplay.Player{m.A, m.B}
	white, black := playerOf(number, board.White), playerOf(number, board.Black)
	job := m.Setup.Job(number, players[white], players[black])
	job.Limits = [2]selfplay.Limits{m.limits(white), m.limits(black)}
	return job
}

func (m *match) progress() {
	m.Progress(m.count.games.Games(), int64(m.Games), m.count.note())
}
