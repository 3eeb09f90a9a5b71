package search

import (
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// play returns the game of the moves from the position.
func play(t testing.TB, fen string, moves ...string) *board.Game {
	t.Helper()
	g := board.NewGame(position(t, fen))
	for _, uci := range moves {
		m := setup.Must(g.Position().ParseUCI(uci))
		g.Push(m)
	}
	return g
}

func TestDrawScores(t *testing.T) {
	tests := []struct{ name, fen string }{
		{"bare kings", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"},
		{"a knight cannot mate", "8/8/4k3/8/8/4K3/3N4/8 w - - 0 1"},
		{"every move ends the fifty moves", "7k/8/8/8/8/8/R7/K7 w - - 99 120"},
		{"perpetual check", "6k1/6p1/5p2/7Q/8/8/rq6/7K w - - 0 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := New(evaluator(t, "assay-start"), 1)
			if r := run(t, e, play(t, tt.fen), engine.Limits{Depth: 8}); r.Score != 0 {
				t.Errorf("score %d, PV %v", r.Score, r.PV)
			}
		})
	}
}

// The third occurrence of a position is a draw; without the game's history it is not.
func TestRepetition(t *testing.T) {
	const fen = "7k/5ppp/8/8/8/8/1q3PPP/3Q2K1 w - - 0 1"
	shuffle := []string{"g1f1", "h8g8", "f1g1", "g8h8"}
	g := play(t, fen, append(shuffle, shuffle[:3]...)...)
	e := New(evaluator(t, "shannon-1950"), 1)
	p := g.Position()
	back := setup.Must(p.ParseUCI("g8h8"))
	r := run(t, e, g, engine.Limits{Depth: 6, SearchMoves: []board.Move{back}})
	if r.Score != 0 {
		t.Errorf("score %d of the third occurrence, want 0", r.Score)
	}
	r = run(t, New(evaluator(t, "shannon-1950"), 1), board.NewGame(*p),
		engine.Limits{Depth: 6, SearchMoves: []board.Move{back}})
	if r.Score == 0 {
		t.Error("without its history the position is a draw too")
	}
}
