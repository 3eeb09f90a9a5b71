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
