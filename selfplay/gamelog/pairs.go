package gamelog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

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
	Name  string                             // of the command
	Fresh bool                               // no opening may repeat: counted pairs' are kept
	Over  func() bool                        // nothing more counts
	Count func(pair []selfplay.Result) error // the next pair, which Guard.Tally has
	Who   func(game uint64) [2]int           // indices of White's and Black's player; nil: both are player 0
	After func()                             // called before the first and after each pair that this process played
	Guard Guard                              // ends the run without a verdict if too many games fail

	started time.Time
	games   *games // nil: nothing is kept
	next    uint64 // pair to be counted
	has     uint64 // games of the journal, by their numbers
	played  int64
	load    machine.Load
	used    []uint64                   // keys of the openings counted
	waiting map[uint64]selfplay.Result // games in the journal that are not counted yet
	void    map[uint64]int             // how often a pair that is not counted yet was void
}

// Counted returns the number of pairs that are.
func (p *Pairs) Counted() uint64 { return p.next }

// keep opens the run's files and counts the pairs of its journal. The caller must close
// them, and call Finish if the run ends without an error. If keep fails, they are closed.
func (p *Pairs) keep(c destination) error {
	p.waiting, p.void, p.games = map[uint64]selfplay.Result{}, map[uint64]int{}, &games{destination: c}
	if err := p.games.open(p.replay); err != nil {
		return errors.Join(err, p.games.Close())
	}
	return nil
}

// Finish completes the run's files.
func (p *Pairs) Finish(summary any) error {
	if p.games == nil {
		return nil
	}
	return p.games.Finish(summary)
}

// replay takes a game of the journal. It counts as soon as all games before it count.
func (p *Pairs) replay(g *selfplay.Result) error {
	p.has = max(p.has, g.Number+1)
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
	for i := range pair {
		p.Guard.Tally.Add(&pair[i], p.players(pair[i].Number))
	}
	p.Guard.Count(p.players, pair...)
	return p.Count(pair)
}

// players returns the indices of White's and Black's player.
func (p *Pairs) players(game uint64) (list [2]int) {
	if p.Who != nil {
		list = p.Who(game)
	}
	return list
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
	p.After()
	s.PerOpening, s.First, s.Used, s.Known, s.Attempts = 2, p.next, p.used, p.waiting, maps.Clone(p.void)
	s.Finished = func(g selfplay.Result) error {
		p.played++
		return p.games.journalize(&g)
	}
	s.Voided = p.countVoid
	s.Deliver = func(_ uint64, pair []selfplay.Result) error { return p.deliver(pair) }
	report, err := s.Run(ctx)
	if e := p.noteLoad(report.Load); err == nil {
		err = e
	}
	switch {
	case ctx.Err() == nil:
		return err
	case p.games == nil:
		return fmt.Errorf("interrupted after %d pairs, which were not kept: %w", p.next, context.Cause(ctx))
	}
	return fmt.Errorf("%s: interrupted after %d pairs: %w", p.games.Run.Dir(), p.next, context.Cause(ctx))
}

// noteLoad keeps the load during the series, and adds earlier processes'.
func (p *Pairs) noteLoad(l machine.Load) (err error) {
	if p.load = l; p.games == nil {
		return nil
	}
	if l.Time != 0 {
		err = p.games.Run.Event(loadEvent, l)
	}
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
	p.After()
	if p.over() {
		return selfplay.ErrStop
	}
	return nil
}

// Guard counts the games of a run that failed or stalled, and ends it without a verdict if there
// are too many (see selfplay.Tolerance).
type Guard struct {
	selfplay.Tolerance

	Names []string // of the players, for the reason
	Slots int      // games at once

	Tally Tally // of the games that count

	pairs  int64
	reason string // why there is no verdict
	blamed int    // the player that it is about; -1: none
	busy   bool   // the machine is to blame
}

// Reason says in words why there is no verdict; empty: there is one.
func (g *Guard) Reason() string { return g.reason }

// err returns an error that wraps selfplay.ErrNoVerdict, or nil if there is a verdict.
func (g *Guard) err() error {
	if g.reason == "" {
		return nil
	}
	return fmt.Errorf("%w: %w", selfplay.ErrNoVerdict, g.Cause())
}

// Cause returns the reason as an error; it wraps selfplay.ErrBusy if the machine is to blame.
func (g *Guard) Cause() error {
	if g.busy {
		return fmt.Errorf("%w%s", selfplay.ErrBusy, strings.TrimPrefix(g.reason, selfplay.ErrBusy.Error()))
	}
	return errors.New(g.reason)
}

// Blame begins the reason with the machine if that was busier than its cores, by the load or by
// the stalls of this process, and games were void or most forfeits of the player were for want of time.
func (g *Guard) Blame(load machine.Load) {
	if g.busy || g.reason == "" {
		return
	}
	if g.blamed >= 0 {
		if p := g.Tally.Player(g.blamed); 2*p.Late < p.Forfeits {
			return
		}
	}
	switch {
	case load.Busy():
		g.reason = fmt.Sprintf("%v (%v; room for about %d at once): %s", selfplay.ErrBusy, load, load.Fit(g.Slots), g.reason)
	case g.Tally.busy():
		g.reason = fmt.Sprintf("%v (it stood still in %d of %d games): %s", selfplay.ErrBusy, g.Tally.Stalled,
			g.Tally.Measured, g.reason)
	default:
		return
	}
	g.busy = true
}

// Count counts a pair, or a game that has no partner, and looks if it is time to. who returns the indices of White's
// and Black's player in a game, which may be the same.
func (g *Guard) Count(who func(game uint64) [2]int, games ...selfplay.Result) {
	g.pairs++
	for i := range games {
		g.Tally.end(&games[i], who(games[i].Number))
	}
	for i := range games {
		for _, player := range who(games[i].Number) {
			if g.Look(g.Tally.Player(player).Games) {
				g.lookAt(player)
			}
		}
	}
	if g.Look(2 * g.pairs) {
		g.lookAtVoid()
	}
}

// Warnings names stalls of the runner, and players that seem not to know "go nodes". The players are in the order of
// g.Names.
func (g *Guard) Warnings(limits selfplay.Limits, players ...selfplay.Player) []string {
	list := g.Tally.StallWarnings(g.Names)
	for i, p := range players {
		n := g.Tally.Player(i)
		if text := p.Ignores(limits, float64(n.Nodes)/max(1, n.searches)); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// Conclude is the look at the end.
func (g *Guard) Conclude() {
	for player := range g.Tally.players {
		g.lookAt(player)
	}
	g.lookAtVoid()
}

func (g *Guard) lookAt(player int) {
	n := g.Tally.Player(player)
	if g.reason != "" || !g.Forfeits(n.Forfeits, n.Games) {
		return
	}
	g.blamed = player
	g.reason = fmt.Sprintf("%s forfeited %d of %d games, too many where %.3g %% are tolerated", g.Names[player],
		n.Forfeits, n.Games, 100*g.Share())
	if len(g.Names) == 2 {
		g.reason += fmt.Sprintf("; %s forfeited %d", g.Names[1-player], g.Tally.Player(1-player).Forfeits)
	}
}

func (g *Guard) lookAtVoid() {
	void := g.Tally.Void
	if g.reason == "" && g.Tolerance.Void(void, g.pairs, g.Slots) {
		g.blamed = -1
		g.reason = fmt.Sprintf("%d of %d pairs of games were void, more than 1 %%: the machine is unfit to play games",
			void, void+g.pairs)
	}
}

// Tally counts games.
type Tally struct {
	Results      [3]int64 // lost, drawn and won by White
	Plies        int64    // searched
	Terminations map[string]int64
	Void         int64 // how many times a pair was void
	Measured     int64 // games whose nodes, times and stalls are known: data sets do not have them
	Stalled      int64 // games with stalls (see selfplay.Result.Stalls)

	players []playerTally
}

// playerTally counts the games of one player.
type playerTally struct {
	Games    int64 // one where the player meets itself
	Forfeits int64 // games lost by its own fault
	Late     int64 // of these, for want of time
	Unscored int64 // searches without a score
	Nodes    uint64
	Time     time.Duration
	Stalls   int64   // of the runner, while the player's time ran
	searches float64 // in games with nodes
}

// Games returns the number of games.
func (t *Tally) Games() int64 { return t.Results[0] + t.Results[1] + t.Results[2] }

// Player returns the counts of the player with the index.
func (t *Tally) Player(i int) playerTally {
	if i < len(t.players) {
		return t.players[i]
	}
	return playerTally{}
}

// of returns the counts of the player with the index.
func (t *Tally) of(i int) *playerTally {
	for len(t.players) <= i {
		t.players = append(t.players, playerTally{})
	}
	return &t.players[i]
}

// end counts who played and who forfeited.
func (t *Tally) end(r *selfplay.Result, players [2]int) {
	t.of(players[0]).Games++
	if players[1] != players[0] {
		t.of(players[1]).Games++
	}
	loser, forfeited := r.Forfeited()
	if !forfeited {
		return
	}
	p := t.of(players[loser])
	p.Forfeits++
	if r.Late {
		p.Late++
	}
}

// Add counts a game that was played, between the players with these indices, White's first.
func (t *Tally) Add(r *selfplay.Result, players [2]int) {
	if t.Terminations == nil {
		t.Terminations = map[string]int64{}
	}
	t.Results[r.Result+1]++
	t.Plies += int64(len(r.Moves) - r.Opening)
	t.Terminations[string(r.Termination)]++
	if r.Time != [2]time.Duration{} {
		t.Measured++
	}
	if r.Stalls != [2]int{} {
		t.Stalled++
	}
	unscored := r.Unscored()
	for side, i := range players {
		p := t.of(i)
		p.Unscored += unscored[side]
		p.Nodes += r.Nodes[side]
		p.Time += r.Time[side]
		p.Stalls += int64(r.Stalls[side])
		if r.Nodes[side] > 0 {
			p.searches += float64(len(r.Moves)-r.Opening) / 2
		}
	}
}

// maxStalledGames is the share of games with stalls above which a machine is too busy for clocks.
const maxStalledGames = 0.02

// busy reports whether the machine is too busy for clocks.
func (t *Tally) busy() bool { return float64(t.Stalled) > maxStalledGames*float64(t.Measured) }

// StallWarnings returns what a reader of the result should know, with the players' names. The machine
// is too busy for clocks if more than 2 % of the games have stalls. A player whose share of the stalls
// is above its share of the time by three standard errors may cause them.
func (t *Tally) StallWarnings(names []string) (list []string) {
	var all playerTally
	for _, p := range t.players {
		all.Stalls += p.Stalls
		all.Time += p.Time
	}
	if t.busy() {
		list = append(list, fmt.Sprintf("the machine is too busy for clocks: it stood still in %d of %d games", t.Stalled,
			t.Measured))
	}
	for i, p := range t.players {
		n, share := float64(all.Stalls), float64(p.Time)/float64(all.Time)
		if z := (float64(p.Stalls) - n*share) / math.Sqrt(n*share*(1-share)); z > 3 {
			list = append(list, fmt.Sprintf("the machine stood still %d times in %s's time, of %d, %.1f standard errors "+
				"above its share of the time: %s may cause it",
				p.Stalls, names[i], all.Stalls, z, names[i]))
		}
	}
	return list
}
