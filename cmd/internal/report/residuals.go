package report

import (
	"math"
	"path/filepath"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// residuals compares the games of a run's workers. The same players meet in the games of all
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

// readResiduals reads the games in the journal of a run. Without one there is nothing to compare.
func readResiduals(dir string) *residuals {
	r := &residuals{all: map[pairing]*outcomes{}, workers: map[string]map[pairing]*outcomes{}}
	_ = gamelog.ReadPlayed(filepath.Join(dir, gamelog.JournalName), func(g *selfplay.Result) error {
		r.add(g)
		return nil
	})
	return r
}

// add adds a game that a worker played.
func (r *residuals) add(g *selfplay.Result) {
	if g.Worker == "" {
		return
	}
	players, score := pairing(g.Players), 0.5
	switch g.Result {
	case board.WhiteWins:
		score = 1
	case board.BlackWins:
		score = 0
	}
	if players[1] < players[0] {
		players[0], players[1], score = players[1], players[0], 1-score
	}
	forfeits := 0.0
	if _, yes := g.Forfeited(); yes {
		forfeits = 1
	}
	if r.workers[g.Worker] == nil {
		r.workers[g.Worker] = map[pairing]*outcomes{}
	}
	for _, sums := range []map[pairing]*outcomes{r.all, r.workers[g.Worker]} {
		if sums[players] == nil {
			sums[players] = &outcomes{}
		}
		sums[players].games++
		sums[players].scores += score
		sums[players].squares += score * score
		sums[players].forfeits += forfeits
	}
}

// of returns the residuals of a worker's scores and of its share of forfeits, and the
// number of its forfeits.
func (r *residuals) of(worker string) (score, faulty, forfeits float64) {
	var scores, faults deviation
	for players, own := range r.workers[worker] {
		all := r.all[players]
		forfeits += own.forfeits
		scores.add(own.games, all.games, own.scores, all.scores, all.squares)
		faults.add(own.games, all.games, own.forfeits, all.forfeits, all.forfeits)
	}
	return scores.standardErrors(), faults.standardErrors(), forfeits
}

// deviation is by how much a worker's sums differ from their expectation.
type deviation struct{ sum, variance float64 }

// add adds a pairing: number of games and their sum, the worker's and all workers'.
func (d *deviation) add(n, all, own, sum, squares float64) {
	if n == all {
		return // no other worker to compare with
	}
	mean := sum / all
	variance := max(0, squares/all-mean*mean)
	d.sum += own - n*mean
	d.variance += n * (1 - n/all) * variance * all / (all - 1)
}

// standardErrors returns the deviation in standard errors.
func (d *deviation) standardErrors() float64 {
	if d.variance <= 0 {
		return 0
	}
	return d.sum / math.Sqrt(d.variance)
}
