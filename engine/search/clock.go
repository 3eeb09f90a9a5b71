package search

import (
	"context"
	"math"
	"time"

	"github.com/assay-chess/assay/engine"
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

// pollNodes is the number of nodes between two checks of context and clock: about half a
// millisecond.
const pollNodes = 512

// limits decides when the current search ends.
type limits struct {
	ctx   context.Context
	now   func() time.Time
	start time.Time

	depth     int
	mate      int    // moves
	softNodes uint64 // no iteration starts at this many or more
	hardNodes uint64 // the search stops at exactly this many

	timed       bool
	maxTime     time.Duration // the search stops this long after timeFrom
	timeFrom    time.Time     // when time began to count: the start, or the end of pondering
	lastPoll    time.Time
	averageTime time.Duration // the share of a clock for an average move; 0: no clock

	pondering bool            // time does not count yet
	hit       <-chan struct{} // closed at ponderhit
}

func (l *limits) set(ctx context.Context, us board.Color, lim engine.Limits,
	overhead time.Duration, now func() time.Time) {
	*l = limits{ctx: ctx, now: now, start: now(), depth: maxPly - 1, mate: lim.Mate,
		softNodes: math.MaxUint64, hardNodes: math.MaxUint64}
	l.timeFrom, l.lastPoll = l.start, l.start
	if lim.Depth > 0 {
		l.depth = min(lim.Depth, l.depth)
	}
	switch {
	case lim.Nodes == 0:
	case lim.HardNodes:
		l.softNodes, l.hardNodes = lim.Nodes, lim.Nodes
	default:
		l.softNodes = lim.Nodes
		l.hardNodes = min(lim.Nodes, math.MaxUint64/8) * 8
	}
	l.pondering, l.hit = lim.Ponder, lim.PonderHit
	if lim.Infinite {
		return
	}
	if lim.MoveTime > 0 {
		l.timed, l.maxTime = true, lim.MoveTime
	}
	if left := lim.Clock[us&1]; left > 0 {
		average, most := share(left, lim.Increment[us&1], lim.MovesToGo, overhead)
		if !l.timed || most < l.maxTime {
			l.maxTime = most
		}
		l.timed, l.averageTime = true, average
	}
}

// checkPonderHit ends pondering if ponderhit has come.
func (l *limits) checkPonderHit() {
	select {
	case <-l.hit:
		l.pondering, l.timeFrom = false, l.now()
		l.lastPoll = l.timeFrom
	default:
	}
}

// wait waits until the search may answer.
func (l *limits) wait(infinite bool) {
	switch {
	case infinite:
		<-l.ctx.Done()
	case l.pondering:
		select {
		case <-l.hit:
		case <-l.ctx.Done():
		}
	}
}

// elapsed returns the time of the search, pondering included.
func (l *limits) elapsed() time.Duration { return l.now().Sub(l.start) }

// tick counts a node. It returns false if the search has to stop.
func (e *Engine) tick() bool {
	if e.nodes >= e.pollAt && e.poll() {
		return false
	}
	e.nodes++
	return true
}

// poll reports whether the search has to stop.
func (e *Engine) poll() bool {
	l := &e.limits
	if l.pondering {
		if l.checkPonderHit(); !l.pondering && e.clockSaysStop() {
			e.stopped = true
		}
	}
	switch {
	case e.stopped:
	case e.nodes >= l.hardNodes, l.ctx.Err() != nil, l.timed && !l.pondering && e.timeIsUp():
		e.stopped = true
	default:
		e.pollAt = min(e.nodes+pollNodes, l.hardNodes)
		return false
	}
	e.pollAt = 0
	return true
}

// timeIsUp reports whether the search has used its maximum time.
func (e *Engine) timeIsUp() bool {
	l := &e.limits
	now := l.now()
	e.lag.observe(now.Sub(l.lastPoll))
	l.lastPoll = now
	return now.Sub(l.timeFrom) >= l.maxTime
}

// enough reports, after an iteration, whether to stop.
func (e *Engine) enough(depth int) bool {
	l := &e.limits
	best := e.root.at(0)
	e.pace.update(depth, best.move, best.score, float64(best.nodes)/float64(max(e.nodes, 1)))
	switch {
	case depth >= l.depth, e.nodes >= l.softNodes, l.ctx.Err() != nil:
		return true
	case l.mate > 0 && abs(best.score) >= engine.MateScore-2*l.mate:
		return true
	}
	return e.clockSaysStop()
}

// clockSaysStop reports whether to save the rest of a clock's time for later moves. A
// forced move gets no time. Time spent pondering counts as used.
func (e *Engine) clockSaysStop() bool {
	l := &e.limits
	if l.averageTime == 0 || l.pondering {
		return false
	}
	return e.root.n == 1 || float64(l.elapsed()) >= float64(l.averageTime)*e.pace.scale
}
