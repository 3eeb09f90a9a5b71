package screen

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
)

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

// conclude returns the result of the counted pairs.
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
	Lost    []Subset // builds of the design that failed, and which it has dropped
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
	id := identity{Base: c.Base.Identity(), Factors: c.Factors, Design: c.Design.Kind, Lost: c.Lost, Games: c.Games,
		Fix: c.Fix}
	id.RulesIdentity, id.OpeningIdentity, id.SeedIdentity = c.Setup.Identity(openings)
	return id
}

// pairs is the number of pairs.
func (c *Config) pairs() uint64 { return c.Games / 2 }

// looks returns the number of pairs at each look.
func (c *Config) looks() (list []uint64) {
	for _, share := range lookShares {
		list = append(list, uint64(math.Ceil(share*float64(c.pairs()))))
	}
	return list
}

// names returns the names of a subset's factors.
func (c *Config) names(s Subset) (list []string) {
	for j, f := range c.Factors {
		if s.Has(j) {
			list = append(list, f.Name)
		}
	}
	return list
}
