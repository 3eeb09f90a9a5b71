package screen

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// exact returns the pairs of a screen with the scores that the logistic of a strength expects.
func exact(d *Design, n int, strength func(Subset) float64) (list []Pair) {
	for pair := range n {
		a, b := d.Comparison(uint64(pair), Fixed{})
		list = append(list, Pair{A: a, B: b, Score: sprt.Score(strength(a) - strength(b)),
			Opening: uint64(pair / PerOpening)})
	}
	return list
}

// Without chance the effects and interactions are those of the strengths.
func TestEstimateFindsTheEffects(t *testing.T) {
	main := []float64{20, -10, 5, -1, 40, -3, 12, 7}
	strength := func(s Subset) float64 {
		elo := 0.0
		for j, x := range main {
			elo += x / 2 * s.level(j)
		}
		return elo + 6.0/4*s.level(0)*s.level(4) - 8.0/4*s.level(2)*s.level(3)
	}
	for _, kind := range []Kind{Rows, Random} {
		d, _ := NewDesign(kind, len(main), 3)
		e := d.Estimate(exact(d, 4000, strength))
		for j, want := range main {
			if got := float64(e.Effects[j].Elo); math.Abs(got-want) > 0.05 {
				t.Errorf("%s: factor %d: %v, want %v", kind, j, got, want)
			}
		}
		for _, c := range e.Chains {
			want := 0.0
			for _, i := range c.Of {
				want += float64(i.Sign) * (6*float64(count(i.Factors == [2]int{0, 4})) - 8*float64(count(i.Factors == [2]int{2,
					3})))
			}
			if math.Abs(c.Elo-want) > 0.05 {
				t.Errorf("chain %v: %v, want %v", c.Of, c.Elo, want)
			}
		}
		for _, x := range e.Interactions {
			want := map[[2]int]float64{{0, 4}: 6, {2, 3}: -8}[x.Factors]
			if math.Abs(x.Elo-want) > 0.05 {
				t.Errorf("interaction %v: %v, want %v", x.Factors, x.Elo, want)
			}
		}
		if kind == Rows && len(e.Chains) != 7 || kind == Random && len(e.Interactions) != 28 {
			t.Errorf("%s: %d chains, %d interactions", kind, len(e.Chains), len(e.Interactions))
		}
		if e.Best != 0b11010101 {
			t.Errorf("%s: the best set is %b", kind, e.Best)
		}
	}
}

// With two players alike in all but one factor, the effect is the Elo of their match.
func TestOneFactorIsAMatch(t *testing.T) {
	d, _ := NewDesign(Random, 2, 1)
	var pairs []Pair
	var p sprt.Pentanomial
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		points := min(max(2+int(math.Round(rng.NormFloat64()+0.2)), 0), 4)
		p[points]++
		pairs = append(pairs, Pair{A: 3, B: 2, Score: float64(points) / 4, Opening: uint64(n)})
	}
	want := sprt.Summarize(p).Strength()
	got := d.Estimate(pairs).Effects[0]
	if math.Abs(float64(got.Elo-want.Elo)) > 0.01 || math.Abs(float64(got.EloHi-want.EloHi)) > 0.2 {
		t.Errorf("%v, a match says %v", got.Strength, want)
	}
	if other := d.Estimate(pairs).Effects[1]; other.Known() {
		t.Errorf("a factor that never changed has the effect %v", other)
	}
}

func TestTooFewPairs(t *testing.T) {
	d, _ := NewDesign(Rows, 8, 1)
	for _, n := range []int{0, 4, 100} {
		e := d.Estimate(exact(d, n, func(Subset) float64 { return 0 }))
		if e.Effects[0].Known() || e.Gain.Known() || e.Best != 0 {
			t.Errorf("%d pairs: %+v", n, e)
		}
	}
}

// All games won have finite effects.
func TestAllWon(t *testing.T) {
	d, _ := NewDesign(Rows, 3, 1)
	pairs := exact(d, 400, func(s Subset) float64 { return 0 })
	for i := range pairs {
		pairs[i].Score = float64(count(pairs[i].A.Has(1)))
		if pairs[i].A.Has(1) == pairs[i].B.Has(1) {
			pairs[i].Score = 0.5
		}
	}
	if e := d.Estimate(pairs); !(e.Effects[1].Elo > 300 && e.Effects[1].Elo < 5000) ||
		math.Abs(float64(e.Effects[0].Elo)) > 1 {
		t.Errorf("%+v", e.Effects)
	}
}

// Shrinking moves estimates toward zero, strong ones the least by their size, and knows what is certain.
func TestShrink(t *testing.T) {
	theta := []float64{30, -20, 2, -1, 0}
	cov := mat.NewSymDense(5, nil)
	for j := range 5 {
		cov.SetSym(j, j, 16)
	}
	mean, post := shrink(theta, cov, mainPrior)
	for j, m := range mean {
		if math.Abs(m) > math.Abs(theta[j]) || m*theta[j] < 0 || post.At(j, j) > 20 || post.At(j, j) <= 0 {
			t.Errorf("%v becomes %v, variance %v", theta[j], m, post.At(j, j))
		}
	}
	if !(mean[0] > 25) {
		t.Errorf("30 ± 4 becomes %v", mean[0])
	}
	small, _ := shrink([]float64{3, -3, 2, -2, 1}, cov, mainPrior)
	if !(small[0] < 1.2) {
		t.Errorf("3 ± 4 among chance becomes %v", small[0])
	}
	cov.ScaleSym(1e-6, cov)
	if sure, _ := shrink(theta, cov, mainPrior); math.Abs(sure[0]-30) > 0.01 {
		t.Errorf("a certain 30 becomes %v", sure[0])
	}
}

// 8,000 games have effects within ±5.7, as a match of all these games.
func TestPlan(t *testing.T) {
	if within := 1.96 * Precision(4000, Variance(0.5)); math.Abs(within-5.75) > 0.1 {
		t.Errorf("±%v", within)
	}
	n := Need(5, Variance(0.5))
	if got := 1.96 * Precision(n, Variance(0.5)); n%PerOpening != 0 || got > 5 || got < 4.99 {
		t.Errorf("%d pairs have ±%v", n, got)
	}
	one, _ := AtBase(10, 1, 10000, Variance(0.5))
	match := math.Sqrt(Variance(0.5)/1000) / (logitPerElo / 4)
	if math.Abs(one-match) > 1e-9 {
		t.Errorf("one at a time: %v, a match of a tenth of the games %v", one, match)
	}
	three, _ := AtBase(10, 3, 10000, Variance(0.5))
	if all, _ := AtBase(10, 10, 10000, Variance(0.5)); !(three < one) || !math.IsInf(all, 1) {
		t.Errorf("three at a time ±%v, one ±%v, all %v", three, one, all)
	}
}

func TestLevels(t *testing.T) {
	for _, k := range []int{1, 8, 40} {
		sum := 0.0
		for i, level := range levels(k) {
			if sum += level; !(level > 0) || i == 0 && level > 0.001/float64(k) {
				t.Errorf("%d factors: look %d spends %v", k, i, level)
			}
		}
		if math.Abs(sum*float64(k)-familyError) > 1e-9 {
			t.Errorf("%d factors spend %v", k, sum*float64(k))
		}
	}
}

// After factors are fixed the others are estimated at that level if it matters.
func TestStrata(t *testing.T) {
	d, _ := NewDesign(Random, 4, 1)
	strength := func(apart float64) func(Subset) float64 {
		return func(s Subset) float64 { return 15*s.level(0) + (5+apart*s.level(0))*s.level(1) }
	}
	for _, c := range []struct{ apart, want float64 }{{0, 10}, {8, 26}} {
		rng := rand.New(rand.NewPCG(3, 4))
		pairs := exact(d, 6000, strength(c.apart))
		for n := range 6000 {
			a, b := d.Comparison(uint64(6000+n), Fixed{Factors: 1, On: 1})
			pairs = append(pairs, Pair{A: a, B: b, Score: sprt.Score(strength(c.apart)(a) - strength(c.apart)(b)),
				Opening: uint64((6000 + n) / PerOpening), Stratum: 1})
		}
		for i := range pairs {
			pairs[i].Score += 0.1 * float64(1-2*rng.IntN(2))
		}
		e := d.Estimate(pairs)
		if got := float64(e.Effects[1].Elo); e.Homogeneity == nil || math.Abs(got-c.want) > 2 ||
			(e.Homogeneity.P < homogeneityLevel) != (c.apart > 0) {
			t.Errorf("%+v: %v, homogeneity %+v", c, got, e.Homogeneity)
		}
		if got := float64(e.Effects[0].Elo); math.Abs(got-30) > 2 {
			t.Errorf("%+v: the fixed factor has %v", c, got)
		}
	}
}

// cell is a simulation: screens of worlds of one kind.
type cell struct {
	name    string
	kind    Kind
	factors int
	pairs   int
	sd      float64 // of the effects; every fourth factor has none
	two     float64 // standard deviation of interactions of two factors
	three   float64
	most    float64 // saturation
	draws   float64
	fix     bool
}

// world draws the effects of a cell. They stay the same in all runs, as the truth does.
func (c *cell) world() *World {
	rng := rand.New(rand.NewPCG(uint64(c.factors), uint64(c.pairs)+uint64(100*c.draws)))
	stretch := 1 / (1 - c.draws*c.draws) // draws make Elo smaller than strengths
	w := &World{Main: make([]float64, c.factors), Saturation: c.most, Draws: c.draws,
		White: 80, Opening: 10}
	for j := range c.factors {
		if j%4 != 3 {
			w.Main[j] = min(max(c.sd*rng.NormFloat64(), -60), 60) * stretch
		}
		for k := range j {
			if j%4 != 3 && k%4 != 3 {
				w.Together = append(w.Together, Joint{1<<j | 1<<k, c.two * rng.NormFloat64() * stretch})
			}
			if k > 0 && c.three > 0 && j%4 != 3 && k%4 != 3 && (k-1)%4 != 3 {
				w.Together = append(w.Together, Joint{1<<j | 1<<k | 1<<(k-1), c.three * rng.NormFloat64() * stretch})
			}
		}
	}
	return w
}

func (c *cell) simulate(t *testing.T, runs int) *Simulated {
	t.Helper()
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(c.name))
	d, err := NewDesign(c.kind, c.factors, sum.Sum64())
	if err != nil {
		t.Fatal(err)
	}
	w := c.world()
	s, err := Simulate(context.Background(), d, c.pairs, runs, c.fix, func(int) *World { return w })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d runs, SE %.2f, covered %.4f (direct %.4f), family error %.4f, %.2f decided, gain %.1f (true best "+
		"%.1f), predicted %.1f, held %.4f", c.name, s.Runs, s.SE, s.Covered, s.Direct, s.Family, s.Decided, s.Gain,
		s.BestGain,
		s.Predicted, float64(s.GainHeld))
	return s
}

// Intervals of effects hold what they should in games of another model, in 200 runs of three cells. The experiment
// TestSimulation has all of them.
func TestCoverage(t *testing.T) {
	for _, c := range []cell{
		{name: "rows", kind: Rows, factors: 8, pairs: 1000, sd: 12, two: 3, draws: 0.5},
		{name: "random", kind: Random, factors: 6, pairs: 1200, sd: 20, two: 5, draws: 0.3},
		{name: "saturating", kind: Rows, factors: 4, pairs: 800, sd: 25, most: 150, draws: 0.7},
	} {
		s := c.simulate(t, 200)
		n := float64(200 * c.factors)
		slack := 3.5 * math.Sqrt(0.05*0.95/n)
		if math.Abs(s.Covered-0.95) > slack+0.005 || s.Family > 0.05+3.5*math.Sqrt(0.05*0.95/200) || s.GainHeld < 0.9 {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// Pairs that are fitted by kind have the effects and errors that they have one by one, far from zero too.
func TestKinds(t *testing.T) {
	d, _ := NewDesign(Rows, 4, 1)
	rng := rand.New(rand.NewPCG(5, 6))
	pairs := exact(d, 800, func(s Subset) float64 { return 300*s.level(0) + 20*s.level(2) })
	for i := range pairs {
		pairs[i].Score = math.Round(4*pairs[i].Score+rng.Float64()-0.5) / 4
	}
	g := group(pairs)
	each := *g
	each.kinds, each.kind, each.size = pairs, nil, nil
	for i := range pairs {
		each.kind, each.size = append(each.kind, i), append(each.size, 1)
	}
	got, want := g.solve(d.regressors(g.kinds, 7)), each.solve(d.regressors(pairs, 7))
	if len(g.kinds) != 28 || !floats.EqualApprox(got.theta, want.theta, 1e-6) ||
		!mat.EqualApprox(got.cov, want.cov, 1e-6) {
		t.Errorf("%d kinds: %v, one by one %v", len(g.kinds), got.theta, want.theta)
	}
}
