package search

import (
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// tactics are positions from Win at Chess (Reinfeld 1945) that a search must solve with any
// evaluation that has reasonable piece values.
var tactics = []struct{ fen, best string }{
	{"3RNbk1/pp3p2/4rQpp/8/1qr5/7P/P4P2/3R2K1 w - - 0 1", "Qg7+"},
	{"2kr4/ppp3Pp/4RP1B/2r5/5P2/1P6/P2p4/3K4 w - - 0 1", "Rd6"},
	{"2r5/2rk2pp/1pn1pb2/pN1p4/P2P4/1N2B3/nPR1KPPP/3R4 b - - 0 1", "Nxd4+"},
	{"r5k1/pp1RR1pp/1b6/6r1/2p5/B6P/P4qPK/3Q4 w - - 0 1", "Qd5+"},
	{"3r2k1/1p1b1pp1/pq5p/8/3NR3/2PQ3P/PP3PP1/6K1 b - - 0 1", "Bf5"},
	{"2r1b3/1pp1qrk1/p1n1P1p1/7R/2B1p3/4Q1P1/PP3PP1/3R2K1 w - - 0 1", "Qh6+"},
	{"7k/1b1r2p1/p6p/1p2qN2/3bP3/3Q4/P5PP/1B1R3K b - - 0 1", "Bg1"},
	{"6kr/1q2r1p1/1p2N1Q1/5p2/1P1p4/6R1/7P/2R3K1 w - - 0 1", "Rc8+"},
	{"6k1/6p1/p7/3Pn3/5p2/4rBqP/P4RP1/5QK1 b - - 0 1", "Re1"},
}

func TestTactics(t *testing.T) {
	for _, weights := range []string{"shannon-1950", "assay-start"} {
		e := New(evaluator(t, weights), 4)
		for _, tt := range tactics {
			p := position(t, tt.fen)
			setup.Check(t, e.NewGame(0))
			r := run(t, e, board.NewGame(p), engine.Limits{Nodes: 60_000, HardNodes: true})
			best := setup.Must(p.ParseSAN(tt.best))
			if r.Move != best {
				t.Errorf("%s: %s in %s, want %s (depth %d, score %d)", weights, p.SAN(r.Move), tt.fen,
					tt.best, r.Depth, r.Score)
			}
		}
	}
}
