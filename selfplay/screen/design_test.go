package screen

import (
	"math"
	"math/bits"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/internal/setup"
)

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
