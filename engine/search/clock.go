package search

import (
	"time"

	"github.com/assay-chess/assay/engine/board"
)

const (
	// horizon is how many moves a clock without a time control has to last, at any time.
	horizon = 40
	// reserve is what is kept back for when a busy machine does something else for a
	// while, in overheads of a move.
	reserve = 4
)

// share says how much of a clock a move like others should take, and how much none may
// exceed. What happens outside the search costs the overhead at each of the moves that
// the clock has to last, and an increment comes with each but the last.
func share(left, increment time.Duration, movesToGo int, overhead time.Duration) (fair, most time.Duration) {
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
	fair = min(total*4/5/n, most)
	return fair, min(5*fair, most)
}

// lag is how long a busy machine keeps a search waiting, the longest time seen. It
// fades from search to search.
type lag time.Duration

const (
	// lagLeast is longer than a search needs from one look at its clock to the next.
	lagLeast = lag(3 * time.Millisecond)
	// lagMost bounds what is believed: a machine may have been put to sleep.
	lagMost = lag(100 * time.Millisecond)
)

// see takes notice of the time between two looks at the clock.
func (l *lag) see(d time.Duration) {
	if seen := min(lag(d), lagMost); seen > max(lagLeast, *l) {
		*l = seen
	}
}

func (l *lag) fade() { *l -= *l / 8 }

// overhead is what a move costs beside its time: what is said, or half of the lag, as
// not every move meets it.
func (l *lag) overhead(said time.Duration) time.Duration {
	return max(said, time.Duration(*l)/2)
}

// pace tells from one iteration to the next whether a search needs more or less time
// than others. It never says anything about a search without a clock.
type pace struct {
	best    board.Move
	stable  int // iterations since the best move changed
	average int // of the scores so far, the later ones weigh more
	scale   float64
}

// judge looks at an iteration that has ended: its best move and score, and the share
// of all nodes that went into that move.
func (p *pace) judge(depth int, best board.Move, score int, effort float64) {
	if depth == 1 {
		*p = pace{best: best, average: score}
	}
	if p.stable++; best != p.best {
		p.best, p.stable = best, 0
	}
	fall := float64(min(max(p.average-score, -fallMost), fallMost)) / fallMost
	p.average = (p.average + score) / 2
	p.scale = 1
	if depth >= paceDepth {
		p.scale = stability[min(p.stable, len(stability)-1)] * (effortBase - effortSlope*effort) * (1 + fallWeight*fall)
	}
}

// How much longer than others a search goes on: while its best move changes, while
// other moves take as much to refute as the best one, and while the score falls.
var stability = [...]float64{1.6, 1.45, 1.3, 1.15, 1, 0.85, 0.8}

const (
	paceDepth   = 5
	effortBase  = 1.9
	effortSlope = 1.4
	fallMost    = 50 // centipawns
	fallWeight  = 0.35
)
