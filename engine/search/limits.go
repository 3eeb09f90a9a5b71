package search

import (
	"context"
	"math"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// pollNodes is how often a search looks at its context and clock, in nodes: about
// every half millisecond.
const pollNodes = 512

// limits says when the current search ends.
type limits struct {
	ctx   context.Context
	now   func() time.Time
	start time.Time

	depth     int
	mate      int    // moves
	softNodes uint64 // no iteration begins at or beyond
	hardNodes uint64 // the search stops at exactly this many

	timed   bool
	most    time.Duration // the search stops so long after counted
	counted time.Time     // when time began to count: start, or when pondering ended
	looked  time.Time     // when it was looked at last
	fair    time.Duration // of a clock for a move like others; 0: no clock

	pondering bool            // time does not count yet
	hit       <-chan struct{} // closed when it begins to
}

func (l *limits) set(ctx context.Context, us board.Color, lim engine.Limits, overhead time.Duration, now func() time.Time) {
	*l = limits{ctx: ctx, now: now, start: now(), depth: maxPly - 1, mate: lim.Mate, softNodes: math.MaxUint64, hardNodes: math.MaxUint64}
	l.counted, l.looked = l.start, l.start
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
		l.timed, l.most = true, lim.MoveTime
	}
	if left := lim.Clock[us&1]; left > 0 {
		fair, most := share(left, lim.Increment[us&1], lim.MovesToGo, overhead)
		if !l.timed || most < l.most {
			l.most = most
		}
		l.timed, l.fair = true, fair
	}
}

// listen notices that pondering has ended.
func (l *limits) listen() {
	select {
	case <-l.hit:
		l.pondering, l.counted = false, l.now()
		l.looked = l.counted
	default:
	}
}

// wait waits until an answer may be given.
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

// elapsed is how long the search has taken, pondering included.
func (l *limits) elapsed() time.Duration { return l.now().Sub(l.start) }

// tick counts a node, unless the search has to stop.
func (e *Engine) tick() bool {
	if e.nodes >= e.pollAt && e.poll() {
		return false
	}
	e.nodes++
	return true
}

// poll looks whether the search has to stop.
func (e *Engine) poll() bool {
	l := &e.limits
	if l.pondering {
		if l.listen(); !l.pondering && e.clockSaysStop() {
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

// timeIsUp tells whether the search has taken all the time that it may.
func (e *Engine) timeIsUp() bool {
	l := &e.limits
	now := l.now()
	e.lag.see(now.Sub(l.looked))
	l.looked = now
	return now.Sub(l.counted) >= l.most
}

// enough tells, after an iteration, whether not to begin another.
func (e *Engine) enough(depth int) bool {
	l := &e.limits
	best := e.root.at(0)
	e.pace.judge(depth, best.move, best.score, float64(best.nodes)/float64(max(e.nodes, 1)))
	switch {
	case depth >= l.depth, e.nodes >= l.softNodes, l.ctx.Err() != nil:
		return true
	case l.mate > 0 && abs(best.score) >= engine.MateScore-2*l.mate:
		return true
	}
	return e.clockSaysStop()
}

// clockSaysStop tells whether a clock, if there is one, is better spent on moves to
// come. A move without a choice is worth none of it, and time spent pondering has been
// spent.
func (e *Engine) clockSaysStop() bool {
	l := &e.limits
	if l.fair == 0 || l.pondering {
		return false
	}
	return e.root.n == 1 || float64(l.elapsed()) >= float64(l.fair)*e.pace.scale
}
