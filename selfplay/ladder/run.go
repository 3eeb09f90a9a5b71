// Package ladder rates many players by the games they play with each other: on one scale,
// with error bars that treat the pair of games from one opening as one sample, and the
// probability that one is stronger than another.
//
// A Schedule decides who plays whom: round robin, gauntlet, or the pairing that narrows the
// widest interval most. As in a match, games are on disk before they count, and a killed
// run is resumed. With limits that do not depend on time it plays the same games for any
// number of workers (on machines of one architecture, because Widest compares
// floating-point intervals).
//
// # The model
//
// Of a game between White w and Black b, with x = s_w - s_b + h, the outcomes have
// probabilities proportional to e^(x/2) (White wins), e^(-x/2) (Black wins) and e^d
// (draw): R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in
// paired comparison experiments", JASA 65 (1970), with the order effect of Davidson and
// R. J. Beaver, Biometrics 33 (1977). Its likelihood has one maximum. Strengths s are
// turned into Elo so that the expected score of nearly equal players is as on the
// logistic curve.
//
// Start reading at Config and Run, and for the model at crosstable.fit.
//
// No promise of stability.
package ladder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/sprt"
	"gonum.org/v1/gonum/mat"
)

// maxPlayers is the largest number of players: the cost of a fit grows with its cube.
const maxPlayers = 500

// Config says who is rated, and by which games. With Out empty nothing is kept. Random
// openings are checked by the first player.
type Config struct {
	selfplay.Setup

	Players  []selfplay.Player
	Schedule Schedule // see ParseSchedule
	Games    uint64   // at most; even; may grow on resume
	Within   float64  // end when every 95 % interval is within ± this many Elo; 0: play all games

	Anchor    int     // player whose Elo is AnchorElo; -1: the mean of all players is 0
	AnchorElo float64 // any number
}

// batch is how many pairs are chosen at once, and batchesAhead how many batches may be
// under way. A choice so depends on the same results for any number of workers.
const batch, batchesAhead = 8, 2

// identity is everything that decides a game, as config.json has it. The anchor only
// moves the scale, but the Elo of the result is on that scale.
type identity struct {
	Players []string `json:"players"`
	selfplay.RulesIdentity
	Schedule  Schedule `json:"schedule"`
	Within    float64  `json:"within,omitempty"`
	Anchor    int      `json:"anchor"`
	AnchorElo float64  `json:"anchor_elo"`
	selfplay.OpeningIdentity
	Seed    uint64 `json:"seed,string"`
	Program string `json:"program"`
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	switch {
	case len(c.Players) < 2 || len(c.Players) > maxPlayers:
		return fmt.Errorf("%w: %d players: want 2 to %d", selfplay.ErrConfig, len(c.Players), maxPlayers)
	case c.Games == 0 || c.Games%2 != 0:
		return fmt.Errorf("%w: %d games: pairs need an even number above zero", selfplay.ErrConfig, c.Games)
	case c.Within < 0 || math.IsNaN(c.Within):
		return fmt.Errorf("%w: intervals within %v Elo", selfplay.ErrConfig, c.Within)
	case c.Anchor < -1 || c.Anchor >= len(c.Players) || math.IsNaN(c.AnchorElo) || math.Abs(c.AnchorElo) > 1e6:
		return fmt.Errorf("%w: player %d cannot be the anchor at %v Elo", selfplay.ErrConfig, c.Anchor, c.AnchorElo)
	}
	var names []string
	for _, p := range c.Players {
		if p.Spec.Name == "" {
			return fmt.Errorf("%w: a player without a specification", selfplay.ErrConfig)
		}
		if slices.Contains(names, p.Identity()) {
			return fmt.Errorf("%w: %s takes part twice", selfplay.ErrConfig, p.Identity())
		}
		names = append(names, p.Identity())
	}
	return c.Setup.Complete("ladder", c.Players[0])
}

// end is the number of pairs, at most.
func (c *Config) end() uint64 { return c.Games / 2 }

// need returns how many openings the ladder needs at most.
func (c *Config) need() uint64 { return (c.end() + c.stride() - 1) / c.stride() }

// stride is how many pairs start from the same opening: as many as a round has.
func (c *Config) stride() uint64 { return c.Schedule.RoundGames(len(c.Players)) / 2 }

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Schedule: c.Schedule, Within: c.Within, Anchor: c.Anchor, AnchorElo: c.AnchorElo,
		Seed: c.Seed, Program: c.Program}
	id.RulesIdentity, id.OpeningIdentity, _ = c.Setup.Identity(openings)
	for _, p := range c.Players {
		id.Players = append(id.Players, p.Identity())
	}
	return id
}

// Schedule says who plays whom.
type Schedule string

// The schedules.
const (
	// Widest pairs the player with the widest interval with the opponent that narrows it
	// most.
	Widest Schedule = "widest"
	// RoundRobin pairs every player with every other, each round from one opening.
	RoundRobin Schedule = "round-robin"
	// Gauntlet pairs the first player with all others, each round from one opening.
	Gauntlet Schedule = "gauntlet"
	// chain pairs every player with the next, each round from one opening.
	chain Schedule = "chain"
)

// ParseSchedule reads the name of a schedule.
func ParseSchedule(name string) (Schedule, error) {
	for _, s := range []Schedule{Widest, RoundRobin, Gauntlet, chain} {
		if name == string(s) {
			return s, nil
		}
	}
	return "", fmt.Errorf("%w: schedule %q is none of %s, %s, %s, %s", selfplay.ErrConfig, name, Widest, RoundRobin,
		Gauntlet, chain)
}

// round returns the pairings of a round; for Widest, of the first.
func (s Schedule) round(players int) (list []pairing) {
	switch s {
	case Gauntlet:
		for i := 1; i < players; i++ {
			list = append(list, pairing{0, i})
		}
	case chain:
		for i := 1; i < players; i++ {
			list = append(list, pairing{i - 1, i})
		}
	case RoundRobin:
		for i := range players {
			for j := i + 1; j < players; j++ {
				list = append(list, pairing{i, j})
			}
		}
	default: // a ring connects all players
		for i := range players {
			if j := (i + 1) % players; j != i && !(players == 2 && i == 1) {
				list = append(list, pairing{min(i, j), max(i, j)})
			}
		}
	}
	return list
}

// RoundGames returns the number of games of a round; 2 for Widest, which has no rounds.
func (s Schedule) RoundGames(players int) uint64 {
	if s == Widest {
		return 2
	}
	return 2 * uint64(len(s.round(players)))
}

// choose returns the next count pairings: each time the player with the widest interval,
// and the opponent that would narrow it most. Pairings that are chosen or under way count
// as played.
func choose(f *fit, underWay []pairing, count int) (list []pairing) {
	cov := mat.NewSymDense(f.n+2, nil)
	cov.CopySym(f.cov)
	for _, p := range underWay {
		f.expect(cov, p)
	}
	for range count {
		p := f.next(cov)
		f.expect(cov, p)
		list = append(list, p)
	}
	return list
}

// expect changes a covariance as one more pair would.
func (f *fit) expect(cov *mat.SymDense, p pairing) {
	factor, move := f.update(cov, p)
	cov.SymRankOne(cov, -factor, move)
}

// update returns the change of a covariance by one more pair, whose information has rank
// one: cov falls by factor times move move'.
func (f *fit) update(cov *mat.SymDense, p pairing) (factor float64, move *mat.VecDense) {
	e := mat.NewVecDense(f.n+2, nil)
	e.SetVec(p.first, 1)
	e.SetVec(p.second, -1)
	move = mat.NewVecDense(f.n+2, nil)
	move.MulVec(cov, e)
	weight := f.pairInformation(p)
	return weight / (1 + weight*mat.Dot(e, move)), move
}

// sure is by how much a variance must exceed another to count as larger. Builds for other processors round sums in
// another way, and must choose the same pairings: almost equal ones, of which there are many in ladders of equal
// players, are chosen in the order of the players.
const sure = 1 + 1e-6

func (f *fit) next(cov *mat.SymDense) (best pairing) {
	widest, most := 0, -1.0
	for i := range f.n {
		c := f.contrast(i)
		if v := mat.Inner(c, cov, c); v > most*sure {
			widest, most = i, v
		}
	}
	shrinks := -1.0
	for j := range f.n {
		if j == widest {
			continue
		}
		p := pairing{min(widest, j), max(widest, j)}
		factor, move := f.update(cov, p)
		along := mat.Dot(f.contrast(widest), move)
		if fall := factor * along * along; fall > shrinks*sure {
			best, shrinks = p, fall
		}
	}
	return best
}

// pairInformation returns the information of a pair of games about the difference of its
// players.
func (f *fit) pairInformation(p pairing) float64 {
	a, _, _ := f.game(p.first, p.second).information()
	b, _, _ := f.game(p.second, p.first).information()
	return a + b
}

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
		Guard: gamelog.Guard{Tolerance: c.Tolerance, Slots: c.Runner.Parallel()}, Who: l.sides}
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
		Identity: l.identity(openings), Play: l.play, Games: c.Games,
		Short: func(r *Result) bool { return uint64(r.Games) < c.Games && !l.endedEarly(r) },
		Reload: func(run *durable.Run, r *Result) error {
			r.Process = gamelog.Before(run)
			return gamelog.CheckTotal(run.Dir(), uint64(r.Games), c.Games)
		}})
}

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
		return l.result(nil), err
	}
	if err != nil {
		return nil, err
	}
	fit, err := l.table.fit(l.Anchor, l.AnchorElo)
	if err != nil {
		return nil, err
	}
	r := l.result(fit)
	return r, l.pairs.Finish(r)
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
func (l *ladder) sides(game uint64) [2]int {
	p := l.chosen[game/2]
	if game%2 == 1 {
		return [2]int{p.second, p.first}
	}
	return [2]int{p.first, p.second}
}

func (l *ladder) job(number uint64) selfplay.Job {
	sides := l.sides(number)
	return l.Setup.Job(number, l.Players[sides[0]], l.Players[sides[1]])
}

func (l *ladder) count(pair []selfplay.Result) error {
	p := l.chosen[l.delivered()]
	l.table.add(p.first, p.second, int(pair[0].Result), int(pair[1].Result))
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
	for i := range l.Players {
		if i != l.Anchor && l.table.total(i).Games() < sprt.MinGames {
			return false // it has no rating yet
		}
	}
	return l.widest() <= l.Within
}

// endedEarly is narrow for a result: its ladder ended before it had all its games.
func (l *ladder) endedEarly(r *Result) bool {
	if l.Within == 0 || r.Games%(2*batch) != 0 || r.Games < 2*int64(len(l.round)) {
		return false
	}
	return !slices.ContainsFunc(r.Ratings, func(x Rating) bool {
		half := float64(x.EloHi-x.EloLo) / 2 // NaN without a rating
		return !(half <= l.Within+1e-6)
	})
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
