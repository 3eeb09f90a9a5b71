package search

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Signature is the number of nodes that Bench visits with the default weights. It changes
// with the search, the evaluation and those weights, and only with them. A test checks it;
// go test ./engine/search -run Signature -update rewrites it. A commit that changes it says
// why.
const Signature uint64 = 1226259

const (
	benchDepth  = 12
	benchHashMB = 16
)

// BenchResult is the result of Bench.
type BenchResult struct {
	Positions int
	Nodes     uint64
	Time      time.Duration
}

// NPS returns nodes per second.
func (r BenchResult) NPS() float64 { return float64(r.Nodes) / max(r.Time.Seconds(), 1e-9) }

// Bench searches 40 positions to depth 12, each as a new game. The number of nodes depends
// only on the search and the evaluator. Bench takes a few seconds; when ctx ends it returns
// the context's error. Progress, unless it is nil, is called with the positions searched and all.
func Bench(ctx context.Context, ev engine.Evaluator, progress func(done, all int64, note string)) (BenchResult, error) {
	e := New(ev, benchHashMB)
	r := BenchResult{Positions: len(benchPositions)}
	for i, fen := range benchPositions {
		if progress != nil {
			progress(int64(i), int64(r.Positions), "")
		}
		p, err := board.ParseFEN(fen)
		if err != nil {
			return r, fmt.Errorf("bench position: %w", err)
		}
		if err := e.NewGame(0); err != nil {
			return r, err
		}
		found, err := e.Search(ctx, board.NewGame(p), engine.Limits{Depth: benchDepth})
		if err != nil {
			return r, err
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		r.Nodes += found.Nodes
		r.Time += found.Time
	}
	return r, e.Close()
}

// benchPositions are openings, middlegames, endings and two Chess960 positions. Most of
// the openings and middlegames are from the test sets of Bratko and Kopec (1982) and of
// Kaufman (1992), the endings from textbooks.
var benchPositions = []string{
	board.StartFEN,
	"rnbqkb1r/ppp1pppp/5n2/8/3PP3/2N5/PP3PPP/R1BQKBNR b KQkq - 3 5",
	"rnbq1rk1/pppp1ppp/4pn2/8/1bPP4/P1N5/1PQ1PPPP/R1B1KBNR b KQ - 1 5",
	"r1bqkb1r/2pp1ppp/p1n5/1p2p3/3Pn3/1B3N2/PPP2PPP/RNBQ1RK1 b kq - 2 7",
	"r1bqkb1r/pp3ppp/2np1n2/4p1B1/3NP3/2N5/PPP2PPP/R2QKB1R w KQkq - 0 7",
	"r1b1kb1r/1pqpnppp/p1n1p3/8/3NP3/2N1B3/PPP1BPPP/R2QK2R w KQkq - 3 8",
	"r1bq1rk1/pppnnppp/4p3/3pP3/1b1P4/2NB3N/PPP2PPP/R1BQK2R w KQ - 3 7",
	"r3kb1r/pp1n1ppp/1q2p3/n2p4/3P1Bb1/2PB1N2/PPQ2PPP/RN2K2R w KQkq - 3 11",
	"rnbqr1k1/1p3pbp/p2p1np1/2pP4/4P3/2N5/PP1NBPPP/R1BQ1RK1 w - - 1 11",

	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
	"2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
	"rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
	"r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
	"1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1",
	"2kr1bnr/pbpq4/2n1pp2/3p3p/3P1P1B/2N2N1Q/PPP3PP/2KR1B1R w - - 0 1",
	"3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1",
	"2r1nrk1/p2q1ppp/bp1p4/n1pPp3/P1P1P3/2PBB1N1/4QPPP/R4RK1 w - - 0 1",
	"r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1",
	"rnb2r1k/pp2p2p/2pp2p1/q2P1p2/8/1Pb2NP1/PB2PPBP/R2Q1RK1 w - - 0 1",
	"2r3k1/1p2q1pp/2b1pr2/p1pp4/6Q1/1P1PP1R1/P1PN2PP/5RK1 w - - 0 1",
	"r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1",
	"3rr3/2pq2pk/p2p1pnp/8/2QBPP2/1P6/P5PP/4RRK1 b - - 0 1",
	"r4k2/pb2bp1r/1p1qp2p/3pNp2/3P1P2/2N3P1/PPP1Q2P/2KRR3 w - - 0 1",
	"2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
	"r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1",

	"3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
	"2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
	"4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
	"8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
	"5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
	"6k1/6p1/P6p/r1N5/5p2/7P/1b3PP1/4R1K1 w - - 0 1",
	"1r3k2/4q3/2Pp3b/3Bp3/2Q2p2/1p1P2P1/1P2KP2/3N4 w - - 0 1",
	"8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
	"8/3k4/8/8/8/4B3/4KB2/2B5 w - - 0 1",
	"8/8/1P6/5pr1/8/4R3/7k/2K5 w - - 0 1",

	"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
	"nqnrkbbr/pppppppp/8/8/8/8/PPPPPPPP/NQNRKBBR w DHdh - 0 1",
}

// Speed returns the nodes per second of one core in Bench, while the given number of cores
// run it at once, as they do when games are played; 0 means all cores. Each core runs it
// three times and its median counts, because a single run is easily disturbed. Speed takes
// some seconds. Each core gets its own evaluator.
func Speed(ctx context.Context, cores int, newEvaluator func() (engine.Evaluator, error)) (float64, error) {
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	speeds, errs := make([]float64, cores), make([]error, cores)
	var all sync.WaitGroup
	for i := range speeds {
		all.Go(func() { speeds[i], errs[i] = coreSpeed(ctx, newEvaluator) })
	}
	all.Wait()
	sum := 0.
	for _, speed := range speeds {
		sum += speed
	}
	return sum / float64(cores), errors.Join(errs...)
}

func coreSpeed(ctx context.Context, newEvaluator func() (engine.Evaluator, error)) (float64, error) {
	ev, err := newEvaluator()
	if err != nil {
		return 0, err
	}
	var speeds [3]float64
	for i := range speeds {
		r, err := Bench(ctx, ev, nil)
		if err != nil {
			return 0, err
		}
		speeds[i] = r.NPS()
	}
	slices.Sort(speeds[:])
	return speeds[1], nil
}
