package machack

import (
	"context"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// tournament holds positions, from or like those of the paper's games, with Mac Hack to move.
var tournament = []string{
	"r3k1nr/1pp2ppp/p1p5/4b3/4P2q/2P2Q2/PP3PPP/RNB2RK1 w kq - 1 10",    // game 4, its first move out of book
	"2r1kb1r/5p1p/p1n1b1p1/2nQN3/Pp5B/8/1PP2PPP/1K1R1B1R w k - 1 20",   // game 3, QxN
	"r2qk2r/ppp2ppp/1bnpbn2/8/2P5/1NN3P1/PP2PPBP/R1BQK2R b KQkq - 0 9", // like game 1
	"1r3rk1/p1p3pp/2pn1p2/4pb2/1P6/P2P1N2/2P1BPPP/R3K2R b KQ - 1 17",   // like game 2
	"8/6r1/3k4/1p2p3/4P1K1/1P6/P7/8 w - - 0 40",
}

// BenchmarkTournament measures a move at tournament settings. Mac Hack took about 70 seconds
// on average, and 80 milliseconds for a plausible move generation.
func BenchmarkTournament(b *testing.B) {
	p := open(b)
	if err := p.SetOption("Book", "false"); err != nil {
		b.Fatal(err)
	}
	generations := 0
	for b.Loop() {
		for _, fen := range tournament {
			pos, err := board.ParseFEN(fen)
			if err != nil {
				b.Fatal(err)
			}
			r, err := p.Search(context.Background(), board.NewGame(pos), engine.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			b.Log(pos.SAN(r.Move), r.Score, r.Depth, r.Nodes, r.Time, p.search.stats, len(r.PV))
			generations += p.search.stats.Generations
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*len(tournament)), "s/move")
	b.ReportMetric(b.Elapsed().Seconds()/float64(generations), "s/generation")
}
