package search

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

const middlegame = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"

func TestHardNodesAreExact(t *testing.T) {
	e := New(evaluator(t, "assay"), 1)
	g := board.NewGame(position(t, middlegame))
	for _, n := range []uint64{1, 7, 511, 512, 513, 5000} {
		if r := run(t, e, g, engine.Limits{Nodes: n, HardNodes: true}); r.Nodes != n {
			t.Errorf("%d nodes under a hard limit of %d", r.Nodes, n)
		}
	}
}

func TestSoftNodesFinishTheIteration(t *testing.T) {
	e := New(evaluator(t, "assay"), 1)
	g := board.NewGame(position(t, middlegame))
	soft := run(t, e, g, engine.Limits{Nodes: 4000})
	if err := e.NewGame(0); err != nil {
		t.Fatal(err)
	}
	whole := run(t, e, g, engine.Limits{Depth: soft.Depth})
	if soft.Nodes < 4000 || soft.Nodes != whole.Nodes || soft.Score != whole.Score || soft.Move != whole.Move {
		t.Errorf("soft limit %+v, the same depth without it %+v", soft, whole)
	}
}

func TestMateLimit(t *testing.T) {
	e := New(evaluator(t, "assay"), 1)
	r := run(t, e, board.NewGame(position(t, "7k/8/R7/1R6/8/8/8/7K w - - 0 1")), engine.Limits{Mate: 2})
	if r.Score != engine.MateScore-3 {
		t.Errorf("score %d, want mate in two moves", r.Score)
	}
}

func TestSearchMovesAndMultiPV(t *testing.T) {
	e := New(evaluator(t, "assay"), 1)
	p := position(t, middlegame)
	g := board.NewGame(p)
	var lines []engine.Info
	r := run(t, e, g, engine.Limits{Depth: 5, MultiPV: 3, Info: func(i engine.Info) {
		if i.Depth == 5 {
			lines = append(lines, i)
		}
	}})
	if len(lines) != 3 || lines[0].PV[0] != r.Move || lines[0].Score != r.Score {
		t.Fatalf("result %+v, lines %+v", r, lines)
	}
	var first []board.Move
	for i, l := range lines {
		if l.MultiPV != i+1 || i > 0 && l.Score > lines[i-1].Score || slices.Contains(first, l.PV[0]) {
			t.Errorf("line %d: %+v", i+1, l)
		}
		first = append(first, l.PV[0])
	}

	only := []board.Move{lines[2].PV[0], lines[1].PV[0]}
	if r := run(t, e, g, engine.Limits{Depth: 5, SearchMoves: only}); !slices.Contains(only, r.Move) {
		t.Errorf("%v is none of %v", r.Move, only)
	}
	_, err := e.Search(context.Background(), g, engine.Limits{Depth: 5, SearchMoves: []board.Move{board.NewMove(0, 63)}})
	if !errors.Is(err, ErrSearchMoves) {
		t.Errorf("error %v for moves that are not legal", err)
	}
}

func TestOptions(t *testing.T) {
	e := New(evaluator(t, "assay"), 1)
	for _, o := range [][2]string{{"Hash", "2"}, {"hash", "1"}, {"Clear Hash", ""}, {"Move Overhead", "0"}} {
		if err := e.SetOption(o[0], o[1]); err != nil {
			t.Errorf("%v: %v", o, err)
		}
	}
	for _, o := range [][2]string{{"Hash", "0"}, {"Hash", "65537"}, {"Hash", "many"}, {"Move Overhead", "-1"}, {"EvalFile", "x"}, {"", ""}} {
		if err := e.SetOption(o[0], o[1]); !errors.Is(err, ErrOption) {
			t.Errorf("%v: error %v, want ErrOption", o, err)
		}
	}
}
