package books

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Estimate is what pairs of games say of an opening, beside the mean of the book. Both numbers are shrunk: with few
// pairs Strength is near Spread, and Spread near 1.
type Estimate struct {
	Number   int     `json:"number"` // in the book, from 1
	FEN      string  `json:"fen"`
	Pairs    int     `json:"pairs"`
	Strength float64 `json:"strength"` // the better player's lead from it, by the mean lead
	Spread   float64 `json:"spread"`   // variance of the score of its pairs, by the mean variance
	Kept     bool    `json:"kept"`
}

// Pruning is a book with the best openings kept.
type Pruning struct {
	Openings []Estimate `json:"openings"` // of the whole book, in its order
	Kept     int        `json:"kept"`
	Pairs    float64    `json:"pairs_an_opening"`
	// Plan is what shares of the book would be worth, as shrunk estimates expect.
	Plan    []Plan      `json:"plan"`
	Players [][2]string `json:"players"` // whose games chose: they overstate what the choice is worth
}

// Plan is what a share of the openings is worth: the share of games that they need, of those that all need.
type Plan struct {
	Share float64 `json:"share"`
	Games float64 `json:"games"`
}

// Prune keeps a share of the book, above 0 and up to 1: the openings that raise normalized Elo most.
//
// A book's normalized Elo is its mean lead by the root of its mean variance. An opening that leads l times as much as
// the mean, with v times the variance, raises it if l > (1 + v)/2. Leads are noisy: 50 pairs know one to about a mean
// lead. So they are shrunk, by as much as the data ask for, toward v: what they are if a won pair, wherever it was
// won, was won by the better player as often. Spreads are shrunk toward 1 in the same way.
func (g *Games) Prune(share float64) (*Pruning, error) {
	if g.Book == nil || !(share > 0 && share <= 1) {
		return nil, fmt.Errorf("books: a share of %v of a book", share)
	}
	p := &Pruning{Openings: g.estimates(), Pairs: float64(len(g.pairs)) / float64(g.Book.Len()), Players: g.matchups}
	for _, part := range []float64{0.9, 0.75, 0.5, 0.25, 0.1} {
		p.Plan = append(p.Plan, Plan{part, keep(p.Openings, part)})
	}
	keep(p.Openings, share)
	for i := range p.Openings {
		if p.Openings[i].Kept {
			p.Kept++
		}
	}
	return p, nil
}

// Exits returns the openings of the book that are kept.
func (p *Pruning) Exits(book *opening.Book) (list []Exit, err error) {
	for i, e := range p.Openings {
		if !e.Kept {
			continue
		}
		game, err := book.Propose(uint64(i), 1)
		if err != nil {
			return nil, err
		}
		list = append(list, Exit{game, engine.NoScore})
	}
	return list, nil
}

// keep marks the best share and returns the games that it needs, by the games that all openings need. What raises
// normalized Elo depends on what else is kept, so it is done again until nothing changes.
func keep(all []Estimate, share float64) float64 {
	order := make([]int, len(all))
	for i := range order {
		order[i], all[i].Kept = i, true
	}
	whole := value(all)
	for range 20 {
		lead, spread := means(all)
		gain := func(i int) float64 { return all[i].Strength/lead - (1+all[i].Spread/spread)/2 }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gain(b), gain(a)) })
		changed := false
		for rank, i := range order {
			kept := rank < max(1, int(math.Round(share*float64(len(all)))))
			changed = changed || kept != all[i].Kept
			all[i].Kept = kept
		}
		if !changed {
			break
		}
	}
	return whole / value(all)
}

// means returns the mean lead and spread of the kept openings.
func means(all []Estimate) (lead, spread float64) {
	n := 0.0
	for i := range all {
		if all[i].Kept {
			lead, spread, n = lead+all[i].Strength, spread+all[i].Spread, n+1
		}
	}
	return max(lead/n, 1e-3), max(spread/n, 1e-3)
}

// value is the square of the normalized Elo of the kept openings, by that of all.
func value(all []Estimate) float64 {
	lead, spread := means(all)
	return lead * lead / spread
}

// sums are those of one opening.
type sums struct {
	n       float64
	squares float64 // of deviations from the mean score of the players, by its variance
	fourth  float64 // of the squares
	lead    float64 // score above one half, times the mean lead
	leads   float64 // squared mean leads
	noise   float64 // leads times variances
}

// variance returns that of the lead, given the spread of the scores.
func (s *sums) variance(e *Estimate) float64 {
	return max(e.Spread, 0.1) * s.noise / (s.leads * s.leads)
}

// estimates returns the shrunk estimates of all openings of the book.
func (g *Games) estimates() []Estimate {
	mean, variance, n := make([]float64, len(g.matchups)), make([]float64, len(g.matchups)), make([]float64,
		len(g.matchups))
	for i := range g.pairs {
		p := &g.pairs[i]
		x := p.score()
		n[p.matchup], mean[p.matchup], variance[p.matchup] = n[p.matchup]+1, mean[p.matchup]+x, variance[p.matchup]+x*x
	}
	for j := range n {
		mean[j] /= n[j]
		variance[j] = max(variance[j]/n[j]-mean[j]*mean[j], 1e-6)
	}
	list := make([]sums, g.Book.Len())
	for i := range g.pairs {
		p, s := &g.pairs[i], &list[g.keys[g.pairs[i].opening]]
		x, d, v := p.score(), mean[p.matchup]-0.5, variance[p.matchup]
		q := (x - mean[p.matchup]) * (x - mean[p.matchup]) / v
		s.n, s.squares, s.fourth = s.n+1, s.squares+q, s.fourth+q*q
		s.lead, s.leads, s.noise = s.lead+d*(x-0.5), s.leads+d*d, s.noise+d*d*v
	}
	return shrink(list, g)
}

// shrink turns sums into estimates. The variance of an estimate between openings is what its spread has above the
// noise.
func shrink(list []sums, g *Games) []Estimate {
	all := make([]Estimate, len(list))
	var within, freedom, between, weight, fourth, pairs float64
	for _, s := range list {
		fourth, pairs = fourth+s.fourth, pairs+s.n
		if s.n > 1 {
			within, freedom = within+s.fourth-s.squares*s.squares/s.n, freedom+s.n-1
		}
	}
	// The noise of the square of one pair is known by openings with several pairs. Else it is at most the whole variance.
	const few = 30
	noise := (within + few*(fourth/max(pairs, 1)-1)) / (freedom + few)
	for _, s := range list {
		if s.n > 0 {
			d := s.squares/s.n - 1
			between, weight = between+s.n*(d*d-noise/s.n), weight+s.n
		}
	}
	between = max(0, between/max(weight, 1))
	for i, s := range list {
		all[i] = Estimate{Number: i + 1, FEN: g.fen(i), Pairs: int(s.n), Spread: 1}
		if s.n > 0 && between > 0 {
			all[i].Spread += (s.squares/s.n - 1) * between / (between + noise/s.n)
		}
	}
	between, weight = 0, 0
	for i, s := range list {
		if s.leads > 0 {
			d, v := s.lead/s.leads-all[i].Spread, s.variance(&all[i])
			between, weight = between+(d*d-v)/(v*v), weight+1/(v*v)
		}
	}
	between = max(0, between/max(weight, math.SmallestNonzeroFloat64))
	for i, s := range list {
		all[i].Strength = all[i].Spread
		if s.leads > 0 && between > 0 {
			all[i].Strength += (s.lead/s.leads - all[i].Spread) * between / (between + s.variance(&all[i]))
		}
	}
	return all
}

// fen returns the position of an opening of the book.
func (g *Games) fen(n int) string {
	game, err := g.Book.Propose(uint64(n), 1)
	if err != nil {
		return ""
	}
	return game.Position().FEN()
}
