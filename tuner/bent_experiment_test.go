//go:build experiment

package tuner

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestBentCoverage fits simulated games of a bent evaluation, from guesses, and counts how
// often the 95 % intervals hold the values that the games were made from.
func TestBentCoverage(t *testing.T) {
	const fits = 160
	truth := synthetic.BentSet(4)
	r := rand.New(rand.NewPCG(6, 7))
	held, intervals, steps := 0, 0, 0
	byGroup := map[string][2]int{}
	for i := range fits {
		s := bentStore(t, truth, synthetic.BentGames(t, truth, 400, 6, uint64(100+i)), false)
		set := synthetic.BentSet(4)
		for i := range set.Terms {
			f := 0.8 + 0.4*r.Float64()
			set.Terms[i].MG, set.Terms[i].EG = set.Terms[i].MG*f, set.Terms[i].EG*f
		}
		c := NewConfig()
		c.Prior, c.Valid, c.K = map[string]float64{objective.AllTerms: math.Inf(1)}, 0, synthetic.BentK
		f, err := Fit(context.Background(), s, rows.TermsOfFeatures(set), c)
		if err != nil {
			t.Fatal(err)
		}
		steps += f.Steps
		for j := range f.Terms {
			x, v := &f.Terms[j], &truth.Terms[j]
			count := func(in Interval, value float64) {
				intervals++
				g := byGroup[x.Group]
				g[1]++
				if in[0] <= value && value <= in[1] {
					held++
					g[0]++
				}
				byGroup[x.Group] = g
			}
			count(x.IntervalMG, v.MG/v.StepOf())
			if x.Tapered {
				count(x.IntervalEG, v.EG)
			}
		}
	}
	share := float64(held) / float64(intervals)
	for g, n := range byGroup {
		t.Logf("%s: %.3f of %d", g, float64(n[0])/float64(n[1]), n[1])
	}
	t.Logf("%d fits, %d intervals, %.3f hold the truth; %.1f steps a fit", fits, intervals, share, float64(steps)/fits)
	if intervals < 2000 || share < 0.93 || share > 0.97 {
		t.Errorf("%.3f of %d intervals hold the truth, want .93 to .97", share, intervals)
	}
}
