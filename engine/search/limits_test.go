package search

import (
	"context"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

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
