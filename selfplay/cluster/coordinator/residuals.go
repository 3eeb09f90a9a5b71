package coordinator

import (
	"math"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
)

// residuals compares the scores of workers. The same players meet in the games of all
// workers, so scores and forfeits differ by chance alone, unless a machine is at fault.
//
// A worker's n games of a pairing are taken as drawn, without replacement, from all N games
// of the pairing, whose scores have the variance s2. Their sum then has the variance
// n (1 - n/N) s2 N/(N-1). Deviations and variances are summed over the pairings, of which a
// ladder has many. The residual is the deviation in standard errors.
type residuals struct {
	all     map[pairing]*outcomes
	workers map[string]map[pairing]*outcomes
}

// pairing is two players' specifications, in alphabetical order.
type pairing [2]string

// outcomes are sums over games: of their number, the scores of the pairing's first player (of
// White if both are the same), the squares of these, and the forfeits.
type outcomes struct{ games, scores, squares, forfeits float64 }

func (o *outcomes) add(x outcomes, sign float64) {
	o.games += sign * x.games
	o.scores += sign * x.scores
	o.squares += sign * x.squares
	o.forfeits += sign * x.forfeits
}

const (
	// improbable is the probability below which a deviation is logged: that of five standard
	// errors in a large sample.
	improbable = 3e-7
	// maxPairings bounds the pairings that are compared. A tournament of 100 players has 4,950.
	maxPairings = 5000
)

func newResiduals() *residuals {
	return &residuals{all: map[pairing]*outcomes{}, workers: map[string]map[pairing]*outcomes{}}
}

// add adds a worker's game, unless it is void.
func (r *residuals) add(worker string, g *selfplay.Result) {
	if g.Void != "" {
		return
	}
	players, score := pairing{g.Players[0], g.Players[1]}, 0.5
	switch g.Result {
	case board.WhiteWins:
		score = 1
	case board.BlackWins:
		score = 0
	}
	if players[1] < players[0] {
		players[0], players[1], score = players[1], players[0], 1-score
	}
	game := outcomes{games: 1, scores: score, squares: score * score}
	if _, yes := g.Forfeited(); yes {
		game.forfeits = 1
	}
	if r.all[players] == nil && len(r.all) == maxPairings {
		return
	}
	if r.workers[worker] == nil {
		r.workers[worker] = map[pairing]*outcomes{}
	}
	for _, sums := range []map[pairing]*outcomes{r.all, r.workers[worker]} {
		if sums[players] == nil {
			sums[players] = &outcomes{}
		}
		sums[players].add(game, 1)
	}
}

// residual returns the residuals of a worker's scores and of its share of forfeits, and the
// number of its forfeits.
func (r *residuals) residual(worker string) (score, faulty float64, forfeits int64) {
	scores, faults, forfeits := r.deviations(worker)
	return scores.standardErrors(), faults.standardErrors(), forfeits
}

// suspicious reports whether a worker's scores or forfeits differ from those of all workers
// by more than chance explains.
func (r *residuals) suspicious(worker string) bool {
	scores, faults, _ := r.deviations(worker)
	return scores.probability() < improbable || faults.sum > 0 && faults.probability() < improbable
}

// remove takes back the games of a worker.
func (r *residuals) remove(worker string) {
	for players, own := range r.workers[worker] {
		r.all[players].add(*own, -1)
	}
	delete(r.workers, worker)
}

func (r *residuals) deviations(worker string) (scores, faults deviation, forfeits int64) {
	for players, own := range r.workers[worker] {
		all := r.all[players]
		forfeits += int64(own.forfeits)
		scores.add(own.games, all.games, own.scores, all.scores, all.squares)
		faults.add(own.games, all.games, own.forfeits, all.forfeits, all.forfeits)
	}
	return scores, faults, forfeits
}

// deviation is by how much a worker's sums differ from their expectation.
type deviation struct{ sum, variance float64 }

// add adds a pairing: the worker's number of games and their sum, and those of all workers.
func (d *deviation) add(n, all, own, sum, squares float64) {
	if n == all {
		return // no other worker to compare with
	}
	mean := sum / all
	variance := max(0, squares/all-mean*mean)
	d.sum += own - n*mean
	d.variance += n * (1 - n/all) * variance * all / (all - 1)
}

// probability returns an upper bound (Bennett's) of how often chance alone makes a deviation
// this large or larger on its side. It holds for small samples and rare outcomes too, where
// standard errors mislead: among a hundred workers the first forfeit is ten standard errors
// from what its worker should have.
func (d *deviation) probability() float64 {
	if d.variance <= 0 {
		return 1
	}
	u := math.Abs(d.sum) / d.variance
	return math.Exp(-d.variance * ((1+u)*math.Log1p(u) - u))
}

// standardErrors returns the deviation in standard errors.
func (d *deviation) standardErrors() float64 {
	if d.variance <= 0 {
		return 0
	}
	return d.sum / math.Sqrt(d.variance)
}
