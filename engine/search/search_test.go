package search

import (
	"context"
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

// evaluator returns the evaluator of embedded weights or a weight file.
func evaluator(t testing.TB, name string) engine.Evaluator {
	t.Helper()
	f := setup.Must(models.Open(name))
	m, w, err := f.Weights()
	if err != nil {
		t.Fatal(err)
	}
	ev := setup.Must(m.NewEvaluator(w))
	return ev
}

func position(t testing.TB, fen string) board.Position {
	t.Helper()
	p := setup.Must(board.ParseFEN(fen))
	return p
}

func run(t testing.TB, e *Engine, g *board.Game, lim engine.Limits) engine.Result {
	t.Helper()
	r := setup.Must(e.Search(context.Background(), g, lim))
	return r
}

func TestMates(t *testing.T) {
	tests := []struct {
		name, fen string
		depth     int
		score     int
		best      string // if only one move is right
	}{
		{"back rank", "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1", 3, engine.MateScore - 1, "a1a8"},
		{"smothered", "6rk/6pp/3N4/8/8/8/7K/8 w - - 0 1", 3, engine.MateScore - 1, "d6f7"},
		{"two rooks, two moves", "7k/8/R7/1R6/8/8/8/7K w - - 0 1", 12, engine.MateScore - 3, ""},
		{"queen and king", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 5, engine.MateScore - 1, "g1g7"},
		{"being mated in two plies", "7k/R7/5K2/8/8/8/8/1R6 b - - 0 1", 5, -(engine.MateScore - 2), "h8g8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := New(evaluator(t, "shannon-1950"), 1)
			p := position(t, tt.fen)
			r := run(t, e, board.NewGame(p), engine.Limits{Depth: tt.depth})
			if tt.score != 0 && int(r.Score) != tt.score {
				t.Errorf("score %d, want %d (move %v, PV %v)", r.Score, tt.score, r.Move, r.PV)
			}
			if tt.best != "" && p.UCI(r.Move) != tt.best {
				t.Errorf("move %s, want %s", p.UCI(r.Move), tt.best)
			}
		})
	}
}

func TestNoMoves(t *testing.T) {
	for fen, score := range map[string]int{
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1":     0,
		"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1":  -engine.MateScore,
		"k7/1Q6/1K6/8/8/8/8/8 b - - 0 1":     -engine.MateScore,
		"5k2/5P2/5K2/8/8/8/8/8 b - - 99 100": 0,
	} {
		e := New(evaluator(t, "shannon-1950"), 1)
		r := run(t, e, board.NewGame(position(t, fen)), engine.Limits{Depth: 3})
		if r.Move != board.NullMove || int(r.Score) != score || len(r.PV) != 0 || r.Nodes != 0 {
			t.Errorf("%s: %+v, want no move and %d", fen, r, score)
		}
	}
}

func TestDeterminism(t *testing.T) {
	p := position(t, "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9")
	lim := engine.Limits{Nodes: 20000}
	fresh := run(t, New(evaluator(t, "assay-start"), 1), board.NewGame(p), lim)
	e := New(evaluator(t, "assay-start"), 1)
	for range 3 {
		run(t, e, board.NewGame(board.StartPosition()), lim)
		setup.Check(t, e.NewGame(1))
		r := run(t, e, board.NewGame(p), lim)
		if r.Move != fresh.Move || r.Score != fresh.Score || r.Nodes != fresh.Nodes || r.Depth != fresh.Depth ||
			!slices.Equal(r.PV, fresh.PV) {
			t.Fatalf("after other games %+v, fresh %+v", r, fresh)
		}
	}
}

func TestLeafSearch(t *testing.T) {
	ev := evaluator(t, "shannon-1950")
	// The queen hangs: in the leaf she has been captured.
	p := position(t, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
	leaf, score := NewLeafSearch(ev).Leaf(&p)
	if leaf.ByType(board.Queen) != 0 || score != ev.Evaluate(&leaf) || score <= 0 {
		t.Errorf("leaf %s, score %d", leaf.FEN(), score)
	}
	quiet := board.StartPosition()
	if leaf, score := NewLeafSearch(ev).Leaf(&quiet); leaf != quiet || score != ev.Evaluate(&quiet) {
		t.Errorf("start position: leaf %s, score %d", leaf.FEN(), score)
	}
	mated := position(t, "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
	if leaf, score := NewLeafSearch(ev).Leaf(&mated); leaf != mated || score != engine.MateScore {
		t.Errorf("mated: leaf %s, score %d", leaf.FEN(), score)
	}
	// The search ends even if the board is full of hanging queens.
	wild := position(t, "r1bqkb1r/qqqqqqqq/2n2n2/8/8/2N2N2/QQQQQQQQ/R1BQKB1R w KQkq - 0 1")
	if leaf, score := NewLeafSearch(ev).Leaf(&wild); score != ev.Evaluate(&leaf) {
		t.Errorf("the evaluation of leaf %s is %d, the score %d", leaf.FEN(), ev.Evaluate(&leaf), score)
	}
	l := NewLeafSearch(ev)
	if n := testing.AllocsPerRun(10, func() { l.Leaf(&p) }); n != 0 {
		t.Errorf("Leaf allocates %v times", n)
	}
}
