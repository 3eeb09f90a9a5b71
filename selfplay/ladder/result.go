package ladder

import (
	"cmp"
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
	// unrated has the players, and there are no ratings.
	Verdict string    `json:"verdict,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Unrated []unrated `json:"unrated,omitempty"`

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

// unrated is a player of a ladder without a verdict.
type unrated struct {
	Name     string `json:"name"`
	Games    int64  `json:"games"`
	Forfeits int64  `json:"forfeits"`
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

// result returns the result of a fit; without one, that of a ladder in which too many games failed.
func (l *ladder) result(fit *fit) *Result {
	g, counts := &l.pairs.Guard, &l.pairs.Guard.Tally
	r := &Result{Schedule: l.Schedule, Ratings: []Rating{}, Scores: [][]Score{}, LOS: [][]float64{},
		Games: 2 * l.table.pairs, Terminations: counts.Terminations, Plies: counts.Plies, VoidPairs: counts.Void,
		StalledGames: counts.Stalled, Warnings: g.Warnings(l.Limits, l.Players...), Process: l.pairs.Process()}
	if fit == nil {
		r.Verdict, r.Reason = gamelog.NoVerdict, g.Reason()
		for i, p := range l.Players {
			r.Unrated = append(r.Unrated, unrated{p.Label(), l.table.total(i).Games(), counts.Player(i).Forfeits})
		}
		return r
	}
	if r.Draws = fit.draws(); l.Anchor >= 0 {
		r.Anchor = l.Players[l.Anchor].Label()
	}
	elo := make([]float64, len(l.Players))
	for i := range elo {
		elo[i] = fit.rating(i)
	}
	r.rank(fit, elo, func(i int) Rating {
		return Rating{Name: l.Players[i].Label(), ID: l.Players[i].Identity(),
			Strength: strength(elo[i], fit.se(i), l.table.total(i)),
			Score:    l.table.total(i), Forfeits: counts.Player(i).Forfeits}
	}, l.table.against, fit.los)
	return r
}

// matrixPlayers is for how many players a Result has scores and probabilities of all pairings.
const matrixPlayers = 100

// rank fills in the advantage of White and, in the order of their Elo, the ratings of the players, and what each scored
// against each.
func (r *Result) rank(fit *fit, elo []float64, rating func(i int) Rating, against func(i, j int) Score,
	los func(i, j int) float64) {
	white, se := fit.white()
	w := strength(white, se, Score{Draws: r.Games})
	r.WhiteElo, r.WhiteEloLo, r.WhiteEloHi = w.Elo, w.EloLo, w.EloHi
	order := make([]int, len(elo))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(elo[b], elo[a]) })
	r.Scores, r.LOS = [][]Score{}, [][]float64{}
	for rank, i := range order {
		x := rating(i)
		if x.Rank, x.Games = rank+1, x.Score.Games(); x.Games > 0 {
			x.Percent = x.Points() / float64(x.Games)
		}
		if rank+1 < len(order) {
			x.LOS = los(i, order[rank+1])
		}
		r.Ratings = append(r.Ratings, x)
		if len(order) > matrixPlayers {
			continue
		}
		scores, probabilities := make([]Score, len(order)), make([]float64, len(order))
		for k, j := range order {
			if probabilities[k] = 0.5; j != i {
				scores[k], probabilities[k] = against(i, j), los(i, j)
			}
		}
		r.Scores, r.LOS = append(r.Scores, scores), append(r.LOS, probabilities)
	}
}

// crosstable counts the pairs of games of n players. A pair has two games from one opening,
// with colors reversed.
type crosstable struct {
	n      int
	counts map[pairing]*[9]int64 // by outcome: 3 (first + 1) + second + 1
	pairs  int64

	singles []single // games that are not in pairs
}

// pairing is two players; first is the one with the lower number.
type pairing struct{ first, second int }

// newCrosstable returns the empty table of n players.
func newCrosstable(n int) *crosstable { return &crosstable{n: n, counts: map[pairing]*[9]int64{}} }

// add counts a pair between players i and j: the result of the game in which i had
// White, and of the game in which j had, both White's view: 1, 0 or -1.
func (t *crosstable) add(i, j int, iWhite, jWhite int) {
	if i > j {
		i, j, iWhite, jWhite = j, i, jWhite, iWhite
	}
	p := pairing{i, j}
	if t.counts[p] == nil {
		t.counts[p] = &[9]int64{}
	}
	t.counts[p][3*(iWhite+1)+jWhite+1]++
	t.pairs++
}

// pairings calls visit with every pairing that was played, in order.
func (t *crosstable) pairings(visit func(p pairing, counts *[9]int64)) {
	for i := range t.n {
		for j := i + 1; j < t.n; j++ {
			if c := t.counts[pairing{i, j}]; c != nil {
				visit(pairing{i, j}, c)
			}
		}
	}
}

// results returns the results, White's view, of an outcome's two games.
func results(outcome int) (first, second int) { return outcome/3 - 1, outcome%3 - 1 }

// Score is the result of one player against another, or against all.
type Score struct {
	Wins   int64 `json:"wins"`
	Draws  int64 `json:"draws"`
	Losses int64 `json:"losses"`
}

// Games returns the number of games.
func (s Score) Games() int64 { return s.Wins + s.Draws + s.Losses }

// Points returns a point for each win and half of one for each draw.
func (s Score) Points() float64 { return float64(s.Wins) + float64(s.Draws)/2 }

func (s *Score) add(result int, count int64) {
	switch result {
	case 1:
		s.Wins += count
	case 0:
		s.Draws += count
	default:
		s.Losses += count
	}
}

// against returns the score of player i against player j.
func (t *crosstable) against(i, j int) (s Score) {
	if i > j {
		return t.against(j, i).turned()
	}
	if c := t.counts[pairing{i, j}]; c != nil {
		for outcome, count := range c {
			first, second := results(outcome)
			s.add(first, count)
			s.add(-second, count)
		}
	}
	return s
}

// total returns the score of player i against all.
func (t *crosstable) total(i int) (s Score) {
	for j := range t.n {
		s = s.plus(t.against(i, j))
	}
	return s
}
