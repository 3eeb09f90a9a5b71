package screen

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MaxFactors is the largest number of factors of a design.
const MaxFactors = 40

// perOpening is how many pairs of games start from one opening: three of a subset against its complement, and one
// of rows against each other.
const perOpening = 4

// Subset is a set of factors: those that are on, by their number as a bit.
type Subset uint64

// Has reports whether a factor is on.
func (s Subset) Has(factor int) bool { return s>>factor&1 == 1 }

// Size returns the number of factors that are on.
func (s Subset) Size() int { return bits.OnesCount64(uint64(s)) }

// level returns 1 for a factor that is on, else -1.
func (s Subset) level(factor int) float64 { return float64(s>>factor&1)*2 - 1 }

// fixedFactors are factors that have one level in all later games, and that level.
type fixedFactors struct{ Factors, On Subset }

// Kind is how a design chooses subsets.
type Kind string

// Kinds of designs.
const (
	// Rows come from one Hadamard matrix, with their complements: few subsets, since each may be a build.
	Rows Kind = "rows"
	// Random are rows of matrices with columns and signs drawn at random: many subsets, for what costs no build.
	Random Kind = "random"
)

// Design says which subsets meet. Use NewDesign.
type Design struct {
	Kind    Kind
	Factors int
	seed    uint64
	h       *mat.Dense // of Hadamard
	builds  []Subset   // rows, then their complements
	number  map[Subset]int
	pairs   [2][][2]int // of builds: complements; rows against others, in random order
	lost    []Subset    // builds that are dropped: interactions are not estimated then
}

// NewDesign returns a design for 2 to MaxFactors factors. The seed decides the order of its comparisons, and the
// subsets of a random one.
func NewDesign(kind Kind, factors int, seed uint64) (*Design, error) {
	if factors < 2 || factors > MaxFactors {
		return nil, fmt.Errorf("a design of %d factors: want 2 to %d", factors, MaxFactors)
	}
	d := &Design{Kind: kind, Factors: factors, seed: seed, number: map[Subset]int{}}
	for order := factors; d.h == nil; order++ {
		d.h = hadamard(order)
	}
	for i := range d.order() {
		d.builds = append(d.builds, subset(d.h.RawRowView(i)[:factors]))
	}
	for _, row := range d.builds {
		d.builds = append(d.builds, d.all()&^row)
	}
	for i, s := range d.builds {
		d.number[s] = i
	}
	d.pairUp()
	return d, nil
}

// subset returns the factors whose column is above zero.
func subset(row []float64) (s Subset) {
	for j, x := range row {
		if x > 0 {
			s |= 1 << j
		}
	}
	return s
}

func (d *Design) all() Subset { return 1<<d.Factors - 1 }

// The matrix has the order.
func (d *Design) order() int { n, _ := d.h.Dims(); return n }

// pairUp lists the comparisons between builds that are there.
func (d *Design) pairUp() {
	n := d.order()
	d.pairs = [2][][2]int{}
	for a := range d.builds {
		for b := a + 1; b < len(d.builds); b++ {
			if !d.has(a) || !d.has(b) {
				continue
			}
			kind := 1
			if b == a+n {
				kind = 0
			}
			d.pairs[kind] = append(d.pairs[kind], [2]int{a, b})
		}
	}
	across := d.pairs[1]
	rand.New(rand.NewPCG(d.seed, 1)).Shuffle(len(across), func(i, j int) { across[i], across[j] = across[j], across[i] })
	if len(d.pairs[0]) == 0 {
		d.pairs[0] = across
	}
}

func (d *Design) has(build int) bool { _, ok := d.number[d.builds[build]]; return ok }

// Builds returns the subsets that a design of rows plays; none of a random one.
func (d *Design) Builds() (list []Subset) {
	for i, build := range d.builds {
		if d.Kind == Rows && d.has(i) {
			list = append(list, build)
		}
	}
	return list
}

// Drop removes subsets that cannot be built. It returns the factors whose effect is lost by that: those that the
// comparisons which are left do not tell apart.
func (d *Design) Drop(subsets ...Subset) (lost []int) {
	for _, build := range subsets {
		delete(d.number, build)
	}
	d.lost = append(d.lost, subsets...)
	d.pairUp()
	var pairs []scoredPair
	for _, p := range slices.Concat(d.pairs[0], d.pairs[1]) {
		pairs = append(pairs, scoredPair{A: d.builds[p[0]], B: d.builds[p[1]]})
	}
	return unknown(d.regressors(pairs, d.Factors))
}

// unknown returns the columns whose coefficients the rows of a matrix do not determine: those that some
// direction without any effect on the rows has a part in.
func unknown(x *mat.Dense) (list []int) {
	var gram mat.SymDense
	var eigen mat.EigenSym
	var v mat.Dense
	gram.SymOuterK(1, x.T())
	if !eigen.Factorize(&gram, true) {
		return nil
	}
	eigen.VectorsTo(&v)
	values := eigen.Values(nil)
	for j := range values {
		part := 0.0
		for i, value := range values {
			if value <= 1e-9*slices.Max(values) {
				part += v.At(j, i) * v.At(j, i)
			}
		}
		if part > 1e-12 {
			list = append(list, j)
		}
	}
	return list
}

// comparison returns the two subsets of a pair of games, by its number. In a random design they keep the fixed
// factors at their level.
func (d *Design) comparison(pair uint64, fixed fixedFactors) (a, b Subset) {
	opening, place := pair/perOpening, pair%perOpening
	complement := opening*(perOpening-1) + place
	if d.Kind == Random {
		a, b = d.random(complement, opening, place == perOpening-1)
		return a&^fixed.Factors | fixed.On, b&^fixed.Factors | fixed.On
	}
	list, at := d.pairs[0], complement
	if place == perOpening-1 && len(d.pairs[1]) > 0 {
		list, at = d.pairs[1], opening
	}
	p := list[at%uint64(len(list))]
	return d.builds[p[0]], d.builds[p[1]]
}

// random returns a comparison of a random design: a row and its complement, each row of a matrix once, or two
// rows of a matrix of their own.
func (d *Design) random(complement, opening uint64, across bool) (a, b Subset) {
	n := uint64(d.order())
	if !across {
		h := d.shuffled(complement/n, 2)
		return h(int(complement%n), 1), h(int(complement%n), -1)
	}
	h := d.shuffled(opening, 3)
	rng := rand.New(rand.NewPCG(d.seed^opening, 4))
	first := rng.IntN(int(n))
	second := (first + 1 + rng.IntN(int(n)-1)) % int(n)
	return h(first, 1), h(second, float64(1-2*rng.IntN(2)))
}

// shuffled returns a function for the rows of the matrix with columns and signs drawn at random.
func (d *Design) shuffled(number, stream uint64) func(row int, sign float64) Subset {
	rng := rand.New(rand.NewPCG(d.seed+number*0x9e3779b97f4a7c15, stream))
	columns := rng.Perm(d.order())[:d.Factors]
	signs := rng.Uint64()
	return func(row int, sign float64) (s Subset) {
		for j, c := range columns {
			if d.h.At(row, c)*sign*(1-2*float64(signs>>j&1)) > 0 {
				s |= 1 << j
			}
		}
		return s
	}
}

// columns returns how many coefficients are estimated, main effects first. Rows: of all columns of the matrix,
// which include what no sum of effects explains, and what a build and its complement share. Random: with
// interactions of two factors.
func (d *Design) columns(interactions bool) int {
	switch {
	case d.Kind == Rows && d.lost == nil:
		return 2*d.order() - 1
	case d.Kind == Random && interactions:
		return d.Factors * (d.Factors + 1) / 2
	}
	return d.Factors
}

// regressors returns by what the coefficients are multiplied in each pair: main effects by 1/2 of the difference of
// levels, interactions by 1/4 of their products'.
func (d *Design) regressors(pairs []scoredPair, columns int) *mat.Dense {
	x := mat.NewDense(max(len(pairs), 1), columns, nil)
	for i := range pairs {
		a, b, row := pairs[i].A, pairs[i].B, x.RawRowView(i)
		for j := range d.Factors {
			row[j] = (a.level(j) - b.level(j)) / 2
		}
		switch {
		case columns == d.Factors:
		case d.Kind == Rows:
			d.rowRegressors(d.number[a], d.number[b], row)
		default:
			at := d.Factors
			for j := range d.Factors {
				for k := range j {
					row[at] = (a.level(j)*a.level(k) - b.level(j)*b.level(k)) / 4
					at++
				}
			}
		}
	}
	return x
}

// rowRegressors fills in the other columns of the matrix for two builds, then what a build and its complement share.
func (d *Design) rowRegressors(a, b int, row []float64) {
	n := d.order()
	sign := func(build int) float64 { return 1 - 2*float64(build/n) }
	for c := d.Factors; c < n; c++ {
		row[c] = (sign(a)*d.h.At(a%n, c) - sign(b)*d.h.At(b%n, c)) / 2
	}
	for c := 1; c < n; c++ {
		row[n+c-1] = (d.h.At(a%n, c) - d.h.At(b%n, c)) / 4
	}
}

// Interaction is one of two factors: what both together give beyond the sum of what each gives.
type Interaction struct {
	Factors [2]int `json:"factors"`
	Sign    int    `json:"sign,omitempty"` // in a chain: 1 or -1
}

// chains returns, for each column that builds and complements share, the interactions whose sum it is, with their
// signs; nil if the interactions do not fall into chains.
func (d *Design) chains() [][]Interaction {
	n := d.order()
	list := make([][]Interaction, n-1)
	for j := range d.Factors {
		for k := range j {
			for c := 1; c < n; c++ {
				sum := 0.0
				for i := range n {
					sum += d.h.At(i, j) * d.h.At(i, k) * d.h.At(i, c)
				}
				switch {
				case sum == float64(n) || sum == -float64(n):
					list[c-1] = append(list[c-1], Interaction{[2]int{k, j}, int(sum) / n})
				case sum != 0:
					return nil // partly aliased with several columns
				}
			}
		}
	}
	return list
}

// hadamard returns a Hadamard matrix of order n whose first row and column are ones; nil if no construction here
// has the order. For powers of two it is Sylvester's, whose columns multiply to columns.
func hadamard(n int) *mat.Dense {
	one, two := mat.NewDense(1, 1, []float64{1}), mat.NewDense(2, 2, []float64{1, 1, 1, -1})
	switch q := n/2 - 1; {
	case n == 1:
		return one
	case n != 2 && n%4 != 0 || n < 1:
		return nil
	case n&(n-1) == 0:
		return kronecker(two, hadamard(n/2))
	case isPrime(n - 1): // Paley's first: n-1 is 3 mod 4
		return paley(n-1, -1, one, one)
	case isPrime(q) && q%4 == 1: // Paley's second
		return paley(q, 1, two, mat.NewDense(2, 2, []float64{1, -1, -1, -1}))
	}
	if half := hadamard(n / 2); half != nil {
		return kronecker(two, half)
	}
	return nil
}

func isPrime(n int) bool { return big.NewInt(int64(n)).ProbablyPrime(0) }

// kronecker returns the matrix a with b in place of each element, times that element.
func kronecker(a, b mat.Matrix) *mat.Dense {
	var m mat.Dense
	m.Kronecker(a, b)
	return &m
}

// paley returns a matrix of quadratic residues mod a prime with zeros on the diagonal, under a row of ones and beside a
// column of border, in which blocks take the place of elements and of the diagonal. Signs of rows and columns are such
// that the first of both are ones.
func paley(q int, border float64, block, diagonal *mat.Dense) *mat.Dense {
	square := map[int]bool{}
	for i := 1; i < q; i++ {
		square[i*i%q] = true
	}
	m, unit := mat.NewDense(q+1, q+1, nil), mat.NewDense(q+1, q+1, nil)
	for i := range q + 1 {
		for j := range q + 1 {
			switch {
			case i == j:
				unit.Set(i, j, 1)
			case i == 0 || j > 0 && square[(i-j+q)%q]:
				m.Set(i, j, 1)
			case j == 0:
				m.Set(i, j, border)
			default:
				m.Set(i, j, -1)
			}
		}
	}
	var h, signed mat.Dense
	h.Add(kronecker(m, block), kronecker(unit, diagonal))
	signed.Apply(func(i, j int, x float64) float64 { return x * h.At(0, j) * h.At(i, 0) * h.At(0, 0) }, &h)
	return &signed
}

// Variance returns the variance of the score of a pair of independent games between equals, with a share of draws.
func Variance(draws float64) float64 { return (1 - draws) / 8 }

// acrossShare is the part of the information of a pair of complements that one of rows has about a main effect.
const acrossShare = 0.5

// Precision returns the standard error of a main effect, in Elo, after a number of pairs whose score has a variance.
func Precision(pairs uint64, variance float64) float64 {
	share := (perOpening - 1 + acrossShare) / perOpening
	slope := logitPerElo / 4
	return math.Sqrt(variance/(share*float64(pairs))) / slope
}

// Need returns the number of pairs after which the 95 % intervals of main effects are within ± that many Elo: whole
// openings.
func Need(within, variance float64) uint64 {
	one := 1.96 * Precision(1, variance) / within
	return uint64(math.Ceil(one*one/perOpening)) * perOpening
}

// Single returns the standard error of a match of one of k factors against the base, with its share of the pairs.
func Single(k int, pairs uint64, variance float64) float64 {
	return math.Sqrt(variance*float64(k)/float64(pairs)) / (logitPerElo / 4)
}

// lookShares are the shares of the games after which factors are decided: those whose effect is not zero. None are
// decided before the first.
var lookShares = []float64{0.3, 0.5, 0.75, 1}

// familyError is the probability that any factor without an effect is decided at any look.
const familyError = 0.05

// levels returns for each look the p-value at which a factor is decided. The error of each factor is the family's by
// their number (C. E. Bonferroni), spent over the looks as by P. O'Brien and T. Fleming (K. K. G. Lan and D. DeMets
// 1983). What a look may spend is spent by it alone, which is a little less than could be.
func levels(factors int) []float64 {
	alpha := familyError / float64(factors)
	z := distuv.UnitNormal.Quantile(1 - alpha/2)
	list, spent := make([]float64, len(lookShares)), 0.0
	for i, share := range lookShares {
		all := 2 * distuv.UnitNormal.Survival(z/math.Sqrt(share))
		list[i], spent = all-spent, all
	}
	return list
}

// decide returns the factors that a look decides, beside those that are.
func (e *Estimate) decide(look int, decided Subset) Subset {
	level := levels(len(e.Effects))[look]
	for j := range e.Effects {
		if float64(e.Effects[j].P) < level { // never if it is unknown
			decided |= 1 << j
		}
	}
	return decided
}

// fix returns the factors that are decided at their better level; those that are fixed stay as they are.
func (e *Estimate) fix(decided Subset, was fixedFactors) fixedFactors {
	for j := range e.Effects {
		if decided.Has(j) && !was.Factors.Has(j) && e.Effects[j].Elo > 0 {
			was.On |= 1 << j
		}
	}
	was.Factors |= decided
	return was
}
