package search

import (
	"time"

	"github.com/assay-chess/assay/engine/board"
)

const (
	// horizon is for how many more moves a clock without a time control must last. With 40, games
	// ended with a third of the clock left.
	horizon = 28
	// reserve is the time reserved for pauses on a busy machine, in overheads of a move.
	reserve = 4
)

// share returns the time for an average move, and the most that any move may take. Each
// of the moves for which the clock must last costs the overhead, for what happens outside
// the search, and each but the last adds the increment.
func share(left, increment time.Duration, movesToGo int, overhead time.Duration) (average, most time.Duration) {
	moves := horizon
	if movesToGo > 0 {
		moves = min(movesToGo, moves)
	}
	n := time.Duration(moves)
	usable := max(left-(1+reserve)*overhead, left/8)
	total := max(left+(n-1)*increment-(n+reserve)*overhead, left/8)
	switch moves {
	case 1:
		most = usable * 7 / 10
	case 2:
		most = usable * 5 / 10
	default:
		most = usable * 4 / 10
	}
	average = min(total*24/25/n, most)
	return average, min(4*average, most)
}

// lag is the longest pause of a search on a busy machine. It fades from search to search.
type lag time.Duration

const (
	// minLag is longer than a search normally takes between two polls.
	minLag = lag(3 * time.Millisecond)
	// maxLag bounds the lag: the machine may have been asleep.
	maxLag = lag(100 * time.Millisecond)
)

// observe records the time between two polls.
func (l *lag) observe(d time.Duration) {
	if seen := min(lag(d), maxLag); seen > max(minLag, *l) {
		*l = seen
	}
}

func (l *lag) fade() { *l -= *l / 8 }

// overhead returns the time that a move costs beside its search: the option's, or
// half of the lag, which does not affect every move.
func (l *lag) overhead(option time.Duration) time.Duration {
	return max(option, time.Duration(*l)/2)
}

// pace adapts the time of a search with a clock after each iteration.
type pace struct {
	best    board.Move
	stable  int     // iterations since the best move changed
	average int     // of the scores so far, weighted towards the later ones
	scale   float64 // factor of the time for an average move
}

// update takes the result of an iteration: its best move and score, and the share of all
// nodes that were spent on that move.
func (p *pace) update(depth int, best board.Move, score int, effort float64) {
	if depth == 1 {
		*p = pace{best: best, average: score}
	}
	if p.stable++; best != p.best {
		p.best, p.stable = best, 0
	}
	fall := float64(min(max(p.average-score, -maxFall), maxFall)) / maxFall
	p.average = (p.average + score) / 2
	p.scale = 1
	if depth >= paceDepth {
		p.scale = stability[min(p.stable, len(stability)-1)] * (effortBase - effortSlope*effort) * (1 + fallWeight*fall)
	}
}

// A search takes more time while its best move changes (stability, by iterations since
// the last change), while the other moves cost many nodes (effort), and while its score
// falls.
var stability = [...]float64{1.6, 1.45, 1.3, 1.15, 1, 0.85, 0.8}

const (
	paceDepth   = 5
	effortBase  = 1.9
	effortSlope = 1.4
	maxFall     = 50 // centipawns
	fallWeight  = 0.35
)
