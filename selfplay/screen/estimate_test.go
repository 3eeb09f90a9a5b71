package screen

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/sprt"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// exact returns the pairs of a screen with the scores that the logistic of a strength expects.
func exact(d *Design, n int, strength func(Subset) float64) (list []scoredPair) {
	for pair := range n {
		a, b := d.comparison(uint64(pair), fixedFactors{})
		list = append(list, scoredPair{A: a, B: b, Score: sprt.Score(strength(a) - strength(b)),
			Opening: uint64(pair / perOpening)})
	}
	return list
}

// Without chance the effects and interactions follow from the strengths.
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
		e := d.estimate(exact(d, 4000, strength))
		for j, want := range main {
			if got := float64(e.Effects[j].Elo); math.Abs(got-want) > 0.05 {
				t.Errorf("%s: factor %d: %v, want %v", kind, j, got, want)
			}
		}
		for _, c := range e.Chains {
			want := 0.0
			for _, i := range c.Of {
				want += float64(i.Sign) * map[[2]int]float64{{0, 4}: 6, {2, 3}: -8}[i.Factors]
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
	var pairs []scoredPair
	var p sprt.Pentanomial
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		points := min(max(2+int(math.Round(rng.NormFloat64()+0.2)), 0), 4)
		p[points]++
		pairs = append(pairs, scoredPair{A: 3, B: 2, Score: float64(points) / 4, Opening: uint64(n)})
	}
	want := sprt.Summarize(p).Strength()
	got := d.estimate(pairs).Effects[0]
	if math.Abs(float64(got.Elo-want.Elo)) > 0.01 || math.Abs(float64(got.EloHi-want.EloHi)) > 0.2 {
		t.Errorf("%v, a match says %v", got.Strength, want)
	}
	if other := d.estimate(pairs).Effects[1]; other.Known() {
		t.Errorf("a factor that never changed has the effect %v", other)
	}
	for i := range pairs {
		pairs[i].Score = 0.5
	}
	if got := d.estimate(pairs).Effects[0]; got.Known() {
		t.Errorf("drawn games show the effect %v", got)
	}
}

func TestTooFewPairs(t *testing.T) {
	d, _ := NewDesign(Rows, 8, 1)
	for _, n := range []int{0, 4, 100} {
		e := d.estimate(exact(d, n, func(Subset) float64 { return 0 }))
		if e.Effects[0].Known() || e.Best != 0 {
			t.Errorf("%d pairs: %+v", n, e)
		}
	}
}

// All games won have finite effects.
func TestAllWon(t *testing.T) {
	d, _ := NewDesign(Rows, 3, 1)
	pairs := exact(d, 400, func(s Subset) float64 { return 0 })
	for i := range pairs {
		pairs[i].Score = float64(pairs[i].A >> 1 & 1)
		if pairs[i].A.Has(1) == pairs[i].B.Has(1) {
			pairs[i].Score = 0.5
		}
	}
	if e := d.estimate(pairs); !(e.Effects[1].Elo > 300 && e.Effects[1].Elo < 5000) ||
		math.Abs(float64(e.Effects[0].Elo)) > 1 {
		t.Errorf("%+v", e.Effects)
	}
}

// 8,000 games have effects within ±5.7, as a match of all these games.
func TestPlan(t *testing.T) {
	if within := 1.96 * Precision(4000, Variance(0.5)); math.Abs(within-5.75) > 0.1 {
		t.Errorf("±%v", within)
	}
	n := Need(5, Variance(0.5))
	if got := 1.96 * Precision(n, Variance(0.5)); n%perOpening != 0 || got > 5 || got < 4.99 {
		t.Errorf("%d pairs have ±%v", n, got)
	}
	match := math.Sqrt(Variance(0.5)/1000) / (logitPerElo / 4)
	if one := Single(10, 10000, Variance(0.5)); math.Abs(one-match) > 1e-9 {
		t.Errorf("one at a time: %v, a match of a tenth of the games %v", one, match)
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
			a, b := d.comparison(uint64(6000+n), fixedFactors{Factors: 1, On: 1})
			pairs = append(pairs, scoredPair{A: a, B: b, Score: sprt.Score(strength(c.apart)(a) - strength(c.apart)(b)),
				Opening: uint64((6000 + n) / perOpening), Stratum: 1})
		}
		for i := range pairs {
			pairs[i].Score += 0.1 * float64(1-2*rng.IntN(2))
		}
		e := d.estimate(pairs)
		if got := float64(e.Effects[1].Elo); e.Homogeneity == nil || math.Abs(got-c.want) > 2 ||
			(e.Homogeneity.P < homogeneityLevel) != (c.apart > 0) {
			t.Errorf("%+v: %v, homogeneity %+v", c, got, e.Homogeneity)
		}
		if got := float64(e.Effects[0].Elo); math.Abs(got-30) > 2 {
			t.Errorf("%+v: the fixed factor has %v", c, got)
		}
	}
}

// Intervals of effects hold what they should where strengths change with the opening, factors interact and games are
// drawn; and hardly a screen decides the factor without an effect.
func TestCoverage(t *testing.T) {
	const runs, n, draws = 200, 1000, 0.5
	for _, kind := range []Kind{Rows, Random} {
		d, _ := NewDesign(kind, 4, 3)
		main := []float64{25, -15, 8, 0}
		strength := func(s Subset) float64 {
			return floats.Dot(main, []float64{s.level(0), s.level(1), s.level(2), 0})/2 + 2*s.level(0)*s.level(1)
		}
		rng, held, wrong := rand.New(rand.NewPCG(1, 7)), 0, 0
		for range runs {
			pairs, own := exact(d, n, strength), make([]float64, 4)
			var decided Subset
			for i := range pairs {
				p := &pairs[i]
				if i%perOpening == 0 {
					for j := range own {
						own[j] = 10 * rng.NormFloat64()
					}
				}
				elo := strength(p.A) - strength(p.B)
				for j, x := range own {
					elo += x * (p.A.level(j) - p.B.level(j)) / 2
				}
				win := sprt.Score(elo) - draws/2
				p.Score = 0
				for range 2 {
					if x := rng.Float64(); x < win {
						p.Score += 0.5
					} else if x < win+draws {
						p.Score += 0.25
					}
				}
				for look, share := range lookShares {
					if float64(i+1) == math.Ceil(share*n) {
						decided = d.effects(pairs[:i+1]).decide(look, decided)
					}
				}
			}
			for j, x := range d.estimate(pairs).Effects {
				if float64(x.EloLo) <= main[j] && main[j] <= float64(x.EloHi) {
					held++
				}
			}
			wrong += int(decided >> 3)
		}
		covered, family := float64(held)/(4*runs), float64(wrong)/runs
		if math.Abs(covered-0.95) > 3.5*math.Sqrt(0.05*0.95/(4*runs))+0.005 || family > familyError {
			t.Errorf("%s: intervals hold %.3f of the effects; %.3f of the screens decide one that is none", kind, covered,
				family)
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

// The rows of a Hadamard matrix are orthogonal.
func TestHadamard(t *testing.T) {
	for n := range 41 {
		h := hadamard(n)
		if possible := n == 1 || n == 2 || n > 0 && n%4 == 0; (h != nil) != possible {
			t.Fatalf("order %d: there is one: %t, want %t", n, h != nil, possible)
		}
		if h == nil {
			continue
		}
		for i := range n {
			for j := range n {
				if want := map[bool]float64{true: float64(n)}[i == j]; mat.Dot(h.RowView(i), h.RowView(j)) != want {
					t.Errorf("order %d: rows %d and %d: want %v", n, i, j, want)
				}
			}
			if h.At(0, i) != 1 || h.At(i, 0) != 1 {
				t.Errorf("order %d: the first row and column are not ones", n)
			}
		}
	}
}

// In the games of complements the factors are orthogonal, and interactions of two do not count; over all games
// main effects are orthogonal to everything else.
func TestDesignsAreOrthogonal(t *testing.T) {
	for _, kind := range []Kind{Rows, Random} {
		for _, k := range []int{2, 3, 4, 5, 8, 11, 12, 13, 20, 28, 40} {
			d := setup.Must(NewDesign(kind, k, 7))
			n := d.order()
			var complements, all []scoredPair
			for pair := range uint64(perOpening * n * max(n-1, 1) * 2) {
				a, b := d.comparison(pair, fixedFactors{})
				all = append(all, scoredPair{A: a, B: b})
				if pair%perOpening == perOpening-1 {
					if differ := bits.OnesCount64(uint64(a ^ b)); a == b || k == n && differ != n/2 {
						t.Fatalf("%s, %d factors, pair %d: %b against %b", kind, k, pair, a, b)
					}
				} else if complements = append(complements, scoredPair{A: a, B: b}); a^b != d.all() {
					t.Fatalf("%s, %d factors, pair %d: %b is not the complement of %b", kind, k, pair, a, b)
				}
			}
			dots := func(pairs []scoredPair, columns int, within float64, from int) {
				x := d.regressors(pairs, columns)
				var gram mat.Dense
				gram.Mul(x.T(), x)
				for i := range k {
					for j := from; j < columns; j++ {
						if i != j && math.Abs(gram.At(i, j)) > within*float64(len(pairs)) {
							t.Errorf("%s, %d factors: columns %d and %d: %v of %d pairs", kind, k, i, j, gram.At(i, j), len(pairs))
							return
						}
					}
				}
			}
			whole := complements[:len(complements)/n*n]
			dots(whole, k, 1e-12, 0)
			dots(whole, d.columns(k <= 12), 1e-12, k)
			if kind == Rows {
				dots(all[:perOpening*n*max(2*(n-1), 1)], d.columns(false), 1e-12, k)
			}
		}
	}
}

func TestBuilds(t *testing.T) {
	for k, want := range map[int]int{2: 4, 3: 8, 8: 16, 12: 24, 17: 40, 20: 40} {
		d := setup.Must(NewDesign(Rows, k, 1))
		seen := map[Subset]bool{}
		for _, s := range d.Builds() {
			seen[s] = true
		}
		if len(seen) != want || !seen[0] || !seen[d.all()] {
			t.Errorf("%d factors: %d builds, want %d with the base and all", k, len(seen), want)
		}
		if d, _ := NewDesign(Random, k, 1); d.Builds() != nil {
			t.Errorf("a random design has builds: %v", d.Builds())
		}
	}
	for _, k := range []int{-1, 0, 1, 41} {
		if _, err := NewDesign(Rows, k, 1); err == nil {
			t.Errorf("%d factors: a design", k)
		}
	}
}

// Equal seeds give equal comparisons, others do not.
func TestComparisonsRepeat(t *testing.T) {
	one, _ := NewDesign(Random, 9, 1)
	again, _ := NewDesign(Random, 9, 1)
	other, _ := NewDesign(Random, 9, 2)
	fixed, same := fixedFactors{Factors: 5, On: 4}, 0
	for pair := range uint64(400) {
		a, b := one.comparison(pair, fixedFactors{})
		a2, b2 := again.comparison(pair, fixedFactors{})
		if a != a2 || b != b2 {
			t.Fatalf("pair %d differs", pair)
		}
		if a3, b3 := other.comparison(pair, fixedFactors{}); a == a3 && b == b3 {
			same++
		}
		if a, b = one.comparison(pair, fixed); a&5 != 4 || b&5 != 4 {
			t.Fatalf("pair %d: %b and %b do not keep fixed factors", pair, a, b)
		}
	}
	if same > 20 {
		t.Errorf("another seed has %d equal comparisons", same)
	}
}

// Sylvester's designs have chains of equal length, each interaction in one; Paley's have none.
func TestChains(t *testing.T) {
	for k, length := range map[int]int{2: 1, 4: 2, 8: 4, 16: 8} {
		d, _ := NewDesign(Rows, k, 1)
		chains, seen := d.chains(), map[[2]int]bool{}
		for _, c := range chains {
			for _, i := range c {
				seen[i.Factors] = true
			}
			if len(c) != length {
				t.Errorf("%d factors: a chain of %d, want %d", k, len(c), length)
			}
		}
		if len(chains) != k-1 || len(seen) != k*(k-1)/2 {
			t.Errorf("%d factors: %d chains with %d interactions", k, len(chains), len(seen))
		}
	}
	if d, _ := NewDesign(Rows, 12, 1); d.chains() != nil {
		t.Error("12 factors: chains, though interactions are partly aliased")
	}
}

// Without some builds the effects that are left are still estimated; without too many, those that are lost are named.
func TestLostBuilds(t *testing.T) {
	d, _ := NewDesign(Rows, 4, 1)
	if lost := d.Drop(d.builds[1]); len(lost) != 0 || len(d.Builds()) != 7 {
		t.Errorf("one of 8 builds: lost %v", lost)
	}
	for pair := range uint64(200) {
		if a, b := d.comparison(pair, fixedFactors{}); a == d.builds[1] || b == d.builds[1] {
			t.Fatal("the lost build plays")
		}
	}
	d, _ = NewDesign(Rows, 4, 1)
	var without []Subset // all that have factor 2 on
	for _, s := range d.builds {
		if s.Has(2) {
			without = append(without, s)
		}
	}
	if lost := d.Drop(without...); len(lost) != 1 || lost[0] != 2 {
		t.Errorf("no build with factor 2: lost %v", lost)
	}
	if lost := d.Drop(d.builds...); len(lost) != 4 {
		t.Errorf("no builds: lost %v", lost)
	}
}
