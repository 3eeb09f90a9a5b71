package ladder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/internal/setup"
)

func addPairs(table *crosstable, i, j, a, b int, count int) {
	for range count {
		table.add(i, j, a, b)
	}
}

func mustFit(t testing.TB, table *crosstable, reference int) *fit {
	t.Helper()
	return setup.Must(table.fit(reference, 0))
}

// Two players without draws: the logistic curve's own Elo, in closed form.
func TestTwoPlayersByHand(t *testing.T) {
	table := newCrosstable(2)
	addPairs(table, 0, 1, 1, -1, 3000) // both won by 0
	addPairs(table, 0, 1, -1, 1, 1000) // both lost
	f := mustFit(t, table, 1)
	want := 400 * math.Log10(3)
	if got := f.rating(0); math.Abs(got-want) > 0.3 || f.rating(1) != 0 || f.se(1) != 0 {
		t.Errorf("Elo %v and %v, want %v and 0", got, f.rating(1), want)
	}
	// Games of a pair end alike, so there are 4,000 observations and not 8,000.
	se := 400 / math.Ln10 / math.Sqrt(4000*0.75*0.25)
	if got := f.se(0); math.Abs(got/se-1) > 0.01 {
		t.Errorf("error %v, want %v", got, se)
	}
	if los := f.los(0, 1); los < 0.9999 || math.Abs(f.los(1, 0)-(1-los)) > 1e-12 {
		t.Errorf("LOS %v", los)
	}
	if white, _ := f.white(); math.Abs(white) > 0.1 {
		t.Errorf("White's advantage %v", white)
	}
}

// What is fitted is a maximum: of a likelihood that is written down here once more.
func TestFitIsTheMaximum(t *testing.T) {
	table := random(rand.New(rand.NewPCG(1, 2)), []float64{0, 60, -150, 20}, 40, 0.5, 400)
	f := mustFit(t, table, -1)
	likelihood := func(theta []float64) (sum float64) {
		game := func(x, d float64, result int, count float64) {
			z := math.Exp(x/2) + math.Exp(-x/2) + math.Exp(d)
			switch result {
			case 1:
				sum += count * math.Log(math.Exp(x/2)/z)
			case -1:
				sum += count * math.Log(math.Exp(-x/2)/z)
			default:
				sum += count * math.Log(math.Exp(d)/z)
			}
		}
		h, d := theta[4], theta[5]
		for i := range 4 {
			for j := i + 1; j < 4; j++ {
				for k, count := range table.counts[pairing{i, j}] {
					game(theta[i]-theta[j]+h, d, k/3-1, float64(count))
					game(theta[j]-theta[i]+h, d, k%3-1, float64(count))
				}
				game(theta[i]-theta[j]+h, d, 0, 0.5)
				game(theta[j]-theta[i]+h, d, 0, 0.5)
			}
			sum -= theta[i] * theta[i] / 2 / wide
		}
		for result := -1; result <= 1; result++ {
			game(h, d, result, 1.0/3)
		}
		return sum
	}
	best := likelihood(f.theta)
	for i := range f.theta {
		for _, step := range []float64{-0.02, 0.02} {
			moved := append([]float64(nil), f.theta...)
			moved[i] += step
			if likelihood(moved) >= best {
				t.Errorf("parameter %d: %v more is likelier", i, step)
			}
		}
	}
}

// random plays pairs of random results: the games of a pair lean the same way by as
// much as the opening does.
func random(rng *rand.Rand, elo []float64, white, draw float64, pairs int) *crosstable {
	table := newCrosstable(len(elo))
	d := math.Log(2 * draw / (1 - draw))
	nat := math.Ln10 / 400 * (2 + math.Exp(d)) / 2
	play := func(x float64) int {
		w, b := math.Exp(x/2), math.Exp(-x/2)
		switch u := rng.Float64() * (w + b + math.Exp(d)); {
		case u < w:
			return 1
		case u < w+b:
			return -1
		}
		return 0
	}
	for n := range pairs {
		i := n % len(elo)
		j := (i + 1 + n/len(elo)%(len(elo)-1)) % len(elo)
		lean := white + 50*rng.NormFloat64() // of the opening, for White
		table.add(i, j, play(nat*(elo[i]-elo[j]+lean)), play(nat*(elo[j]-elo[i]+lean)))
	}
	return table
}

// Known ratings are found without bias, and 95 % intervals hold them about that often;
// also where pairs are few, and where openings lean, which makes the games of a pair
// dependent.
func TestIntervalsHoldTheTruth(t *testing.T) {
	truth := []float64{-120, -40, 0, 30, 130}
	const runs = 150
	for _, pairs := range []int{25, 300} {
		held, all, bias := 0, 0, 0.0
		for run := range uint64(runs) {
			f := mustFit(t, random(rand.New(rand.NewPCG(run, 3)), truth, 35, 0.5, pairs), 2)
			for i, want := range truth {
				if i == 2 {
					continue
				}
				all++
				if math.Abs(f.rating(i)-want) <= 1.96*f.se(i) {
					held++
				}
				if i == 4 {
					bias += (f.rating(i) - want) / runs
				}
			}
			if white, se := f.white(); math.Abs(white-35) > 6*se+5 {
				t.Errorf("White's advantage %v ± %v, want 35", white, se)
			}
		}
		share := float64(held) / float64(all)
		t.Logf("%d pairs: held %.3f, bias of the best %.2f Elo", pairs, share, bias)
		if share < 0.91 || share > 0.99 {
			t.Errorf("%d pairs: intervals hold %v of the ratings", pairs, share)
		}
		// A virtual draw in sixty games and the openings' spread cost some 4 Elo of 130.
		if pairs == 300 && math.Abs(bias+4) > 6 {
			t.Errorf("bias %v", bias)
		}
	}
}

// Scores of 100 %, draws alone, players who never met and no games at all have finite
// answers, the unknown with errors to match.
func TestFinite(t *testing.T) {
	all, none, draws, apart := newCrosstable(2), newCrosstable(3), newCrosstable(2), newCrosstable(4)
	addPairs(all, 0, 1, 1, -1, 50)
	addPairs(draws, 1, 0, 0, 0, 50)
	addPairs(apart, 0, 1, 1, 0, 20)
	addPairs(apart, 2, 3, 0, -1, 20)
	for name, table := range map[string]*crosstable{"all": all, "none": none, "draws": draws, "apart": apart} {
		for _, reference := range []int{-1, 0} {
			f := mustFit(t, table, reference)
			for i := range table.n {
				elo, se := f.rating(i), f.se(i)
				if math.IsNaN(elo) || math.Abs(elo) > 3000 ||
					math.IsNaN(se) || se > 1e5 || se == 0 && i != reference && name != "draws" {
					t.Errorf("%s, player %d: %v ± %v", name, i, elo, se)
				}
			}
		}
	}
	if _, se := mustFit(t, apart, -1).difference(0, 2); se < 1000 {
		t.Errorf("players who never met differ by ± %v", se)
	}
	if f := mustFit(t, all, -1); f.rating(0)-f.rating(1) < 400 {
		t.Errorf("50 pairs won: %v Elo", f.rating(0)-f.rating(1))
	}
}

// The order in which players are named changes nothing.
func TestOrderOfPlayers(t *testing.T) {
	a, b := newCrosstable(3), newCrosstable(3)
	turn := []int{2, 0, 1}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		i := rng.IntN(3)
		j := (i + 1 + rng.IntN(2)) % 3
		x, y := rng.IntN(3)-1, rng.IntN(3)-1
		a.add(i, j, x, y)
		b.add(turn[j], turn[i], y, x)
	}
	f, g := mustFit(t, a, 1), mustFit(t, b, turn[1])
	for i := range 3 {
		if math.Abs(f.rating(i)-g.rating(turn[i])) > 1e-6 || math.Abs(f.se(i)-g.se(turn[i])) > 1e-6 {
			t.Errorf("player %d: %v ± %v, renamed %v ± %v", i, f.rating(i), f.se(i), g.rating(turn[i]), g.se(turn[i]))
		}
		if a.total(i) != b.total(turn[i]) || a.against(i, (i+1)%3) != b.against(turn[i], turn[(i+1)%3]) {
			t.Errorf("player %d: %+v, renamed %+v", i, a.total(i), b.total(turn[i]))
		}
	}
}

// The last bits of a fit, which differ between builds for other processors, choose no other pairings, though many are
// equally good.
func TestLastBitsChooseNothing(t *testing.T) {
	const players = 6
	table := newCrosstable(players)
	for _, p := range RoundRobin.round(players) {
		for _, result := range []int{1, -1, 0} {
			table.add(p.first, p.second, result, result)
		}
	}
	f := setup.Must(table.fit(-1, 0))
	want := choose(f, nil, 20)
	rng := rand.New(rand.NewPCG(1, 5))
	for range 20 {
		g := *f
		g.theta = slices.Clone(f.theta)
		g.cov = mat.NewSymDense(players+2, nil)
		for i := range players + 2 {
			g.theta[i] += 1e-13 * rng.NormFloat64()
			for j := i; j < players+2; j++ {
				g.cov.SetSym(i, j, f.cov.At(i, j)*(1+1e-13*rng.NormFloat64()))
			}
		}
		if got := choose(&g, nil, 20); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// A player who won all games, or lost all, has no bound on that side, as in sprt.
func TestPerfectScoresHaveNoBound(t *testing.T) {
	for _, c := range []struct {
		elo, se float64
		score   Score
		want    string
	}{
		{938, 318, Score{Wins: 30}, "more than +315"},
		{-938, 318, Score{Losses: 30}, "less than -315"},
		{400, 100, Score{Wins: 29, Draws: 1}, "+400 [+204, +596]"},
		{938, 318, Score{Wins: 3}, "- (fewer than 20 games)"},
		{0, 0, Score{Wins: 30}, "+0 [+0, +0]"}, // the anchor
	} {
		if got := strength(c.elo, c.se, c.score).Text(""); got != c.want {
			t.Errorf("%+v: %s, want %s", c.score, got, c.want)
		}
	}
}
