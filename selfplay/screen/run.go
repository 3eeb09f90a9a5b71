// Package screen makes factorial experiments with players: many changes with two levels each, on and off, are judged
// by the same pairs of games.
//
// # Design
//
// A Design says which subsets of the changes meet. Rows of a Hadamard matrix (J. J. Sylvester 1867, R. Paley
// 1933) and their complements are balanced: each change is on in half of them, and so is each other change on
// either side. Three quarters of the pairs are a subset against its complement. All changes differ there, so each
// pair counts for each of them, and interactions of two changes cancel. One quarter are rows against other rows,
// in which half of the changes differ: they see interactions of two.
//
// The main effect of a change is its effect with the others at random: the mean over the subsets of the design.
//
// # Estimates
//
// The expected score of a pair is the logistic of a sum of effects. Coefficients solve the score equations of
// the logistic (quasi-likelihood: R. W. M. Wedderburn 1974), errors are the sandwich clustered by opening, since
// one opening is played in several rows. Effects of builds are estimated beside everything else that the rows
// can tell apart, so interactions of two changes do not disturb them.
//
// # Games
//
// Run plays the pairs that a design asks for, and keeps them as a match does: games are on disk
// before they count, and a killed run is resumed. With limits that do not depend on time a screen has the same bytes
// for any number of workers. What a factor is, an option or a patch, is the caller's: a Config has a
// function that makes the player of a subset. Tests of two players are in selfplay/sprt.
//
// Start reading at Design and Estimate, then Config and Run.
//
// No promise of stability.
package screen

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Run plays the screen to its end and returns its result. With Out it continues where an earlier call stopped, and
// returns the result of a complete screen without playing. After an error it can be resumed; where ctx ended it, the
// result says what its games showed. If Out has another configuration, the error is a *durable.ConfigChangedError. If
// too many games failed, the error wraps selfplay.ErrNoVerdict, and the result has the verdict gamelog.NoVerdict.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	openings, err := c.Setup.Openings(ctx, c.Games/GamesPerOpening)
	if err != nil {
		return nil, fmt.Errorf("screen: %w", err)
	}
	s := &session{Config: c, openings: openings, decisions: []decision{},
		faults: faults{byLevel: make([][2]int64, len(c.Factors))}}
	alone := c.Tolerance
	alone.Recover = true // forfeits are judged by level
	s.games = gamelog.Pairs{Name: "screen", Over: s.over, Count: s.count, After: s.progress,
		Guard: gamelog.Guard{Tolerance: alone, Slots: c.Runner.Parallel(), Names: []string{c.Base.Label()}}}
	return gamelog.PlayRun(ctx, &s.games, gamelog.Run[Result]{Setup: &s.Setup, Try: []selfplay.Player{c.Base},
		Players: []*selfplay.Player{&s.Base}, Identity: s.identity(openings), Sides: s.players,
		Reload: func(run *durable.Run, r *Result) error {
			r.Process = gamelog.Before(run)
			return nil
		}, Games: c.Games, Play: s.play})
}

type session struct {
	Config
	faults
	openings  opening.Source
	games     gamelog.Pairs
	pairs     []scoredPair // counted
	fixed     []stratum    // from which pair on; none: from no pair
	decided   Subset
	decisions []decision
	look      int    // the next
	reason    string // why there is no verdict
}

// stratum is a part of the pairs with the same fixed factors.
type stratum struct {
	from uint64
	fixedFactors
}

func (s *session) play(ctx context.Context) (*Result, error) {
	series := s.Setup.Series(opening.Rounds{Source: s.openings, Pairs: perOpening})
	series.Job, series.End, series.Repeats = s.job, s.Config.pairs(), true
	series.Hold = func(pair uint64) bool {
		return s.Fix && s.look < len(lookShares) && pair >= s.looks()[s.look]
	}
	err := s.games.Play(ctx, series)
	if err == nil && s.reason != "" {
		err = fmt.Errorf("screen: %w: %s", selfplay.ErrNoVerdict, s.reason)
	}
	r := s.conclude()
	switch {
	case r.Verdict != "", err != nil && ctx.Err() != nil && r.main != nil:
		return r, err
	case err != nil:
		return nil, err
	}
	return r, s.games.Finish(r)
}

// over reports whether nothing more counts: all pairs are, all factors are decided, or games failed.
func (s *session) over() bool {
	return uint64(len(s.pairs)) >= s.Config.pairs() || s.reason != "" ||
		s.decided.Size() == len(s.Factors) && s.look < len(lookShares)
}

// sides returns the subsets A and B of a game, and which of them has White: A in the first game of a pair.
func (s *session) sides(game uint64) (sides [2]Subset, white int) {
	pair := game / 2
	var fixed fixedFactors
	for _, f := range s.fixed {
		if pair >= f.from {
			fixed = f.fixedFactors
		}
	}
	sides[0], sides[1] = s.Design.comparison(pair, fixed)
	return sides, int(game % 2)
}

func (s *session) job(number uint64) selfplay.Job {
	sides, white := s.sides(number)
	return s.Setup.Job(number, s.Player(sides[white]), s.Player(sides[1-white]))
}

// players names the players of a game. Identities have the subset's number, since they must be short.
func (s *session) players(game uint64) [2]selfplay.Player {
	sides, white := s.sides(game)
	player := func(of Subset) selfplay.Player {
		return selfplay.Player{ID: fmt.Sprintf("%s subset %b", s.Base.Identity(), of), Name: s.label(of)}
	}
	return [2]selfplay.Player{player(sides[white]), player(sides[1-white])}
}

// count counts a pair, and looks whether factors are decided if it is time to.
func (s *session) count(pair []selfplay.Result) error {
	number := uint64(len(s.pairs))
	sides, _ := s.sides(2 * number)
	points := int(pair[0].Result) - int(pair[1].Result)
	s.pairs = append(s.pairs, scoredPair{A: sides[0], B: sides[1], Score: 0.5 + float64(points)/4,
		Opening: number / perOpening, Stratum: len(s.fixed)})
	s.faults.add(pair, sides[0], sides[1])
	if n := number + 1; n&(n-1) == 0 || n == s.Config.pairs() {
		s.reason = s.tooMany(s.games.Guard.Tally.Games(), s.Tolerance, s.Base.Label())
	}
	for s.look < len(lookShares) && number+1 >= s.looks()[s.look] {
		s.decide(number + 1)
	}
	return nil
}

// decide looks at the first pairs.
func (s *session) decide(pairs uint64) {
	e := s.Design.effects(s.pairs)
	now := e.decide(s.look, s.decided)
	s.look++
	if now == s.decided {
		return
	}
	fix := s.Fix && s.look < len(lookShares)
	s.decisions = append(s.decisions, decision{Games: 2 * pairs, Factors: s.names(now &^ s.decided), Fixed: fix})
	if fix {
		var was fixedFactors
		if len(s.fixed) > 0 {
			was = s.fixed[len(s.fixed)-1].fixedFactors
		}
		s.fixed = append(s.fixed, stratum{pairs, e.fix(now, was)})
	}
	s.decided = now
}

func (s *session) progress() {
	note := ""
	if s.decided != 0 {
		note = fmt.Sprintf("decided: %d of %d factors", s.decided.Size(), len(s.Factors))
	}
	s.Progress(2*int64(len(s.pairs)), int64(s.Games), note)
}

// Try plays a game of each player with itself, on this machine. It returns what the games were, moves, scores and
// nodes, and how long a game takes when as many are played at once as the screen does. Players that search alike have
// equal games, unless time limits them.
func (c *Config) Try(ctx context.Context, players ...selfplay.Player) (games []string, each time.Duration, err error) {
	tasks, results := make(chan selfplay.Task, len(players)), make(chan selfplay.Result, len(players))
	for i, e := range players {
		job := c.Setup.Job(0, e, e)
		job.Number = uint64(i)
		tasks <- &job
	}
	close(tasks)
	started := time.Now()
	local := selfplay.Local{Open: c.Open, Workers: c.Concurrency}
	if err := local.Run(ctx, tasks, results); err != nil {
		return nil, 0, err
	}
	each = time.Since(started) / time.Duration(max(1, len(players)))
	games = make([]string, len(players))
	for range players {
		g := <-results
		if err == nil && g.Void != "" {
			err = fmt.Errorf("%s: %w: %s", players[g.Number].Label(), selfplay.ErrPreflight, g.Void)
		}
		games[g.Number] = fmt.Sprint(g.Moves, g.Scores, g.Nodes)
	}
	return games, each, err
}

// Folders of the confirming matches in a screen's folder: by its own limits, and by a clock.
const (
	ConfirmName      = "confirm"
	ConfirmClockName = "confirm-clock"
)

// decision is a look that decided factors.
type decision struct {
	Games   uint64   `json:"games"`
	Factors []string `json:"factors"`
	Fixed   bool     `json:"fixed"` // they kept their better level from then on
}

// Result is the result of a screen.
type Result struct {
	// Verdict is gamelog.NoVerdict if too many games failed, else empty. Then Reason says why.
	Verdict string `json:"verdict,omitempty"`
	Reason  string `json:"reason,omitempty"`

	Base    string   `json:"base"` // name for people
	Factors []Factor `json:"factors"`
	Design  Kind     `json:"design"`
	Builds  int      `json:"builds,omitempty"`
	Limits  string   `json:"limits"` // of each move, in words
	Estimate
	Decided     []decision `json:"decided"`
	Recommended []string   `json:"recommended"` // names of the factors of Best

	Games int64 `json:"games"`
	Draws int64 `json:"draws"`
	Plies int64 `json:"plies"` // searched
	// Forfeits are, by factor, the games lost by their own fault with it off and on.
	Forfeits     [][2]int64       `json:"forfeits,omitempty"`
	Terminations map[string]int64 `json:"terminations"`
	VoidPairs    int64            `json:"void_pairs,omitempty"` // played again, because one of their games was void
	Stalled      int64            `json:"stalled_games,omitempty"`
	Warnings     []string         `json:"warnings,omitempty"`

	// What follows depends on the machine or on this process.

	gamelog.Process
}

// faults counts forfeits by factor and level.
type faults struct {
	all     int64
	byLevel [][2]int64
}

// add counts a pair of the subsets a and b.
func (f *faults) add(pair []selfplay.Result, a, b Subset) {
	for i := range pair {
		loser, forfeited := pair[i].Forfeited()
		if !forfeited {
			continue
		}
		f.all++
		s := [2]Subset{a, b}[int(pair[i].Number+uint64(loser))%2]
		for j := range f.byLevel {
			f.byLevel[j][int(s>>j&1)]++
		}
	}
}

// blame returns the factor and the level to which most forfeits belong; ok if there are next to none elsewhere.
func (f *faults) blame() (factor, level int, ok bool) {
	rest := f.all
	for j := range f.byLevel {
		for l := range 2 {
			if elsewhere := f.all - f.byLevel[j][l]; elsewhere < rest {
				factor, level, rest = j, l, elsewhere
			}
		}
	}
	return factor, level, f.all > 0 && 20*rest <= f.all
}

// tooMany returns why there is no verdict: forfeits that belong to no level of a factor.
func (f *faults) tooMany(games int64, tolerance selfplay.Tolerance, base string) string {
	if _, _, ok := f.blame(); ok || !tolerance.Forfeits(f.all, 2*games) {
		return ""
	}
	return fmt.Sprintf("%s forfeited %d of %d games whatever the factors, too many where %.3g %% are tolerated", base,
		f.all, games, 100*tolerance.Share())
}

// warnings says which level of a factor forfeits.
func (f *faults) warnings(factors []Factor) (list []string) {
	if j, level, ok := f.blame(); ok && f.all >= 5 {
		factor := factors[j]
		list = append(list, fmt.Sprintf("%d of %d forfeited games were lost with %s %s: that is its effect, a crash and "+
			"no judgment of the idea", f.byLevel[j][level], f.all, factor.Name, [2]string{"off", "on"}[level]))
	}
	return list
}

func (s *session) conclude() *Result {
	t := &s.games.Guard.Tally
	r := &Result{Base: s.Base.Label(), Factors: s.Factors, Design: s.Design.Kind, Builds: len(s.Design.Builds()),
		Limits: s.Limits.Text(), Estimate: *s.Design.estimate(s.pairs), Decided: s.decisions, Games: t.Games(),
		Draws: t.Results[1], Plies: t.Plies, Terminations: t.Terminations, VoidPairs: t.Void, Stalled: t.Stalled}
	r.Recommended = append([]string{}, s.names(r.Best)...)
	if s.all > 0 {
		r.Forfeits = s.byLevel
	}
	r.Warnings = slices.Concat(s.faults.warnings(s.Factors), s.games.Guard.Warnings(s.Limits, s.Base))
	r.Process = s.games.Process()
	if r.Reason = s.reason; r.Reason == "" {
		r.Reason = s.games.Guard.Reason()
	}
	if r.Reason != "" {
		r.Verdict = gamelog.NoVerdict
	}
	return r
}

// label names a subset for people.
func (c *Config) label(s Subset) string {
	names := c.names(s)
	switch {
	case s == 0:
		return "base"
	case len(names) == len(c.Factors):
		return "all"
	}
	return strings.Join(names, "+")
}

// FixFrom is the number of games from which a screen fixes factors that are decided: shorter ones have too few left.
const FixFrom = 10000

// Factor is a change of the player with two levels.
type Factor struct {
	Name string `json:"name"`
	Off  string `json:"off,omitempty"` // what the levels stand for: the value of an option, the id of a patch
	On   string `json:"on"`
}

// Config has the factors and the games. With Out empty nothing is kept.
type Config struct {
	selfplay.Setup

	Base    selfplay.Player // the player with all factors off
	Factors []Factor
	Design  *Design
	Player  func(Subset) selfplay.Player
	Games   uint64 // a multiple of 8, the games of an opening
	Fix     bool   // factors that are decided keep their better level; of a random design
}

// GamesPerOpening is the number of games that start from one opening.
const GamesPerOpening = 2 * perOpening

// identity is everything that decides the games, as config.json has it.
type identity struct {
	Base    string   `json:"base"`
	Factors []Factor `json:"factors"`
	Design  Kind     `json:"design"`
	Lost    []Subset `json:"lost_builds,omitempty"`
	selfplay.RulesIdentity
	Games uint64 `json:"games"`
	Fix   bool   `json:"fix,omitempty"`
	selfplay.OpeningIdentity
	selfplay.SeedIdentity
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	var err error
	switch {
	case len(c.Factors) != c.Design.Factors:
		err = fmt.Errorf("%w: %d factors, the design has %d", selfplay.ErrConfig, len(c.Factors), c.Design.Factors)
	case c.Games == 0 || c.Games%GamesPerOpening != 0:
		err = fmt.Errorf("%w: %d games: want a multiple of %d, the games of an opening", selfplay.ErrConfig, c.Games,
			GamesPerOpening)
	case c.Fix && c.Design.Kind != Random:
		err = fmt.Errorf("%w: fixed factors need builds outside the design", selfplay.ErrConfig)
	default:
		err = c.Setup.Complete("screen", c.Base)
	}
	if err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	return nil
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Base: c.Base.Identity(), Factors: c.Factors, Design: c.Design.Kind, Lost: c.Design.lost, Games: c.Games,
		Fix: c.Fix}
	id.RulesIdentity, id.OpeningIdentity, id.SeedIdentity = c.Setup.Identity(openings)
	return id
}

func (c *Config) pairs() uint64 { return c.Games / 2 }

// looks returns the number of pairs at each look.
func (c *Config) looks() (list []uint64) {
	for _, share := range lookShares {
		list = append(list, uint64(math.Ceil(share*float64(c.pairs()))))
	}
	return list
}

func (c *Config) names(s Subset) (list []string) {
	for j, f := range c.Factors {
		if s.Has(j) {
			list = append(list, f.Name)
		}
	}
	return list
}
