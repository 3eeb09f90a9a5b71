package gamelog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Pairs plays pairs of games and counts them in the order of their numbers, those that an
// earlier process played first. A game counts when its line of the journal is on disk, and
// never twice.
//
// It knows no points: Count does, and Over reports when enough pairs are counted. A pair with
// a void game counts nowhere and is played again; both attempts are in the journal.
type Pairs struct {
	Name  string                                  // of the command
	Fresh bool                                    // no opening may repeat: counted pairs' are kept
	Over  func() bool                             // nothing more counts
	Count func(pair []selfplay.Result) error      // the next pair, which Guard.Tally has
	Who   func(game uint64, side board.Color) int // index of the player with the side; nil: all are player 0
	After func()                                  // called after each pair that this process played; may be nil
	Guard Guard                                   // ends the run without a verdict if too many games fail

	started time.Time
	games   *games // nil: nothing is kept
	next    uint64 // pair to be counted
	played  int64
	load    machine.Load
	used    []uint64                   // keys of the openings counted
	waiting map[uint64]selfplay.Result // games in the journal that are not counted yet
	void    map[uint64]int             // how often a pair that is not counted yet was void
}

// Counted returns the number of pairs that are.
func (p *Pairs) Counted() uint64 { return p.next }

// keep opens the run's files and counts the pairs of its journal. The caller must call
// Close, and Finish if the run ends without an error.
func (p *Pairs) keep(c destination) error {
	p.waiting, p.void = map[uint64]selfplay.Result{}, map[uint64]int{}
	games, err := open(c, p.replay)
	p.games = games
	return err
}

// Finish completes the run's files.
func (p *Pairs) Finish(summary any) error {
	if p.games == nil {
		return nil
	}
	return p.games.Finish(summary)
}

// close closes the run's files.
func (p *Pairs) close() error { return p.games.Close() }

// replay takes a game of the journal. It counts as soon as all games before it count.
func (p *Pairs) replay(games *games, g *selfplay.Result) error {
	p.games = games
	if _, twice := p.waiting[g.Number]; twice || g.Number/2 < p.next {
		return fmt.Errorf("game %d is in the journal twice: %w", g.Number, durable.ErrDamaged)
	}
	if p.over() {
		return nil // games after the end do not count
	}
	p.waiting[g.Number] = *g
	p.dropVoid(g.Number / 2)
	for !p.over() {
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
	clear(p.waiting)
	return nil
}

// dropVoid drops the games of the pair if both are there and one is void.
func (p *Pairs) dropVoid(pair uint64) {
	first, one := p.waiting[2*pair]
	second, two := p.waiting[2*pair+1]
	if one && two && (first.Void != "" || second.Void != "") {
		delete(p.waiting, 2*pair)
		delete(p.waiting, 2*pair+1)
		p.countVoid(pair)
	}
}

func (p *Pairs) countVoid(pair uint64) {
	p.void[pair]++
	p.Guard.Tally.Void++
}

// over reports whether nothing more counts.
func (p *Pairs) over() bool { return p.Guard.Reason() != "" || p.Over() }

func (p *Pairs) count(pair []selfplay.Result) error {
	if p.Fresh {
		first, err := pair[0].OpeningGame()
		if err != nil {
			return err
		}
		p.used = append(p.used, first.Position().Key())
	}
	if err := p.games.Record(pair); err != nil {
		return err
	}
	delete(p.void, p.next)
	p.next++
	var ended []Ended
	for i := range pair {
		var players [2]int
		if p.Who != nil {
			players = [2]int{p.Who(pair[i].Number, board.White), p.Who(pair[i].Number, board.Black)}
		}
		p.Guard.Tally.Add(&pair[i], players)
		ended = append(ended, endedOf(&pair[i], players))
	}
	p.Guard.Count(ended...)
	return p.Count(pair)
}

// Play plays the pairs of the series that are not counted yet, until Over. The numbers of
// the series count pairs. If there is no verdict, the error wraps
// selfplay.ErrNoVerdict.
func (p *Pairs) Play(ctx context.Context, s selfplay.Series) error {
	err := p.play(ctx, s)
	switch {
	case errors.Is(err, selfplay.ErrVoid):
		p.Guard.reason, p.Guard.blamed = err.Error(), -1
	case err == nil || errors.Is(err, opening.ErrExhausted) || errors.Is(err, selfplay.ErrNoOpening):
		p.Guard.Conclude()
	default:
		return err
	}
	p.Guard.Blame(p.load)
	if none := p.Guard.err(); none != nil {
		return none
	}
	return err
}

func (p *Pairs) play(ctx context.Context, s selfplay.Series) error {
	if p.over() {
		if p.games != nil {
			p.load = ReadLoad(p.games.Run.Dir())
		}
		return nil
	}
	if p.void == nil {
		p.void = map[uint64]int{}
	}
	if p.After != nil {
		p.After()
	}
	s.PerOpening, s.First, s.Used, s.Known, s.Attempts = 2, p.next, p.used, p.waiting, maps.Clone(p.void)
	s.Finished = func(g selfplay.Result) error {
		p.played++
		return p.games.journalize(&g)
	}
	s.Voided = func(pair uint64, _ []selfplay.Result) error {
		p.countVoid(pair)
		return nil
	}
	s.Deliver = func(_ uint64, pair []selfplay.Result) error { return p.deliver(pair) }
	report, err := s.Run(ctx)
	if e := p.noteLoad(report.Load); err == nil {
		err = e
	}
	switch {
	case ctx.Err() == nil:
		return err
	case p.games == nil:
		return fmt.Errorf("interrupted after %d pairs, which were not kept: %w", p.next,
			context.Cause(ctx))
	}
	return fmt.Errorf("%s: interrupted after %d pairs: %w", p.games.Run.Dir(), p.next,
		context.Cause(ctx))
}

// noteLoad keeps the load during the series, and adds earlier processes'.
func (p *Pairs) noteLoad(l machine.Load) error {
	p.load = l
	if p.games == nil {
		return nil
	}
	err := p.games.noteLoad(l)
	p.load = ReadLoad(p.games.Run.Dir())
	return err
}

func (p *Pairs) deliver(pair []selfplay.Result) error {
	if err := p.games.Sync(); err != nil {
		return err
	}
	if err := p.count(pair); err != nil {
		return err
	}
	if p.After != nil {
		p.After()
	}
	if p.over() {
		return selfplay.ErrStop
	}
	return nil
}
