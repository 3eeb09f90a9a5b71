package eval

import (
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// FuzzOneEvaluation checks in every legal position, for each model, that the mirrored
// position has the negative value, and that value, features and counts agree.
func FuzzOneEvaluation(f *testing.F) {
	for _, fen := range append([]string{
		board.StartFEN,
		"4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1",
		"QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/2k5/8/K7 w - - 0 1",
		"8/P1P1P1P1/8/4k3/8/4K3/p1p1p1p1/8 b - - 0 1",
		"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
		"r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
		"8/8/8/8/8/5k2/6p1/6K1 w - - 0 1",
		"4k3/8/8/3bB3/8/8/PPP5/4K3 w - - 12 40",
		"4k3/8/8/8/8/8/8/4KBN1 w - - 0 1",
	}, middlegame...) {
		f.Add(fen)
	}
	type pair struct {
		m    *Model
		w    []Coef
		e, d engine.RootedEvaluator // of the position and of its mirror, so that they share no cache
	}
	var pairs []pair
	for _, m := range Models() {
		w := scrambled(m)
		pairs = append(pairs, pair{m, w, mustEvaluator(f, m, w), mustEvaluator(f, m, w)})
	}
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := board.ParseFEN(fen)
		if err != nil {
			return
		}
		mirror := p.Mirror()
		for _, j := range pairs {
			var x, y Features
			j.m.Features(&p, &x)
			j.m.Features(&mirror, &y)
			v := j.e.Evaluate(&p)
			if got := j.d.Evaluate(&mirror); got != -v {
				t.Errorf("%s: %s has value %d, its mirror %d", j.m.Name, fen, v, got)
			}
			if j.m.Nonlinear == nil && x.sum(j.w) != -y.sum(j.w) || x.Value(j.w) != v ||
				x.ScaleNum*y.ScaleDen != y.ScaleNum*x.ScaleDen {
				t.Errorf("%s: %s: value from features %d, from the evaluator %d; from features of the mirror %d",
					j.m.Name, fen, x.Value(j.w), v, y.Value(j.w))
			}
			if v > MaxScore || v < -MaxScore || x.ScaleNum < 0 || x.ScaleDen <= 0 {
				t.Errorf("%s: %s: value %d, scale %d/%d", j.m.Name, fen, v, x.ScaleNum, x.ScaleDen)
			}
			checkEntries(t, j.m, &p, &x)
			net := make([]int, len(j.m.Terms))
			for _, c := range j.m.Counts(&p) {
				net[c.Term] = c.White - c.Black
			}
			for _, e := range x.Entries {
				net[e.Term] -= int(e.Count) - int(e.Black)
			}
			for i, n := range net {
				if n != 0 {
					t.Errorf("%s: %s: the counts of %s differ by %d more than its feature",
						j.m.Name, fen, j.m.Terms[i].Name, n)
				}
			}
		}
	})
}
