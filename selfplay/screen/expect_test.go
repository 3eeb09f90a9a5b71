package screen

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Where a fit predicts which groups gain, to expect what it says is better than to believe the games alone; where it
// says nothing, it is no worse.
func TestExpect(t *testing.T) {
	const n, se, runs = 8, 5.0, 400
	rng := rand.New(rand.NewPCG(1, 1))
	for _, slope := range []float64{0, 4} {
		var with, alone, truth float64
		for range runs {
			gains, e := make([]float64, n), Estimate{}
			effects := make([]float64, n)
			for j := range n {
				gains[j] = rng.NormFloat64()
				effects[j] = slope*gains[j] + 3*rng.NormFloat64()
				x := Effect{}
				x.EloLo, x.EloHi = -1, 1
				x.Elo = num.Float(effects[j] + se*rng.NormFloat64())
				e.Effects = append(e.Effects, x)
				row := make([]float64, n)
				row[j] = se * se
				e.Covariance = append(e.Covariance, row)
			}
			for j, x := range e.Expect(gains) {
				if x > 0 {
					with += effects[j]
				}
				if e.Effects[j].Elo > 0 {
					alone += effects[j]
				}
				truth += max(0, effects[j])
			}
		}
		t.Logf("slope %g: %.2f Elo kept with the fit, %.2f by games alone, %.2f possible", slope, with/runs, alone/runs,
			truth/runs)
		if slope > 0 && with < alone*1.1 || with < alone*0.9 {
			t.Errorf("slope %g: %.2f Elo kept with the fit, %.2f by games alone", slope, with/runs, alone/runs)
		}
	}
	e := Estimate{Effects: []Effect{{}, {}}}
	e.Effects[1].Strength = sprt.Unknown()
	if got := e.Expect([]float64{1, 1}); got != nil {
		t.Errorf("unknown effects: %v", got)
	}
	if x := (&Estimate{Effects: make([]Effect, 1), Covariance: [][]float64{{25}}}).Expect([]float64{0}); math.IsNaN(x[0]) {
		t.Error("a fit without gains: NaN")
	}
}

// What a screen adds is what simulated fits gain by it; few games add nothing, and are worth more as self-play.
func TestWorth(t *testing.T) {
	const groups, runs = 8, 20000
	rng, variance := rand.New(rand.NewPCG(2, 3)), Variance(0.4)
	for _, pairs := range []uint64{200, 2000} {
		se, sum := Precision(pairs, variance), 0.0
		for range runs {
			for _, fit := range [][2]float64{{2, 3}, {0, 5}, {-3, 8}} {
				all, kept := 0.0, 0.0
				for range groups {
					effect := fit[0] + fit[1]*rng.NormFloat64()
					seen, v := effect+se*rng.NormFloat64(), fit[1]*fit[1]
					if all += effect; (seen-fit[0])*v/(v+se*se)+fit[0] > 0 {
						kept += effect
					}
				}
				sum += (kept - max(0, all)) / 3
			}
		}
		got := Worth(groups, pairs, variance)
		if math.Abs(got-sum/runs) > 0.2 || (got > WorthAsGames(groups, 1./3)) != (pairs == 2000) {
			t.Errorf("%d pairs: %.2f Elo, simulated %.2f; as games %.2f", pairs, got, sum/runs, WorthAsGames(groups, 1./3))
		}
	}
	if few, many := WorthAsGames(groups, 0.1), WorthAsGames(groups, 1); !(few > 0 && few < many && many < 16) {
		t.Errorf("a tenth more games %.2f, twice as many %.2f", few, many)
	}
}
