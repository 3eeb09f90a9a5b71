package ladder

import (
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// z95 is the half width of a 95 % interval in standard errors.
const z95 = 1.959964

// Rating is the rating of one player, with its games.
type Rating struct {
	Rank int    `json:"rank"` // from 1
	Name string `json:"name"` // for people
	ID   string `json:"id"`   // in data
	// Strength is the difference to the anchor, or to the mean of all: null after too few games.
	sprt.Strength
	Score
	Games    int64   `json:"games"`
	Percent  float64 `json:"score"`    // points a game, 0 to 1
	LOS      float64 `json:"los"`      // probability of being stronger than the next; 0 for the last
	Forfeits int64   `json:"forfeits"` // games lost by its own fault
}

// Result is the result of a ladder. All lists are in the order of the ratings.
type Result struct {
	// Verdict is gamelog.NoVerdict if too many games failed, else empty. Then Reason says why,
	// Unrated has the players, and there are no ratings.
	Verdict string    `json:"verdict,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Unrated []Unrated `json:"unrated,omitempty"`

	Schedule Schedule    `json:"schedule"`
	Anchor   string      `json:"anchor,omitempty"` // the player whose Elo was given; empty: the mean of all is 0
	Ratings  []Rating    `json:"ratings"`
	Groups   [][]string  `json:"groups,omitempty"` // of players that never met, by name: see Games
	Scores   [][]Score   `json:"scores"`           // Scores[i][j]: the ith against the jth
	LOS      [][]float64 `json:"los"`              // LOS[i][j]: probability that the ith is stronger than the jth

	Games        int64            `json:"games"`
	WhiteElo     num.Float        `json:"white_elo"` // advantage of having White; null after too few games
	WhiteEloLo   num.Float        `json:"white_elo_lo"`
	WhiteEloHi   num.Float        `json:"white_elo_hi"`
	Draws        float64          `json:"draw_ratio"` // among equal players, by the model
	Terminations map[string]int64 `json:"terminations"`
	VoidPairs    int64            `json:"void_pairs,omitempty"` // played again, because one of their games was void
	StalledGames int64            `json:"stalled_games,omitempty"`
	Warnings     []string         `json:"warnings,omitempty"`
	Plies        int64            `json:"plies"` // searched

	gamelog.Process
}

// Unrated is a player of a ladder without a verdict.
type Unrated struct {
	Name     string `json:"name"`
	Games    int64  `json:"games"`
	Forfeits int64  `json:"forfeits"`
}

// noVerdict returns the result of a ladder in which too many games failed.
func (l *ladder) noVerdict() *Result {
	r := &Result{Verdict: gamelog.NoVerdict, Reason: l.pairs.Guard.Reason(), Schedule: l.Schedule, Ratings: []Rating{},
		Scores: [][]Score{}, LOS: [][]float64{},
		Games: 2 * l.table.pairs}
	for i, p := range l.Players {
		r.Unrated = append(r.Unrated, Unrated{p.Label(), l.table.total(i).Games(), l.pairs.Guard.Tally.Player(i).Forfeits})
	}
	return r
}

// strength returns a rating with its 95 % interval. The anchor has no error, and is known
// without games. Who won or lost every game has a rating without a bound: only the virtual draws give it one.
func strength(elo, se float64, s Score) sprt.Strength {
	if s.Games() < sprt.MinGames && se > 0 {
		return sprt.Unknown()
	}
	r := sprt.Strength{Elo: num.Float(elo), EloLo: num.Float(elo - z95*se), EloHi: num.Float(elo + z95*se)}
	switch infinite := num.Float(math.Inf(1)); {
	case se == 0:
	case s.Wins == s.Games():
		r.Elo, r.EloHi = infinite, infinite
	case s.Losses == s.Games():
		r.Elo, r.EloLo = -infinite, -infinite
	}
	return r
}

// conclude turns a fit into a result.
func conclude(c *Config, table *crosstable, fit *fit, counts *gamelog.Tally) *Result {
	order := make([]int, len(c.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := fit.rating(a), fit.rating(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	r := &Result{Schedule: c.Schedule, Games: 2 * table.pairs, Draws: fit.draws()}
	if c.Anchor >= 0 {
		r.Anchor = c.Players[c.Anchor].Label()
	}
	white, se := fit.white()
	w := strength(white, se, Score{Draws: r.Games})
	r.WhiteElo, r.WhiteEloLo, r.WhiteEloHi = w.Elo, w.EloLo, w.EloHi
	for rank, i := range order {
		rating := Rating{Rank: rank + 1, Name: c.Players[i].Label(), ID: c.Players[i].Identity(),
			Strength: strength(fit.rating(i), fit.se(i), table.total(i)),
			Score:    table.total(i), Forfeits: counts.Player(i).Forfeits}
		if rating.Games = rating.Score.Games(); rating.Games > 0 {
			rating.Percent = rating.Points() / float64(rating.Games)
		}
		if rank+1 < len(order) {
			rating.LOS = fit.los(i, order[rank+1])
		}
		r.Ratings = append(r.Ratings, rating)
		scores, los := make([]Score, len(order)), make([]float64, len(order))
		for k, j := range order {
			if los[k] = 0.5; j != i {
				scores[k], los[k] = table.against(i, j), fit.los(i, j)
			}
		}
		r.Scores, r.LOS = append(r.Scores, scores), append(r.LOS, los)
	}
	return r
}
