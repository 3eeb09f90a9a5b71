package search

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

func TestShareOfTheClock(t *testing.T) {
	const ms, overhead = time.Millisecond, 10 * time.Millisecond
	for _, tt := range []struct {
		left, increment time.Duration
		moves           int
		low, high       time.Duration // for an average move
	}{
		{time.Minute, 0, 0, 500 * ms, 3 * time.Second},
		{time.Minute, time.Second, 0, time.Second, 4 * time.Second},
		{time.Minute, 0, 1, 20 * time.Second, 59 * time.Second},
		{time.Minute, 0, 5, 5 * time.Second, 12 * time.Second},
		{time.Second, 0, 40, 10 * ms, 25 * ms},
		{100 * ms, 10 * time.Second, 0, ms, 90 * ms},
		{ms, 0, 0, 0, ms},
		{ms, 0, 1, 0, ms},
		{1, 0, 1, 0, 1},
	} {
		fair, most := share(tt.left, tt.increment, tt.moves, overhead)
		if fair < tt.low || fair > tt.high || most < fair || most > max(tt.left-overhead, tt.left/8) {
			t.Errorf("of %v + %v, %d moves to go: %v, at most %v", tt.left, tt.increment, tt.moves, fair, most)
		}
	}
	// More of anything never gives less time, and some time is left whatever the overhead.
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10000 {
		left, increment := time.Duration(1+rng.Int64N(1<<rng.IntN(50))), time.Duration(rng.Int64N(1<<rng.IntN(40)))
		moves, over := rng.IntN(60), time.Duration(rng.Int64N(int64(maxOverhead)))
		fair, most := share(left, increment, moves, over)
		more, _ := share(left+left/3, increment+increment/2, moves, over)
		if fair < 0 || fair > most || most > left*7/10 || more < fair {
			t.Fatalf("of %v + %v, %d moves to go, overhead %v: %v, at most %v; of more %v", left, increment,
				moves, over, fair, most, more)
		}
	}
}

// scales returns the time scale after each iteration, by its best move and score.
func scales(moves []board.Move, scores []int, effort float64) (list []float64) {
	var p pace
	for i, m := range moves {
		p.update(i+1, m, scores[i], effort)
		list = append(list, p.scale)
	}
	return list
}

func TestPace(t *testing.T) {
	steady := make([]board.Move, 16)
	level := make([]int, 16)
	falls, rises := make([]int, 16), make([]int, 16)
	changes := make([]board.Move, 16)
	for i := range steady {
		steady[i], changes[i] = 7, board.Move(1+i%2)
		falls[i], rises[i] = -10*i, 10*i
	}
	last := func(moves []board.Move, scores []int, effort float64) float64 {
		return scales(moves, scores, effort)[15]
	}
	usual := last(steady, level, 0.8)
	for _, tt := range []struct {
		what        string
		scale       float64
		least, most float64
	}{
		{"nothing happens", usual, 0.5, 0.75},
		{"the move changes", last(changes, level, 0.8), usual * 1.6, usual * 2.4},
		{"the others are hard to refute", last(steady, level, 0.3), usual * 1.5, usual * 2.3},
		{"the score falls", last(steady, falls, 0.8), usual * 1.05, usual * 1.3},
		{"the score rises", last(steady, rises, 0.8), usual * 0.75, usual * 0.95},
		{"all at once", last(changes, falls, 0.1), usual * 4, usual * 6.5},
	} {
		if tt.scale < tt.least || tt.scale > tt.most {
			t.Errorf("%s: scale %.2f, want %.2f to %.2f", tt.what, tt.scale, tt.least, tt.most)
		}
	}
	if early := scales(changes, falls, 0.1)[:paceDepth-1]; early[0] != 1 || early[paceDepth-2] != 1 {
		t.Errorf("scales %v before depth paceDepth", early)
	}
}

// nodeTime is a fake clock that advances with the engine's nodes, so that tests of time
// are reproducible. It can simulate a busy machine, which pauses the engine now and then.
type nodeTime struct {
	e      *Engine
	rng    *rand.Rand
	at     time.Time
	nodes  uint64
	pauses time.Duration // the longest pause; half of it is the mean
	after  time.Duration // mean time of the engine between two pauses
}

const virtualNode = 6 * time.Microsecond

func (n *nodeTime) now() time.Time {
	if n.e.nodes < n.nodes { // another search
		n.nodes = 0
	}
	n.spend(time.Duration(n.e.nodes-n.nodes) * virtualNode)
	n.nodes = n.e.nodes
	return n.at
}

func (n *nodeTime) spend(d time.Duration) {
	n.at = n.at.Add(d)
	if n.pauses > 0 && n.rng.Float64() < float64(d)/float64(n.after) {
		n.at = n.at.Add(time.Duration(n.rng.Int64N(int64(n.pauses))))
	}
}

func newNodeTime(t *testing.T) (*Engine, *nodeTime) {
	e := New(evaluator(t, "assay-start"), 1)
	n := &nodeTime{e: e, rng: rand.New(rand.NewPCG(3, 4)), at: time.Unix(1, 0)}
	e.now = n.now
	return e, n
}

// The engine never loses a game on time, even with very short clocks on an overloaded
// machine, where every move loses a millisecond and some lose many.
func TestClocksLastWholeGames(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name            string
		base, increment time.Duration
		moves           int // a time control
		pauses, after   time.Duration
	}{
		{"1+0.01", 1000 * ms, 10 * ms, 0, 10 * ms, 10 * ms},
		{"0.1+0.01", 100 * ms, 10 * ms, 0, 10 * ms, 10 * ms},
		{"40 in 1", 1000 * ms, 0, 40, 10 * ms, 10 * ms},
		{"5 in 0.2", 200 * ms, 0, 5, 10 * ms, 10 * ms},
		{"0.5", 500 * ms, 0, 0, 10 * ms, 10 * ms},
		{"1+0.01, overloaded", 1000 * ms, 10 * ms, 0, 40 * ms, 20 * ms},
		{"40 in 1, overloaded", 1000 * ms, 0, 40, 40 * ms, 20 * ms},
		{"0.5, overloaded", 500 * ms, 0, 0, 40 * ms, 100 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, clock := newNodeTime(t)
			clock.pauses, clock.after = c.pauses, c.after
			left := [2]time.Duration{c.base, c.base}
			least := c.base
			game := board.NewGame(board.StartPosition())
			for ply := range 200 {
				if _, _, over := game.Outcome(); over {
					break
				}
				us := game.Position().SideToMove()
				lim := engine.Limits{Clock: left, Increment: [2]time.Duration{c.increment, c.increment}}
				if c.moves > 0 {
					lim.MovesToGo = c.moves - ply/2%c.moves
				}
				start := clock.at
				r := run(t, e, game, lim)
				clock.spend(ms)
				left[us] -= clock.at.Sub(start)
				if left[us] <= 0 {
					t.Fatalf("ply %d: %v on the clock", ply, left[us])
				}
				least = min(least, left[us])
				left[us] += c.increment
				if lim.MovesToGo == 1 {
					left[us] += c.base
				}
				game.Push(r.Move)
			}
			t.Logf("%d plies, never less than %v", len(game.Moves()), least)
		})
	}
}

// The opponent's clock does not count.
func TestClockOfTheSideToMove(t *testing.T) {
	e, clock := newNodeTime(t)
	start := clock.at
	run(t, e, board.NewGame(position(t, middlegame)),
		engine.Limits{Clock: [2]time.Duration{200 * time.Millisecond, time.Hour}})
	if d := clock.at.Sub(start); d > 100*time.Millisecond {
		t.Errorf("%v of a clock of 200ms", d)
	}
}

// onlyMove is a position with one legal move, of the king.
const onlyMove = "rnbqk2r/pppp1ppp/8/8/1b6/8/P3PPPP/R3KBNR w KQkq - 0 1"

func TestForcedMoveTakesNoTime(t *testing.T) {
	e, _ := newNodeTime(t)
	g := board.NewGame(position(t, onlyMove))
	clock := [2]time.Duration{time.Hour, time.Hour}
	if r := run(t, e, g, engine.Limits{Clock: clock}); r.Depth != 1 || r.Nodes > 1000 {
		t.Errorf("depth %d, %d nodes for the only move", r.Depth, r.Nodes)
	}
	// A limit in time for the move is used up: the caller may want the score.
	if r := run(t, e, g, engine.Limits{MoveTime: 20 * time.Millisecond}); r.Depth < 3 {
		t.Errorf("depth %d in a time for the move", r.Depth)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := e.Search(ctx, g, engine.Limits{Clock: clock, Infinite: true}); err != nil || ctx.Err() == nil {
		t.Errorf("an infinite search ended before its context: %v", err)
	}
}

// ponder searches with the limits. Ponderhit comes at the end of the first iteration that
// ends after hitAfter. It returns how long the search continues after it.
func ponder(t *testing.T, fen string, lim engine.Limits, hitAfter time.Duration) (r engine.Result,
	after time.Duration) {
	e, clock := newNodeTime(t)
	hit := make(chan struct{})
	start := clock.at
	var hitAt time.Time
	lim.Info = func(engine.Info) {
		now := clock.now()
		if hitAt.IsZero() && now.Sub(start) >= hitAfter {
			hitAt = now
			close(hit)
		}
	}
	lim.Ponder, lim.PonderHit = true, hit
	r, err := e.Search(t.Context(), board.NewGame(position(t, fen)), lim)
	if err != nil || hitAt.IsZero() {
		t.Fatalf("%v; ponderhit at %v", err, hitAt)
	}
	return r, clock.at.Sub(hitAt)
}

func TestPonderHit(t *testing.T) {
	const ms = time.Millisecond
	const poll = 2 * pollNodes * virtualNode
	clock := engine.Limits{Clock: [2]time.Duration{4000 * ms, 4000 * ms}}
	fair, most := share(4000*ms, 0, 0, defaultOverhead)

	r, after := ponder(t, middlegame, clock, 5*ms)
	if after < fair/8 || after > most+poll {
		t.Errorf("ponderhit at once: %v after it, of %v to %v", after, fair, most)
	}
	long, after := ponder(t, middlegame, clock, 2*most)
	if after > poll {
		t.Errorf("ponderhit after long pondering: %v after it", after)
	}
	if long.Depth <= r.Depth || long.Nodes <= r.Nodes {
		t.Errorf("depth %d, %d nodes after long pondering, %d and %d after short", long.Depth, long.Nodes, r.Depth, r.Nodes)
	}
	if _, after := ponder(t, middlegame, engine.Limits{MoveTime: 30 * ms}, 100*ms); after < 30*ms ||
		after > 30*ms+poll {
		t.Errorf("%v after ponderhit with 30ms for the move", after)
	}
	if _, after := ponder(t, onlyMove, clock, 20*ms); after > poll {
		t.Errorf("%v after ponderhit for the only move", after)
	}
}

const middlegame = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"

func TestHardNodesAreExact(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	g := board.NewGame(position(t, middlegame))
	for _, n := range []uint64{1, 7, 511, 512, 513, 5000} {
		if r := run(t, e, g, engine.Limits{Nodes: n, HardNodes: true}); r.Nodes != n {
			t.Errorf("%d nodes under a hard limit of %d", r.Nodes, n)
		}
	}
}

func TestSoftNodesFinishTheIteration(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	g := board.NewGame(position(t, middlegame))
	soft := run(t, e, g, engine.Limits{Nodes: 4000})
	setup.Check(t, e.NewGame(0))
	whole := run(t, e, g, engine.Limits{Depth: soft.Depth})
	if soft.Nodes < 4000 || soft.Nodes != whole.Nodes || soft.Score != whole.Score || soft.Move != whole.Move {
		t.Errorf("soft limit %+v, the same depth without it %+v", soft, whole)
	}
}

func TestMateLimit(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		moves     int
		score     int
	}{
		{"mate in two", "7k/8/R7/1R6/8/8/8/7K w - - 0 1", 2, engine.MateScore - 3},
		{"mated in one", "7k/R7/5K2/8/8/8/8/1R6 b - - 0 1", 1, -(engine.MateScore - 2)},
	} {
		e := New(evaluator(t, "assay-start"), 1)
		r := run(t, e, board.NewGame(position(t, tt.fen)), engine.Limits{Mate: tt.moves})
		if int(r.Score) != tt.score {
			t.Errorf("%s: score %d, want %d", tt.name, r.Score, tt.score)
		}
	}
}

// The first of several limits to be reached ends the search.
func TestLimitsCombined(t *testing.T) {
	e, _ := newNodeTime(t)
	g := board.NewGame(position(t, middlegame))
	const nodes, depth, far = 6000, 6, 1 << 40
	const takes = 5 * time.Millisecond // 2500 nodes
	for _, tt := range []struct {
		name string
		lim  engine.Limits
		ok   func(engine.Result) bool
	}{
		{"depth", engine.Limits{Depth: depth, Nodes: far, MoveTime: time.Hour},
			func(r engine.Result) bool { return r.Depth == depth }},
		{"nodes", engine.Limits{Depth: 100, Nodes: nodes, HardNodes: true, MoveTime: time.Hour},
			func(r engine.Result) bool { return r.Nodes == nodes }},
		{"time", engine.Limits{Depth: 100, Nodes: far, MoveTime: takes},
			func(r engine.Result) bool { return r.Time >= takes && r.Time < 2*takes }},
		{"time within a clock", engine.Limits{MoveTime: takes, Clock: [2]time.Duration{time.Hour, time.Hour}},
			func(r engine.Result) bool { return r.Time >= takes && r.Time < 2*takes }},
		{"clock within a time", engine.Limits{MoveTime: time.Hour, Clock: [2]time.Duration{4 * takes, time.Hour}},
			func(r engine.Result) bool { return r.Time < 4*takes }},
		{"nodes within a clock", engine.Limits{Nodes: nodes, HardNodes: true, Clock: [2]time.Duration{time.Hour, time.Hour}},
			func(r engine.Result) bool { return r.Nodes == nodes }},
	} {
		if r := run(t, e, g, tt.lim); !tt.ok(r) {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}

// A search that is infinite or ponders answers only when its context ends.
func TestInfiniteWaitsForTheContext(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	for name, fen := range map[string]string{
		"a tree that is soon searched": "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
		"checkmate":                    "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1",
	} {
		for _, lim := range []engine.Limits{
			{Infinite: true, Depth: 1, Nodes: 10, MoveTime: 1},
			{Ponder: true, Depth: 1, Nodes: 10, MoveTime: 1, PonderHit: make(chan struct{})},
			{Ponder: true},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Millisecond, cancel)
			if _, err := e.Search(ctx, board.NewGame(position(t, fen)), lim); err != nil || ctx.Err() == nil {
				t.Errorf("%s, %+v: an answer before the context's end; %v", name, lim, err)
			}
		}
	}
}
