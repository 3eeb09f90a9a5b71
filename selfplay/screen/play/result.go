package play

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/screen"
)

// Folders of the confirming matches in that of a screen: by its own limits, and by a clock.
const (
	ConfirmName      = "confirm"
	ConfirmClockName = "confirm-clock"
)

// Decision is a look that decided factors.
type Decision struct {
	Games   uint64   `json:"games"`
	Factors []string `json:"factors"`
	Fixed   bool     `json:"fixed"` // they kept their better level from then on
}

// Result is the result of a screen.
type Result struct {
	// Verdict is gamelog.NoVerdict if too many games failed, else empty. Then Reason says why.
	Verdict string `json:"verdict,omitempty"`
	Reason  string `json:"reason,omitempty"`

	Base    string      `json:"base"` // name for people
	Factors []Factor    `json:"factors"`
	Design  screen.Kind `json:"design"`
	Builds  int         `json:"builds,omitempty"`
	Limits  string      `json:"limits"` // of each move, in words
	screen.Estimate
	Decided     []Decision `json:"decided"`
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

// tally counts what is not in the pairs.
type tally struct {
	games, draws, plies, forfeited int64
	terminations                   map[string]int64
	forfeits, played               [][2]int64 // by factor and level
}

// add counts a pair of the subsets a and b.
func (t *tally) add(pair []selfplay.Result, a, b screen.Subset) {
	for i := range pair {
		g := &pair[i]
		t.games++
		t.plies += int64(len(g.Moves) - g.Opening)
		t.terminations[string(g.Termination)]++
		if g.Result == board.Draw {
			t.draws++
		}
		loser, forfeited := g.Forfeited()
		if forfeited {
			t.forfeited++
		}
		for _, side := range []board.Color{board.White, board.Black} {
			s := [2]screen.Subset{a, b}[int(g.Number+uint64(side))%2]
			for j := range t.played {
				level := int(s >> j & 1)
				t.played[j][level]++
				if forfeited && loser == side {
					t.forfeits[j][level]++
				}
			}
		}
	}
}

// blame returns the factor and the level to which most forfeits belong; ok if there are next to none elsewhere.
func (t *tally) blame() (factor, level int, ok bool) {
	rest := t.forfeited
	for j := range t.forfeits {
		for l := range 2 {
			if elsewhere := t.forfeited - t.forfeits[j][l]; elsewhere < rest {
				factor, level, rest = j, l, elsewhere
			}
		}
	}
	return factor, level, t.forfeited > 0 && 20*rest <= t.forfeited
}

// tooMany returns why there is no verdict: forfeits that belong to no level of a factor.
func (t *tally) tooMany(tolerance selfplay.Tolerance, base string) string {
	if _, _, ok := t.blame(); ok || !tolerance.Forfeits(t.forfeited, 2*t.games) {
		return ""
	}
	return fmt.Sprintf("%s forfeited %d of %d games whatever the factors, too many where %.3g %% are tolerated", base,
		t.forfeited, t.games, 100*tolerance.Share())
}

// warnings says which level of a factor forfeits.
func (t *tally) warnings(factors []Factor) (list []string) {
	if j, level, ok := t.blame(); ok && t.forfeited >= 5 {
		f := factors[j]
		list = append(list, fmt.Sprintf("%d of %d forfeited games were lost with %s %s: that is its effect, a crash and "+
			"no judgment of the idea", t.forfeits[j][level], t.forfeited, f.Name, [2]string{"off", "on"}[level]))
	}
	return list
}

// conclude returns the result of the counted pairs.
func (s *session) conclude() *Result {
	t := &s.tally
	r := &Result{Base: s.Base.Label(), Factors: s.Factors, Design: s.Design.Kind, Builds: len(s.Design.Builds()),
		Limits: s.Limits.Text(), Estimate: *s.Design.Estimate(s.pairs), Decided: s.decisions, Games: t.games,
		Draws: t.draws,
		Plies: t.plies, Terminations: t.terminations, VoidPairs: s.games.Guard.Void(), Stalled: s.games.Guard.Stalls.With}
	r.Recommended = append([]string{}, s.Names(r.Best)...)
	if t.forfeited > 0 {
		r.Forfeits = t.forfeits
	}
	r.Warnings = slices.Concat(t.warnings(s.Factors), s.games.Guard.Warnings(s.Limits, s.Base))
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
func (c *Config) label(s screen.Subset) string {
	names := c.Names(s)
	switch {
	case s == 0:
		return "base"
	case len(names) == len(c.Factors):
		return "all"
	}
	return strings.Join(names, "+")
}
