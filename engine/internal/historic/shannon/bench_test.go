package shannon

import (
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/internal/enginetest"
)

// middlegame is a position of Turing's game, move 11.
const middlegame = "r2qk2r/pp3ppp/2pp1n2/1B1Pp2b/Pb2P2P/2N2P2/1PPB1P2/R2QK2R w KQkq - 0 11"

// BenchmarkVariation measures one evaluated variation of type A, three moves deep. Shannon,
// section 6, assumes one a microsecond ("very optimistic"), and over 16 minutes for a move,
// with 10^9 variations. BenchmarkMove measures that move: cut-offs leave about a thousandth
// of the variations.
func BenchmarkVariation(b *testing.B) {
	p := newPlayer(b, NewA, "Moves=3")
	pos := enginetest.Position(b, middlegame)
	variations := 0
	for b.Loop() {
		variations += int(play(b, p, pos, engine.Limits{Nodes: 100_000, HardNodes: true}).Nodes)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(variations), "ns/variation")
}

func BenchmarkEvaluate(b *testing.B) {
	p := newPlayer(b, NewA)
	pos := enginetest.Position(b, middlegame)
	for b.Loop() {
		p.ev.Evaluate(&pos)
	}
}

// BenchmarkMove measures a move of each strategy in the start position and a middlegame.
func BenchmarkMove(b *testing.B) {
	for _, test := range []struct {
		name string
		p    *Player
	}{
		{"A1", newPlayer(b, NewA, "Moves=1")},
		{"A2", newPlayer(b, NewA, "Moves=2")},
		{"A3", newPlayer(b, NewA, "Moves=3")},
		{"B", newPlayer(b, NewB)},
	} {
		for name, fen := range map[string]string{"start": board.StartFEN, "middlegame": middlegame} {
			b.Run(test.name+"/"+name, func(b *testing.B) {
				pos, nodes := enginetest.Position(b, fen), 0
				for b.Loop() {
					nodes += int(play(b, test.p, pos, engine.Limits{}).Nodes)
				}
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes/move")
			})
		}
	}
}
