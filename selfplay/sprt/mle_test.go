package sprt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomCounts spans what matches bring and what they do not: few and many, even
// and one-sided, with zeros.
func randomCounts(r *rand.Rand) Counts {
	count := func() int64 {
		if r.IntN(3) == 0 {
			return 0
		}
		return int64(math.Exp(r.Float64() * 16))
	}
	if r.IntN(2) == 0 {
		return Trinomial{count(), count(), count()}
	}
	return Pentanomial{count(), count(), count(), count(), count()}
}

// TestConstraintsHold checks that the likeliest distributions satisfy their
// constraint and are distributions, over all hypotheses that a test may have.
func TestConstraintsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 6000 {
		c := randomCounts(r)
		d := c.distribution()
		s := Score((r.Float64()*2 - 1) * maxElo)
		found := d.withMean(s)
		if mean, _ := d.tilted(&found); math.Abs(mean-s) > 1e-9 {
			t.Fatalf("%v: mean %v, want %v", c, mean, s)
		}
		want := d.tValue((r.Float64()*2 - 1) * maxElo)
		if r.IntN(2) == 0 {
			want /= 50
		}
		equal := d.withMean(half)
		found = d.withT(want, &equal)
		mean, sigma := d.tilted(&found)
		if math.Abs(mean-half-want*sigma) > 1e-8 {
			t.Fatalf("%v: t-value %v, want %v", c, (mean-half)/sigma, want)
		}
		sum := 0.0
		for i := range d.k {
			if found.q[i] <= 0 {
				t.Fatalf("%v: probability %d is not above 0", c, i)
			}
			sum += d.p[i] / found.q[i]
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("%v: probabilities sum to %v", c, sum)
		}
	}
}

// TestLikeliest compares with other distributions of the same t-value, made by
// moving along the surface of the constraint: none may be likelier.
func TestLikeliest(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	likelihood := func(d *dist, p *[5]float64) (sum float64) {
		for i := range d.k {
			sum += d.p[i] * math.Log(p[i])
		}
		return sum
	}
	tried := 0
	for range 300 {
		c := Pentanomial{r.Int64N(50) + 1, r.Int64N(200) + 1, r.Int64N(300) + 1, r.Int64N(200) + 1, r.Int64N(50) + 1}
		d := c.distribution()
		want := d.tValue((r.Float64()*2 - 1) * 100)
		equal := d.withMean(half)
		found := d.withT(want, &equal)
		best := d.over(&found)
		for range 20 {
			// A random neighbour, brought back to the constraint by mixing in more or
			// less of the best score.
			near := best
			for i := range near.p {
				near.p[i] *= math.Exp(0.1 * r.NormFloat64())
			}
			if !toSurface(&near, want) {
				continue
			}
			tried++
			if got := likelihood(&d, &near.p); got > likelihood(&d, &best.p)+1e-12 {
				t.Fatalf("%v, t-value %v: %v is likelier than %v", c, want, near.p, best.p)
			}
		}
	}
	if tried < 3000 {
		t.Errorf("only %d neighbours were tried", tried)
	}
}

// toSurface scales p[4] until d has t-value want.
func toSurface(d *dist, want float64) bool {
	base := d.p
	at := func(x float64) float64 {
		d.p = base
		d.p[4] *= x
		sum := 0.0
		for _, p := range d.p {
			sum += p
		}
		for i := range d.p {
			d.p[i] /= sum
		}
		mean, variance := d.moments()
		return (mean-half)/math.Sqrt(variance) - want
	}
	lo, hi := 0.2, 5.0
	if at(lo) > 0 || at(hi) < 0 {
		return false
	}
	for range 80 {
		if mid := (lo + hi) / 2; at(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Abs(at(lo)) < 1e-9
}

// TestLLRSymmetry checks identities that every LLR has: it changes sign when the
// hypotheses or the players are exchanged, and adds up along hypotheses.
func TestLLRSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 2000 {
		c := randomCounts(r)
		a, b, e := r.NormFloat64()*30, r.NormFloat64()*30, r.NormFloat64()*30
		for _, model := range []Model{Logistic, Normalized} {
			llr := func(c Counts, a, b float64) float64 { return Test{Elo0: a, Elo1: b, Model: model}.llrOf(c) }
			x, size := llr(c, a, b), float64(c.Samples())+1
			for name, y := range map[string]float64{
				"exchanged hypotheses": -llr(c, b, a),
				"exchanged players":    llr(mirrored(c), -a, -b),
				"by way of a third":    llr(c, a, e) + llr(c, e, b),
			} {
				if math.Abs(x-y) > 1e-9*size {
					t.Fatalf("%v LLR of %v, %v %v: %v, %s %v", model, c, a, b, x, name, y)
				}
			}
		}
	}
}

func mirrored(c Counts) Counts {
	if p, ok := c.(Pentanomial); ok {
		return Pentanomial{p[4], p[3], p[2], p[1], p[0]}
	}
	g := c.(Trinomial)
	return Trinomial{g[2], g[1], g[0]}
}
