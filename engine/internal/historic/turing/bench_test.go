package turing

import (
	"context"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/internal/enginetest"
)

// BenchmarkMove calculates the eleventh move of the game, as Turing did by hand.
func BenchmarkMove(b *testing.B) {
	p, nodes := New(), 0
	game := board.NewGame(enginetest.Position(b, "r2qk2r/pp3ppp/2pp1n2/1B1Pp2b/Pb2P2P/2N2P2/1PPB1P2/R2QK2R w KQkq - 0 11"))
	for b.Loop() {
		r, err := p.Search(context.Background(), game, engine.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		nodes += int(r.Nodes)
	}
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/move")
}
