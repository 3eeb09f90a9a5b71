package sprt

import (
	"math"
	"testing"
)

// TestExactBounds compares the bound of matches that were won outright with the binomial one.
func TestExactBounds(t *testing.T) {
	for n := int64(1); n <= 2000; n = n*3/2 + 1 {
		want := math.Pow(1.0/40, 1/float64(n))
		for _, c := range []Counts{Pentanomial{4: n}, WDL(n, 0, 0)} {
			if lo, _ := exactBounds(c); math.Abs(lo-Elo(want)) > 0.01 {
				t.Errorf("%v: at least %v, want %v", c, lo, Elo(want))
			}
		}
		if _, hi := exactBounds(Pentanomial{n}); math.Abs(hi+Elo(want)) > 0.01 {
			t.Errorf("%d pairs lost: at most %v, want %v", n, hi, -Elo(want))
		}
	}
}

// everyResult calls visit with all results of n pairs.
func everyResult(n int64, visit func(p Pentanomial)) {
	for a := range n + 1 {
		for b := range n - a + 1 {
			for c := range n - a - b + 1 {
				for d := range n - a - b - c + 1 {
					visit(Pentanomial{a, b, c, d, n - a - b - c - d})
				}
			}
		}
	}
}

// TestExactCoverage adds up, for players of all strengths, the probabilities of the results
// whose bound is wrong: of results without a lost pair at most 1 %, and of all
// results at most 10 %: a few pairs can show no more exact an interval.
func TestExactCoverage(t *testing.T) {
	logFactorial := func(n int64) float64 { v, _ := math.Lgamma(float64(n + 1)); return v }
	for _, n := range []int64{10, 14}[:min(2, moreRuns)] {
		type shown struct {
			pairs  Pentanomial
			lo, hi float64
		}
		var all []shown
		everyResult(n, func(p Pentanomial) {
			s := Summarize(p).Strength()
			all = append(all, shown{p, float64(s.EloLo), float64(s.EloHi)})
		})
		for _, score := range []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98} {
			for _, drawn := range []float64{0, 0.1, 0.5, 0.9} {
				draw := 2 * (1 - score) * drawn
				loss := 1 - score - draw/2
				win := 1 - loss - draw
				q := Pentanomial{}.distribution()
				q.p = [5]float64{loss * loss, 2 * loss * draw, 2*loss*win + draw*draw, 2 * win * draw, win * win}
				lossless, low, high := 0.0, 0.0, 0.0
				for _, x := range all {
					log := logFactorial(n)
					for i, count := range x.pairs {
						if count > 0 {
							log += float64(count)*math.Log(q.p[i]) - logFactorial(count)
						}
					}
					p := math.Exp(log)
					if x.lo > Elo(score) {
						low += p
						if x.pairs[0]+x.pairs[1] == 0 {
							lossless += p
						}
					}
					if x.hi < Elo(score) {
						high += p
					}
				}
				if lossless > 0.01 || low+high > 0.1 {
					t.Errorf("%d pairs, score %v, %v of the rest drawn: wrong below %.4f (without a loss %.4f), above %.4f",
						n, score, drawn, low, lossless, high)
				}
			}
		}
	}
}

// TestLossNeverHelps: a pair less lost, or more won, never lowers the bound by which a player is stronger.
func TestLossNeverHelps(t *testing.T) {
	everyResult(min(12, 7+int64(moreRuns)), func(p Pentanomial) {
		s := Summarize(p).Strength()
		for i := range 4 {
			if better := p; p[i] > 0 && p[0]+p[1] > 0 {
				better[i], better[i+1] = p[i]-1, p[i+1]+1
				if x := Summarize(better).Strength(); better[0]+better[1] == 0 && float64(x.EloLo) < float64(s.EloLo)-1e-6 {
					t.Errorf("%v from %v, but %v only from %v", p, s.EloLo, better, x.EloLo)
				}
			}
		}
	})
}
