package search

import (
	"context"
	"math"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
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
