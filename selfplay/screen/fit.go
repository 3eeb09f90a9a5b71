package screen

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/assay-chess/assay/engine/num"
)

// grouped are pairs of games by kind: those of the same two players expect the same score, so that fits need as much
// time as there are kinds. Of a design of rows these are few.
type grouped struct {
	pairs    []scoredPair
	kinds    []scoredPair // one pair of each kind: subsets and stratum
	kind     []int        // of each pair
	size     []float64    // pairs of each kind
	opening  []int        // of each pair, numbered from 0
	openings int
}

func group(pairs []scoredPair) *grouped {
	type key struct {
		a, b    Subset
		stratum int
	}
	g := &grouped{pairs: pairs, kind: make([]int, len(pairs)), opening: make([]int, len(pairs))}
	kinds, seen := make(map[key]int, len(pairs)), make(map[uint64]int, len(pairs)/perOpening)
	for i := range pairs {
		p := &pairs[i]
		k, known := kinds[key{p.A, p.B, p.Stratum}]
		if !known {
			k = len(g.kinds)
			kinds[key{p.A, p.B, p.Stratum}] = k
			g.kinds, g.size = append(g.kinds, *p), append(g.size, 0)
		}
		g.kind[i] = k
		g.size[k]++
		o, known := seen[p.Opening]
		if !known {
			o = len(seen)
			seen[p.Opening] = o
		}
		g.opening[i] = o
	}
	g.openings = len(seen)
	return g
}

// sums returns the sum of a value of each pair by kind.
func (g *grouped) sums(of func(pair int) float64) []float64 {
	list := make([]float64, len(g.kinds))
	for i, k := range g.kind {
		list[k] += of(i)
	}
	return list
}

// fit is a solution of the score equations: coefficients in Elo, and their covariance.
type fit struct {
	theta    []float64
	cov      *mat.SymDense
	naive    []float64 // variances if all pairs were independent and as the model has them
	df       int       // openings less coefficients
	variance float64
}

// nearby is the length of a step, in Elo, that leaves no error worth another.
const nearby = 1e-4

// solve fits the expected scores of pairs, by Newton's method; nil if the equations are singular. The matrix has a row
// for each kind of pair. The information matrix costs the most time, and changes little while strengths do: it is
// computed again where steps do not shrink, and at the end.
func (g *grouped) solve(x *mat.Dense) *fit {
	n, p := x.Dims()
	scores, expected := g.sums(func(i int) float64 { return g.pairs[i].Score }), make([]float64, n)
	theta, eta := mat.NewVecDense(p, nil), mat.NewVecDense(n, nil)
	rest, gradient, step := mat.NewVecDense(n, nil), mat.NewVecDense(p, nil), mat.NewVecDense(p, nil)
	weighted, information := mat.NewDense(n, p, nil), mat.NewSymDense(p, nil)
	var chol mat.Cholesky
	last, fresh := math.Inf(1), true
	for range 60 {
		eta.MulVec(x, theta)
		for i := range n {
			expected[i] = 1 / (1 + math.Exp(-logitPerElo*eta.AtVec(i)))
			rest.SetVec(i, logitPerElo*(scores[i]-g.size[i]*expected[i]))
		}
		gradient.MulVec(x.T(), rest)
		gradient.AddScaledVec(gradient, -weak, theta)
		if fresh {
			for i, score := range expected {
				floats.ScaleTo(weighted.RawRowView(i), math.Sqrt(g.size[i]*score*(1-score))*logitPerElo, x.RawRowView(i))
			}
			information.SymOuterK(1, weighted.T())
			for j := range p {
				information.SetSym(j, j, information.At(j, j)+weak)
			}
			if !chol.Factorize(information) {
				return nil
			}
		}
		_ = chol.SolveVecTo(step, gradient) // factorized, so at worst ill conditioned
		largest := mat.Norm(step, math.Inf(1))
		theta.AddScaledVec(theta, min(1, 400/largest), step)
		if fresh && largest < nearby {
			break
		}
		fresh, last = largest < nearby || largest > last/4, largest
	}
	rests := func(i int) float64 { return g.pairs[i].Score - expected[g.kind[i]] }
	return g.sandwich(x, theta.RawVector().Data, rests, &chol)
}

// sandwich returns the fit with the covariance of P. J. Huber (1967), clustered by opening (K.-Y. Liang and S. Zeger
// 1986), times C/(C-p) for C openings and p coefficients.
func (g *grouped) sandwich(x *mat.Dense, theta []float64, rest func(pair int) float64, information *mat.Cholesky) *fit {
	p, c := len(theta), g.openings
	scores := mat.NewDense(c, p, nil)
	squares := 0.0
	for i, k := range g.kind {
		to, from, r := scores.RawRowView(g.opening[i]), x.RawRowView(k), rest(i)
		for j := range to {
			to[j] += float64(logitPerElo * r * from[j])
		}
		squares += float64(r * r)
	}
	var meat, inverse mat.SymDense
	meat.SymOuterK(float64(c)/float64(max(1, c-p)), scores.T())
	if err := information.InverseTo(&inverse); err != nil && math.IsInf(information.Cond(), 1) {
		return nil
	}
	var half, all mat.Dense
	half.Mul(&inverse, &meat)
	all.Mul(&half, &inverse)
	f := &fit{theta: theta, cov: symmetric(&all), df: max(1, c-p), variance: squares / float64(max(1, len(g.kind)-p))}
	for j := range p {
		f.naive = append(f.naive, inverse.At(j, j))
	}
	return f
}

// symmetric returns the mean of a matrix and its transpose.
func symmetric(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// part returns the coefficients from one number to another.
func (f *fit) part(from, to int) *fit {
	cov := mat.NewSymDense(to-from, nil)
	for i := from; i < to; i++ {
		for j := i; j < to; j++ {
			cov.SetSym(i-from, j-from, f.cov.At(i, j))
		}
	}
	return &fit{slices.Clone(f.theta[from:to]), cov, f.naive[from:to], f.df, f.variance}
}

// test tests whether all coefficients are zero (A. Wald 1943), with the F distribution of Hotelling's test.
func (f *fit) test() *Test {
	n := len(f.theta)
	t := &Test{DF: n, P: num.Unknown}
	var chol mat.Cholesky
	var x mat.VecDense
	theta := mat.NewVecDense(n, f.theta)
	if !chol.Factorize(f.cov) || chol.SolveVecTo(&x, theta) != nil {
		return t
	}
	t.Chi2 = mat.Dot(theta, &x)
	if nu := float64(f.df - n + 1); nu > 0 {
		ratio := t.Chi2 * nu / (float64(f.df) * float64(n))
		t.P = num.Float(distuv.F{D1: float64(n), D2: nu}.Survival(ratio))
	}
	return t
}
