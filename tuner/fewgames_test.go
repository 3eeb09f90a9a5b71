package tuner

import (
	"math"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
)

// TestFewGamesCover: with few games, too, 95 % intervals hold the truth about that
// often, which the sandwich and the normal distribution alone do not achieve.
func TestFewGamesCover(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation study")
	}
	t.Parallel()
	const runs = 120
	for _, games := range []int{30, 50, 100} {
		hold, all := 0, 0
		for i := range runs {
			syn := synthetic.Games{Games: games, Rows: 30, Terms: 3, PerRow: 2, Shared: 0.6, K: 0.006, Seed: uint64(5000 + i),
				Persistent: true}
			r := simulateWith(t, syn, objective.NewTapered(syn.Terms), math.Inf(1), 1)
			truth := syn.Truth()
			for j, x := range r.Terms {
				all += 2
				for _, v := range [][3]float64{{x.FitMG, truth.MG[j], float64(x.SEMG)}, {x.FitEG, truth.EG[j], float64(x.SEEG)}} {
					if math.Abs(v[0]-v[1]) <= x.Quantile()*v[2] {
						hold++
					}
				}
			}
		}
		c := float64(hold) / float64(all)
		t.Logf("%d games: %.3f of %d intervals hold the truth", games, c, all)
		if c < 0.93 || c > 0.97 {
			t.Errorf("%d games: intervals hold the truth %.1f %% of the time", games, 100*c)
		}
	}
}
