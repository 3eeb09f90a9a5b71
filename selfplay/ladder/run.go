package ladder

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Run plays to the end and returns the ratings. With Out it continues where an earlier
// call stopped, and returns the result of a complete run without playing. After an error
// the run can be resumed; if Out has another configuration, the error is a
// *durable.ConfigChangedError.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	openings, err := c.Setup.Openings(ctx, c.need())
	if err != nil {
		return nil, err
	}
	l := &ladder{Config: c, openings: openings, table: newCrosstable(len(c.Players))}
	l.round = c.Schedule.round(len(c.Players))
	l.pairs = gamelog.Pairs{Name: "ladder", Fresh: openings.Len() == 0 && c.stride() == 1, Over: l.ended, Count: l.count,
		After: l.progress,
		Guard: gamelog.Guard{Tolerance: c.Tolerance, Slots: c.Runner.Parallel()}, Who: l.playerOf}
	for _, p := range c.Players {
		l.pairs.Guard.Names = append(l.pairs.Guard.Names, p.Label())
	}
	if l.fit, err = l.table.fit(c.Anchor, c.AnchorElo); err != nil {
		return nil, err
	}
	l.schedule()
	l.Players = slices.Clone(c.Players)
	var players []*selfplay.Player
	for i := range l.Players {
		players = append(players, &l.Players[i])
	}
	return gamelog.PlayRun(ctx, &l.pairs, gamelog.Run[Result]{Setup: &l.Setup, Try: c.Players, Players: players,
		Identity: l.identity(openings), Header: l.header, Play: l.play, Games: c.Games,
		Short: func(r *Result) bool { return uint64(r.Games) < c.Games },
		Reload: func(run *durable.Run, r *Result) error {
			r.Process = gamelog.Before(run)
			return gamelog.CheckTotal(run.Dir(), uint64(r.Games), c.Games)
		}})
}

// ladder is a run in progress.
type ladder struct {
	Config
	openings opening.Source
	pairs    gamelog.Pairs
	table    *crosstable
	fit      *fit      // of the complete batches
	round    []pairing // of the schedule
	chosen   []pairing // of the pairs, in order of number
	over     bool      // the intervals are narrow enough
}

func (l *ladder) play(ctx context.Context) (*Result, error) {
	err := l.pairs.Play(ctx, l.series())
	if errors.Is(err, selfplay.ErrNoVerdict) {
		r := l.noVerdict()
		l.note(r)
		return r, err
	}
	if err != nil {
		return nil, err
	}
	fit, err := l.table.fit(l.Anchor, l.AnchorElo)
	if err != nil {
		return nil, err
	}
	r := conclude(&l.Config, l.table, fit, &l.pairs.Guard.Tally)
	l.note(r)
	return r, l.pairs.Finish(r)
}

// note notes in a result how the games went.
func (l *ladder) note(r *Result) {
	g := &l.pairs.Guard
	r.Terminations, r.Plies, r.VoidPairs, r.Process = g.Tally.Terminations, g.Tally.Plies, g.Tally.Void, l.pairs.Process()
	r.StalledGames, r.Warnings = g.Tally.Stalled, g.Warnings(l.Limits, l.Players...)
}

func (l *ladder) ended() bool { return l.over || l.delivered() >= l.end() }

func (l *ladder) delivered() uint64 { return uint64(l.table.pairs) }

// schedule chooses the pairings of the batches that may start. It is called when the last
// pair of a batch is counted, so its choice does not depend on which other games are done.
func (l *ladder) schedule() {
	target := min(l.delivered()+batch*batchesAhead, l.end())
	for n := uint64(len(l.chosen)); n < target && (l.Schedule != Widest || n < uint64(len(l.round))); n++ {
		l.chosen = append(l.chosen, l.round[n%uint64(len(l.round))])
	}
	if missing := int(target) - len(l.chosen); missing > 0 {
		l.chosen = append(l.chosen, choose(l.fit, l.chosen[l.delivered():], missing)...)
	}
}

func (l *ladder) series() selfplay.Series {
	s := l.Setup.Series(opening.Rounds{Source: l.openings, Pairs: l.stride()})
	s.Job = l.job
	s.Hold = func(pair uint64) bool { return pair >= uint64(len(l.chosen)) }
	s.Repeats = l.stride() > 1
	s.End = l.end()
	return s
}

// sides returns who plays White and Black in a game: the first of a pairing has White
// in the first of its games.
func (l *ladder) sides(game uint64) (white, black int) {
	p := l.chosen[game/2]
	if game%2 == 1 {
		return p.second, p.first
	}
	return p.first, p.second
}

// playerOf returns the player with the side in a game.
func (l *ladder) playerOf(game uint64, side board.Color) int {
	white, black := l.sides(game)
	return [2]int{white, black}[side]
}

func (l *ladder) job(number uint64) selfplay.Job {
	white, black := l.sides(number)
	return l.Setup.Job(number, l.Players[white], l.Players[black])
}

func (l *ladder) header(g *selfplay.Result) gamelog.Header {
	white, black := l.sides(g.Number)
	return gamelog.HeaderOf(g.Number, [2]selfplay.Limits{l.Limits, l.Limits},
		[2]selfplay.Player{l.Players[white], l.Players[black]})
}

// count counts a pair.
func (l *ladder) count(pair []selfplay.Result) error {
	p := l.chosen[l.delivered()]
	if err := l.table.add(p.first, p.second, int(pair[0].Result), int(pair[1].Result)); err != nil {
		return err
	}
	if l.delivered()%batch != 0 {
		return nil
	}
	var err error
	if l.fit, err = l.table.fit(l.Anchor, l.AnchorElo); err != nil {
		return err
	}
	l.over = l.narrow()
	l.schedule()
	return nil
}

// narrow reports whether all intervals are within Within.
func (l *ladder) narrow() bool {
	if l.Within == 0 || l.delivered() < uint64(len(l.round)) {
		return false
	}
	return l.widest() <= l.Within
}

// widest returns the widest interval's half width, in Elo.
func (l *ladder) widest() (elo float64) {
	for i := range l.Players {
		elo = max(elo, z95*l.fit.se(i))
	}
	return elo
}

func (l *ladder) progress() {
	note := ""
	if l.delivered() >= batch {
		best := 0
		for i := range l.Players {
			if l.fit.rating(i) > l.fit.rating(best) {
				best = i
			}
		}
		note = fmt.Sprintf("%s %+.0f leads  widest ±%.0f", l.Players[best].Label(), l.fit.rating(best), l.widest())
	}
	l.Progress(2*l.table.pairs, int64(l.Games), note)
}
