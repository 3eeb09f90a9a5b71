// Package match compares two players: pairs of games from the same openings with colors
// reversed, counted in the order of their numbers, until a fixed number is reached or a
// sequential test has decided. It also reads the results of matches from PGN.
//
// Each finished game is a line of a journal, and a pair counts when both its lines are on
// disk. A killed match continues where the journal ends. With limits that do not depend on
// time, its result, PGN and data set have the bytes of an uninterrupted match
// with any number of workers. Pairs that finish after the test has stopped stay in the
// journal and do not count.
//
// The statistics are in selfplay/sprt, playing is in selfplay, and advice to the user is in
// cmd/internal/app.
//
// Start reading at Config and Run.
//
// No promise of stability.
package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Config says who plays, how, and when the match ends. With Out empty nothing is kept.
// Random openings are checked by B, which is usually the older of the two.
type Config struct {
	selfplay.Setup

	A, B    selfplay.Player // results are from A's view
	LimitsB selfplay.Limits // of each move of B; zero: Limits, as A's

	Games     uint64     // with Test the most, else the number; even. 0 with Test: no end. May grow on resume
	Test      *sprt.Test // nil: play all Games
	Corrected bool       // narrow the test's bounds by the measured overshoot (see sprt.Walk)
}

// identity is everything that decides the result but the number of games, as config.json has it.
type identity struct {
	A      string             `json:"a"`
	B      string             `json:"b"`
	Limits [2]selfplay.Limits `json:"limits"` // in place of the one of RulesIdentity
	selfplay.RulesIdentity
	Test      *sprt.Test `json:"sprt"`
	Corrected bool       `json:"overshoot_corrected"`
	selfplay.OpeningIdentity
	selfplay.SeedIdentity
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	switch {
	case c.A.Spec.Name == "" || c.B.Spec.Name == "":
		return fmt.Errorf("%w: a match needs two players", selfplay.ErrConfig)
	case c.Games%2 != 0:
		return fmt.Errorf("%w: %d games: pairs need an even number", selfplay.ErrConfig, c.Games)
	case c.Games == 0 && c.Test == nil:
		return fmt.Errorf("%w: neither a number of games nor a test ends the match", selfplay.ErrConfig)
	}
	if c.LimitsB == (selfplay.Limits{}) {
		c.LimitsB = c.Limits
	}
	b := c.Setup // the check of an opening is measured by B's limits
	b.Limits = c.LimitsB
	if err := b.Complete("match", c.B); err != nil {
		return fmt.Errorf("player B: %w", err)
	}
	c.Check = b.Check
	return c.Setup.Complete("match", c.B)
}

// limits returns the limits of A (0) or B (1).
func (c *Config) limits(player int) selfplay.Limits {
	return [2]selfplay.Limits{c.Limits, c.LimitsB}[player]
}

// need returns how many openings the match is sure to need.
func (c *Config) need() uint64 {
	if c.Test != nil {
		return 0
	}
	return c.Games / 2
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{A: c.A.Identity(), B: c.B.Identity(), Limits: [2]selfplay.Limits{c.Limits, c.LimitsB},
		Test: c.Test, Corrected: c.Corrected}
	id.RulesIdentity, id.OpeningIdentity, id.SeedIdentity = c.Setup.Identity(openings)
	return id
}

// Warnings returns what a reader of the result should know.
func (c *Config) Warnings() []string {
	var list []string
	if c.A.IsSame(c.B) && (c.LimitsB == c.Limits || c.LimitsB == selfplay.Limits{}) {
		list = append(list, fmt.Sprintf("both players are the same program, %s: the match measures only noise",
			c.A.Identity()))
	}
	return list
}

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
		return nil, fmt.Errorf("match: %w", err)
	}
	openings, err := c.Setup.Openings(ctx, c.need())
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	m := &match{Config: c, openings: openings}
	if m.count, err = newCounter(&m.Config); err != nil {
		return nil, fmt.Errorf("match: %w: %w", selfplay.ErrConfig, err)
	}
	m.pairs = gamelog.Pairs{Name: "match", Fresh: openings.Len() == 0, // a book has no line twice
		Over: m.count.over, Count: m.count.add, After: m.progress,
		Guard: gamelog.Guard{Tolerance: c.Tolerance, Slots: c.Runner.Parallel()}, Who: playersOf}
	a, b := c.A, c.B
	a.Name, b.Name = "A: "+a.Label(), "B: "+b.Label()
	m.count.tally = &m.pairs.Guard.Tally
	m.name(nil)
	return gamelog.PlayRun(ctx, &m.pairs, gamelog.Run[Result]{Setup: &m.Setup, Limits: m.limits,
		Try: []selfplay.Player{a, b}, Players: []*selfplay.Player{&m.A, &m.B}, Identity: m.identity(openings),
		Games: c.Games, Short: m.short,
		Tags: testTags(c.Test, c.Corrected), Reload: m.finished, Begin: m.name, Play: m.play})
}

// name shows the players by their names.
func (m *match) name(*durable.Run) error {
	m.pairs.Guard.Names = []string{m.A.Label() + " (A)", m.B.Label() + " (B)"}
	return nil
}

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
			for side, player := range playersOf(g.Number) {
				r.Time[player] += g.Time[side]
			}
		}
		return nil
	})
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
	who := playersOf(number)
	job := m.Setup.Job(number, players[who[0]], players[who[1]])
	job.Limits = [2]selfplay.Limits{m.limits(who[0]), m.limits(who[1])}
	return job
}

func (m *match) progress() {
	m.Progress(m.count.games.Games(), int64(m.Games), m.count.note())
}

// The verdicts of a match.
const (
	AcceptH1  = "accept H1"       // the test passed: A is stronger, by Elo1 rather than Elo0
	AcceptH0  = "accept H0"       // the test failed
	Undecided = "undecided"       // the test ran out of games, or the interval holds 0
	Stronger  = "stronger"        // without a test: A's 95 % interval of Elo is above 0
	Weaker    = "weaker"          // without a test: it is below 0
	NoVerdict = gamelog.NoVerdict // too many games failed: Result.Reason says which
)

// Result is the result of a match, from A's view. Its JSON depends on the counted games
// alone; Elo is finite whatever the score.
type Result struct {
	A       string `json:"a"` // names for people
	B       string `json:"b"`
	IDA     string `json:"a_id"` // names in data: with the id of weights, or the checksum of a program
	IDB     string `json:"b_id"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"` // why there is no verdict

	Games       int64            `json:"games"` // counted; twice the pairs
	Wins        int64            `json:"wins"`
	Draws       int64            `json:"draws"`
	Losses      int64            `json:"losses"`
	Pentanomial sprt.Pentanomial `json:"pentanomial"` // pairs by score 0, 1/4, 1/2, 3/4, 1

	Score float64 `json:"score"` // mean, 0 to 1

	// Strength is the one Elo and 95 % interval that every output shows. After a test it is
	// the median-unbiased estimate. Null after too few games.
	sprt.Strength
	LOS        num.Float `json:"los"`        // likelihood of superiority; null after too few games
	DrawRatio  float64   `json:"draw_ratio"` // share of even pairs
	PairRatio  num.Float `json:"pair_ratio"` // pairs won by pairs lost; null after too few games, or if none was lost
	WhiteScore float64   `json:"white_score"`

	Test  *sprt.Test `json:"sprt"` // null without a test, as the fields below
	LLR   *float64   `json:"llr"`
	Lower *float64   `json:"lower"`
	Upper *float64   `json:"upper"`

	Details sprt.Details `json:"details"` // other measures of strength

	// withoutForfeits is what the test says without the pairs in which B forfeited, where A
	// passes and B did: losses by its own fault count, but A's play may not have decided.
	WithoutForfeits *withoutForfeits `json:"without_forfeits,omitempty"`

	Terminations map[string]int64 `json:"terminations"`
	Forfeits     [2]int64         `json:"forfeits"`                // games that A and B lost by their own fault
	VoidPairs    int64            `json:"void_pairs,omitempty"`    // played again, because one of their games was void
	Stalls       [2]int64         `json:"stalls,omitzero"`         // of the runner while the time of A and of B ran
	StalledGames int64            `json:"stalled_games,omitempty"` // counted games with stalls
	Plies        int64            `json:"plies"`                   // searched
	Unscored     [2]int64         `json:"unscored,omitzero"`       // plies for which A and B gave no score
	Nodes        [2]uint64        `json:"nodes"`                   // searched by A and B
	Warnings     []string         `json:"warnings,omitempty"`

	// What follows depends on the machine or on this process.

	gamelog.Process
	Time [2]time.Duration `json:"-"` // that A and B searched
}

// withoutForfeits is the test over a part of the pairs.
type withoutForfeits struct {
	Verdict string  `json:"verdict"` // AcceptH1, AcceptH0 or Undecided, by the bounds of the test
	LLR     float64 `json:"llr"`
	Pairs   int64   `json:"pairs"`
}

// String returns what they say in a few words.
func (w *withoutForfeits) String() string {
	what := map[string]string{AcceptH1: "A passes too", AcceptH0: "A does not pass", Undecided: "not decided"}[w.Verdict]
	return fmt.Sprintf("without B's forfeits: %s (LLR %.2f)", what, w.LLR)
}

// Passed reports whether the test accepted H1.
func (r *Result) Passed() bool { return r.Verdict == AcceptH1 }

// NodesAPly returns the mean nodes of a search of A and of B; each plays half of the plies.
func (r *Result) NodesAPly() (mean [2]float64) {
	for i, n := range r.Nodes {
		mean[i] = 2 * float64(n) / float64(max(1, r.Plies))
	}
	return mean
}

// maxOvershoot is by what factor a player may search further beyond its limit than the other: with a soft limit both
// finish iterations beyond it.
const maxOvershoot = 1.5

// nodeWarnings returns warnings about players that search more than their limits, and the other does not, or far less.
func (r *Result) nodeWarnings(c *Config) (list []string) {
	var shares [2]float64 // of the limit
	var limits [2]uint64
	means := r.NodesAPly()
	for i, mean := range means {
		player := [2]selfplay.Player{c.A, c.B}[i]
		if text := player.Ignores(c.limits(i), mean); text != "" {
			list = append(list, text)
		}
		if limits[i] = cmp.Or(player.Spec.Nodes, c.limits(i).Nodes); limits[i] > 0 {
			shares[i] = mean / float64(limits[i])
		}
	}
	for i, share := range shares {
		if other := shares[1-i]; other > 0 && share > maxOvershoot*max(1, other) {
			list = append(list, fmt.Sprintf("%c, %s, searched %.0f nodes a ply, beyond its limit of %d, and %s %.0f: the match "+
				"is not at equal nodes", 'A'+i, [2]string{r.A, r.B}[i], means[i], limits[i],
				[2]string{r.B, r.A}[i], means[1-i]))
		}
	}
	return list
}

// NodesPerSecond returns the speed of A and of B in search; 0 if it was not measured.
func (r *Result) NodesPerSecond() [2]float64 {
	var nps [2]float64
	for i, t := range r.Time {
		if t > 0 {
			nps[i] = float64(r.Nodes[i]) / t.Seconds()
		}
	}
	return nps
}

// Headline says in one sentence who won, by how much, and how sure that is:
//
//	PASSED: new beats base by +12 Elo [+3, +21]
//
// After a test that stopped by itself the Elo is the median-unbiased estimate.
func (r *Result) Headline() string {
	text := r.headline()
	if r.WithoutForfeits != nil {
		text += "; " + r.WithoutForfeits.String()
	}
	return text
}

func (r *Result) headline() string {
	switch r.Verdict {
	case AcceptH1, Stronger:
		return fmt.Sprintf("%s: %s beats %s%s", r.Outcome(), r.A, r.B, r.estimate(" by "))
	case NoVerdict:
		return r.Outcome() + ": " + r.Reason
	}
	return fmt.Sprintf("%s: %s against %s%s", r.Outcome(), r.A, r.B, r.estimate(": "))
}

// Outcome is how the headline begins: the verdict as people read it.
func (r *Result) Outcome() string {
	switch r.Verdict {
	case AcceptH1:
		return "PASSED"
	case AcceptH0:
		return "FAILED"
	case NoVerdict:
		return "NO VERDICT"
	case Undecided:
		if r.Test == nil { // there was nothing to decide
			return "NO CLEAR WINNER"
		}
	}
	return strings.ToUpper(r.Verdict)
}

// estimate returns the Elo with its 95 % interval, after a word that joins it to the headline.
func (r *Result) estimate(by string) string {
	if r.Games < sprt.MinGames { // a result of an earlier version has an Elo even so
		return fmt.Sprintf(": %g of %d points, too few games for an Elo", float64(r.Wins)+float64(r.Draws)/2, r.Games)
	}
	return by + r.Strength.Text(" Elo")
}
