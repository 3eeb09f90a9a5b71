//go:build experiment

package match

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// simulated is a match of independent games with random forfeits.
type simulated struct {
	win, draw float64    // of A, in games without a forfeit
	forfeits  [2]float64 // share of its games that A and B forfeit
	test      sprt.Test
	tolerance selfplay.Tolerance
}

// play returns the verdict and the number of games.
func (s *simulated) play(rng *rand.Rand) (verdict string, games int64) {
	walk, err := sprt.NewWalk(s.test, false)
	if err != nil {
		panic(err)
	}
	var penta sprt.Pentanomial
	var lost [2]int64
	for {
		var points [2]int
		for i := range points {
			switch u := rng.Float64(); {
			case u < s.forfeits[0]:
				points[i] = -1
				lost[0]++
			case u < s.forfeits[0]+s.forfeits[1]:
				points[i] = 1
				lost[1]++
			default:
				if u = rng.Float64(); u < s.win {
					points[i] = 1
				} else if u >= s.win+s.draw {
					points[i] = -1
				}
			}
		}
		penta.AddPair(points[0], points[1])
		games += 2
		status, err := walk.Observe(penta)
		if err != nil {
			panic(err)
		}
		if s.tolerance.Look(games) || status != sprt.Continue {
			if s.tolerance.Forfeits(lost[0], games) || s.tolerance.Forfeits(lost[1], games) {
				return NoVerdict, games
			}
		}
		switch status {
		case sprt.AcceptH1:
			return AcceptH1, games
		case sprt.AcceptH0:
			return AcceptH0, games
		}
	}
}

// Error rates of a test where one side forfeits at random: the table in selfplay/README.md.
func TestErrorRatesWithForfeits(t *testing.T) {
	const runs, draws = 4000, 0.6
	test := sprt.Test{Elo0: 0, Elo1: 10, Model: sprt.Normalized, Alpha: 0.05, Beta: 0.05}
	t.Logf("%d matches a row, SPRT [%g, %g] normalized Elo, %g %% draws\n", runs, test.Elo0, test.Elo1, 100*draws)
	for _, elo := range []float64{0, 10} {
		score := elo * math.Ln10 / 800 * math.Sqrt(0.25*(1-draws)) // above 1/2, by the definition of normalized Elo
		for _, forfeits := range [][2]float64{{0, 0}, {0.005, 0}, {0.02, 0}, {0.05, 0}, {0, 0.005}, {0, 0.02}, {0, 0.05}} {
			s := simulated{win: (1-draws)/2 + score, draw: draws, forfeits: forfeits, test: test}
			counts, games := map[string]int{}, int64(0)
			for i := range runs {
				verdict, n := s.play(rand.New(rand.NewPCG(18, uint64(i))))
				counts[verdict]++
				games += n
			}
			share := func(verdict string) string {
				p := float64(counts[verdict]) / runs
				return fmt.Sprintf("%.1f ± %.1f %%", 100*p, 196*math.Sqrt(p*(1-p)/runs))
			}
			t.Logf("| %g | %.1f %% | %.1f %% | %s | %s | %s | %.0f |", elo, 100*forfeits[0], 100*forfeits[1],
				share(AcceptH1), share(AcceptH0), share(NoVerdict), float64(games)/runs)
		}
	}
}
