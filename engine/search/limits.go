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
	start time.Time

	depth     int
	mate      int    // moves
	softNodes uint64 // no iteration begins at or beyond
	hardNodes uint64 // the search stops at exactly this many

	timed    bool
	softTime time.Duration // no iteration begins beyond
	hardTime time.Duration
}

func (l *limits) set(ctx context.Context, us board.Color, lim engine.Limits, overhead time.Duration) {
	*l = limits{ctx: ctx, start: time.Now(), depth: maxPly - 1, mate: lim.Mate, softNodes: math.MaxUint64, hardNodes: math.MaxUint64}
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
	if lim.Infinite || lim.Ponder {
		return
	}
	if lim.MoveTime > 0 {
		l.timed = true
		l.softTime, l.hardTime = lim.MoveTime, lim.MoveTime
	}
	if left := lim.Clock[us&1]; left > 0 {
		soft, hard := share(left, lim.Increment[us&1], lim.MovesToGo, overhead)
		if !l.timed || hard < l.hardTime {
			l.softTime, l.hardTime = soft, hard
		}
		l.timed = true
	}
}

// share says how much of a clock one move may take: soft is where no new iteration
// begins, hard where the search stops.
func share(left, increment time.Duration, movesToGo int, overhead time.Duration) (soft, hard time.Duration) {
	moves := 40
	if movesToGo > 0 {
		moves = min(movesToGo, moves)
	}
	usable := max(left-overhead, left/8, time.Millisecond)
	fair := usable/time.Duration(moves) + increment*3/4
	hard = min(4*fair, usable*3/5)
	if moves == 1 {
		hard = usable * 9 / 10
	}
	return min(fair*7/10, hard), hard
}

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
	switch {
	case e.stopped:
	case e.nodes >= l.hardNodes, l.ctx.Err() != nil, l.timed && time.Since(l.start) >= l.hardTime:
		e.stopped = true
	default:
		e.pollAt = min(e.nodes+pollNodes, l.hardNodes)
		return false
	}
	e.pollAt = 0
	return true
}

// enough tells, after an iteration with the given score, whether not to begin
// another.
func (e *Engine) enough(depth, score int) bool {
	l := &e.limits
	switch {
	case depth >= l.depth, e.nodes >= l.softNodes, l.ctx.Err() != nil:
		return true
	case l.timed && time.Since(l.start) >= l.softTime:
		return true
	}
	return l.mate > 0 && score >= engine.MateScore-2*l.mate
}
