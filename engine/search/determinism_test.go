package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// answers plays from the position and returns all answers. Each depends on what the
// searches before it have left in the engine.
func answers(t *testing.T, e *Engine, fen string) (list []string) {
	t.Helper()
	setup.Check(t, e.NewGame(0))
	g := board.NewGame(position(t, fen))
	for _, lim := range []engine.Limits{{Nodes: 8000}, {Nodes: 3000, HardNodes: true},
		{Depth: 5, MultiPV: 2}, {Nodes: 5000}} {
		r := run(t, e, g, lim)
		list = append(list, answerOf(r))
		if r.Move == board.NullMove {
			break
		}
		g.Push(r.Move)
	}
	return list
}

// disturbances change the state of an engine; NewGame must undo that.
var disturbances = []struct {
	name string
	do   func(t *testing.T, e *Engine, rng *rand.Rand)
}{
	{"another game", func(t *testing.T, e *Engine, _ *rand.Rand) {
		run(t, e, board.NewGame(board.StartPosition()), engine.Limits{Nodes: 20000})
	}},
	{"a search stopped somewhere", func(t *testing.T, e *Engine, rng *rand.Rand) {
		run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 1 + rng.Uint64N(30000), HardNodes: true})
	}},
	{"an infinite search stopped", func(t *testing.T, e *Engine, rng *rand.Rand) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(20))*time.Millisecond)
		defer cancel()
		if _, err := e.Search(ctx, board.NewGame(position(t, middlegame)), engine.Limits{Infinite: true}); err != nil {
			t.Fatal(err)
		}
	}},
	{"pondering", func(t *testing.T, e *Engine, rng *rand.Rand) {
		hit := make(chan struct{})
		time.AfterFunc(time.Duration(rng.IntN(10))*time.Millisecond, func() { close(hit) })
		run(t, e, board.NewGame(position(t, middlegame)),
			engine.Limits{Ponder: true, PonderHit: hit, Clock: [2]time.Duration{time.Second, time.Second}})
	}},
	{"many lines", func(t *testing.T, e *Engine, _ *rand.Rand) {
		run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 20000, MultiPV: 7})
	}},
	{"few moves, a mate", func(t *testing.T, e *Engine, _ *rand.Rand) {
		p := position(t, rootPositions[3])
		run(t, e, board.NewGame(p), engine.Limits{Mate: 2, SearchMoves: p.LegalMoves(nil)[:9], Depth: 9})
	}},
	{"other sizes of the table", func(t *testing.T, e *Engine, rng *rand.Rand) {
		for _, mb := range []string{"5", "2", "1"} {
			setup.Check(t, e.SetOption("Hash", mb))
			run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 5000 + rng.Uint64N(5000)})
		}
	}},
	{"other weights", func(t *testing.T, e *Engine, _ *rand.Rand) {
		for _, weights := range []string{"shannon-1950", "assay-start"} {
			e.SetEvaluator(evaluator(t, weights))
			run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 5000})
		}
	}},
	{"a table cleared often", func(t *testing.T, e *Engine, _ *rand.Rand) {
		for range 1 << 16 {
			e.table.clear()
		}
		run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 50000})
	}},
	{"random state everywhere", func(_ *testing.T, e *Engine, rng *rand.Rand) {
		for i := range e.frames {
			f := &e.frames[i]
			f.move, f.piece, f.eval = board.NewMove(board.A1, board.Square(rng.IntN(64))), board.NewPiece(board.Black,
				board.Knight), rng.IntN(999)
			f.killers = [2]board.Move{board.NewMove(8, 16), board.NewMove(6, 21)}
			f.threat, f.reversible, f.pvLen = rng.IntN(2) == 0, rng.IntN(40), rng.IntN(maxPly)
		}
		for i := range e.keys {
			e.keys[i] = rng.Uint64()
		}
		for i := range e.history.quiet {
			for j := range e.history.quiet[i] {
				e.history.quiet[i][j] = int16(rng.IntN(999))
			}
		}
		e.nodes, e.pollAt, e.stopped, e.selDepth, e.depth, e.nullFrom = rng.Uint64(), rng.Uint64(), true, 99, 77, 55
		e.pace, e.root.n = pace{scale: 9, stable: 3}, 200
	}},
}

// After NewGame, searches with limits in nodes or depth answer as in a fresh
// engine, whatever ran before.
func TestAnswersDoNotDependOnThePast(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	starts := []string{board.StartFEN, rootPositions[6], rootPositions[5], rootPositions[8]}
	var fresh [][]string
	for _, fen := range starts {
		fresh = append(fresh, answers(t, New(evaluator(t, "assay-start"), 1), fen))
	}
	e := New(evaluator(t, "assay-start"), 1)
	for i, d := range disturbances {
		t.Run(d.name, func(t *testing.T) {
			d.do(t, e, rng)
			n := i % len(starts)
			if got := answers(t, e, starts[n]); !slices.Equal(got, fresh[n]) {
				t.Errorf("%s\nfresh %q\nafter %q", starts[n], fresh[n], got)
			}
		})
	}
	for range 8 {
		var names []string
		for range 1 + rng.IntN(3) {
			d := disturbances[rng.IntN(len(disturbances))]
			names = append(names, d.name)
			d.do(t, e, rng)
		}
		n := rng.IntN(len(starts))
		if got := answers(t, e, starts[n]); !slices.Equal(got, fresh[n]) {
			t.Fatalf("%s after %q\nfresh %q\nafter %q", starts[n], names, fresh[n], got)
		}
	}
}
