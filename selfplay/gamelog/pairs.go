package gamelog

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay"
)

// Pairs plays pairs of games and counts them in the order of their numbers, those of
// an earlier life of the run before any that are played now. A game counts once its
// line of the journal is on disk, and never twice.
//
// It knows of no points: Count does, and Over says when enough is counted.
type Pairs struct {
	Name  string                             // of the command, for errors
	Fresh bool                               // no opening comes again: those that are counted are remembered
	Over  func() bool                        // nothing more counts
	Count func(pair []selfplay.Result) error // the next pair
	Told  func()                             // after each pair that was played now; may be nil

	games   *Games // nil: nothing is kept
	next    uint64 // pair to be counted
	played  int64
	used    []uint64                   // keys of the openings counted
	waiting map[uint64]selfplay.Result // games of an earlier life that are not counted yet
}

// Counted returns the number of pairs that are.
func (p *Pairs) Counted() uint64 { return p.next }

// Played returns how many games were played now, those that do not count included.
func (p *Pairs) Played() int64 { return p.played }

// Keep opens the run's files and counts what its journal holds. They are to be
// finished, and closed in any case.
func (p *Pairs) Keep(c Config) error {
	p.waiting = map[uint64]selfplay.Result{}
	games, err := Open(c, p.replay)
	p.games = games
	return err
}

// Finish completes what was recorded.
func (p *Pairs) Finish(summary any) error {
	if p.games == nil {
		return nil
	}
	return p.games.Finish(summary)
}

// Close closes the run's files.
func (p *Pairs) Close() error { return p.games.Close() }

// replay takes a game of the journal: it counts as soon as all before it do.
func (p *Pairs) replay(games *Games, g *selfplay.Result) error {
	p.games = games
	if _, twice := p.waiting[g.Number]; twice || g.Number/2 < p.next {
		return fmt.Errorf("game %d is there twice: %w", g.Number, durable.ErrDamaged)
	}
	p.waiting[g.Number] = *g
	for !p.Over() {
		first, one := p.waiting[2*p.next]
		second, two := p.waiting[2*p.next+1]
		if !one || !two {
			return nil
		}
		delete(p.waiting, first.Number)
		delete(p.waiting, second.Number)
		if err := p.count([]selfplay.Result{first, second}); err != nil {
			return err
		}
	}
	clear(p.waiting) // what comes after the end counts nowhere
	return nil
}

func (p *Pairs) count(pair []selfplay.Result) error {
	if p.Fresh {
		first, err := pair[0].OpeningGame()
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		p.used = append(p.used, first.Position().Key())
	}
	if err := p.games.Record(pair); err != nil {
		return err
	}
	p.next++
	return p.Count(pair)
}

// Play plays what is not counted yet of the series, whose numbers are those of pairs,
// until Over. The series says who plays whom, from where and for how long.
func (p *Pairs) Play(ctx context.Context, s selfplay.Series) (selfplay.SeriesReport, error) {
	if p.Over() {
		return selfplay.SeriesReport{}, nil
	}
	if p.Told != nil {
		p.Told()
	}
	s.PerOpening, s.First, s.Used, s.Known = 2, p.next, p.used, p.waiting
	s.Finished = func(g selfplay.Result) error {
		p.played++
		return p.games.Journalize(&g)
	}
	s.Deliver = func(_ uint64, pair []selfplay.Result) error { return p.deliver(pair) }
	report, err := s.Run(ctx)
	switch {
	case ctx.Err() == nil:
		return report, err
	case p.games == nil:
		return report, fmt.Errorf("%s: interrupted after %d pairs, of which nothing was kept: %w", p.Name, p.next, context.Cause(ctx))
	}
	return report, fmt.Errorf("%s: %s: interrupted after %d pairs: %w", p.Name, p.games.Run.Dir(), p.next, context.Cause(ctx))
}

func (p *Pairs) deliver(pair []selfplay.Result) error {
	if err := p.games.Sync(); err != nil {
		return err
	}
	if err := p.count(pair); err != nil {
		return err
	}
	if p.Told != nil {
		p.Told()
	}
	if p.Over() {
		return selfplay.ErrStop
	}
	return nil
}
