package historic

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// pollNodes is the number of nodes between two looks at the context and the clock. The
// programs make a few hundred thousand moves a second, so it is about a millisecond.
const pollNodes = 128

// Budget counts the nodes of one search and decides when it has to stop. It implements
// engine.Limits for all programs; most search to a fixed depth of their own, and the
// budget only stops them earlier.
type Budget struct {
	ctx     context.Context
	start   time.Time
	timed   bool
	allowed time.Duration
	wait    bool
	info    func(engine.Info)

	soft, hard uint64
	nodes      uint64
	pollAt     uint64
	depth      int
	stopped    bool
}

// NewBudget starts the clock of a search for side us.
func NewBudget(ctx context.Context, us board.Color, lim engine.Limits) *Budget {
	b := &Budget{ctx: ctx, start: time.Now(), soft: math.MaxUint64, hard: math.MaxUint64, depth: math.MaxInt,
		info: lim.Info}
	if lim.Depth > 0 {
		b.depth = lim.Depth
	}
	switch {
	case lim.Nodes == 0:
	case lim.HardNodes:
		b.soft, b.hard = lim.Nodes, lim.Nodes
	default:
		b.soft, b.hard = lim.Nodes, 8*min(lim.Nodes, math.MaxUint64/8)
	}
	b.wait = lim.Infinite || lim.Ponder
	if b.wait {
		return b
	}
	if lim.MoveTime > 0 {
		b.timed, b.allowed = true, lim.MoveTime
	}
	if left := lim.Clock[us&1]; left > 0 {
		moves := 30
		if lim.MovesToGo > 0 {
			moves = min(lim.MovesToGo, moves)
		}
		share := min(left/time.Duration(moves)+lim.Increment[us&1]*3/4, left*4/5)
		if !b.timed || share < b.allowed {
			b.allowed = share
		}
		b.timed = true
	}
	return b
}

// Spend counts a move that the search is about to make. It returns false, and does not
// count the move, if the search has to stop at once.
func (b *Budget) Spend() bool {
	if b.nodes >= b.pollAt && b.poll() {
		return false
	}
	b.nodes++
	return true
}

// Play counts a move and returns the position after it. The move may be the null move. It returns false if the search
// has to stop at once.
func (b *Budget) Play(p *board.Position, m board.Move) (child board.Position, ok bool) {
	if child = *p; !b.Spend() {
		return child, false
	}
	if m == board.NullMove {
		child.MakeNull()
	} else {
		child.Make(m)
	}
	return child, true
}

func (b *Budget) poll() (stop bool) {
	switch {
	case b.stopped:
	case b.nodes >= b.hard, b.ctx.Err() != nil, b.timed && time.Since(b.start) >= b.allowed:
		b.stopped, b.pollAt = true, 0
	default:
		b.pollAt = min(b.nodes+pollNodes, b.hard)
	}
	return b.stopped
}

// Stopped reports whether Spend has returned false. The value of the running search is then
// meaningless.
func (b *Budget) Stopped() bool { return b.stopped }

// Enough reports, between two iterations, that no further one should start.
func (b *Budget) Enough() bool {
	return b.stopped || b.nodes >= b.soft || b.ctx.Err() != nil || b.timed && time.Since(b.start) >= b.allowed/2
}

// Depth returns how many plies to search, where own is the program's own depth.
func (b *Budget) Depth(own int) int { return min(own, b.depth) }

// Nodes returns the number of moves made.
func (b *Budget) Nodes() uint64 { return b.nodes }

// Report passes a result to Limits.Info, if that is set.
func (b *Budget) Report(r engine.Result, selDepth int) {
	if b.info != nil {
		b.info(engine.Info{Depth: r.Depth, SelDepth: selDepth, MultiPV: 1, Score: r.Score, Nodes: b.nodes,
			Time: b.Elapsed(), PV: r.PV})
	}
}

// Elapsed returns the time since the search began.
func (b *Budget) Elapsed() time.Duration { return time.Since(b.start) }

// Finish fills in the nodes and the time of a result. In infinite analysis and while
// pondering it waits until the context ends, as the limits require.
func (b *Budget) Finish(r engine.Result) engine.Result {
	if b.wait {
		<-b.ctx.Done()
	}
	r.Nodes, r.Time = b.nodes, time.Since(b.start)
	return r
}

// RootMoves returns the moves of the list that the limits allow at the root.
func RootMoves(list []board.Move, lim engine.Limits) []board.Move {
	if len(lim.SearchMoves) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(m board.Move) bool { return !slices.Contains(lim.SearchMoves, m) })
}
