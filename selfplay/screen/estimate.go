package screen

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/sprt"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// scoredPair is a pair of games from one opening with colors reversed.
type scoredPair struct {
	A, B    Subset
	Score   float64 // of A: 0, 1/4, 1/2, 3/4 or 1
	Opening uint64  // pairs of one opening are not independent
	Stratum int     // 0, or one more after each time that factors were fixed
}

// Effect is what turning a factor on is worth, with the others at random.
type Effect struct {
	sprt.Strength           // with its 95 % interval; null after too few games
	SE            num.Float `json:"se"`
	P             num.Float `json:"p"` // that no effect looks as large
}

// chiSquare is a chi-square test that something is zero.
type chiSquare struct {
	Chi2 float64   `json:"chi2"`
	DF   int       `json:"df"`
	P    num.Float `json:"p"`
}

// Estimate is what pairs of games say about the factors.
type Estimate struct {
	Pairs    int       `json:"pairs"`
	Openings int       `json:"openings"`
	Variance num.Float `json:"pair_variance"` // of the score of a pair
	Effects  []Effect  `json:"effects"`

	// Interactions of single pairs of factors, of a random design with enough games.
	Interactions []interactionEffect `json:"interactions,omitempty"`
	// Chains are sums of interactions that the builds of a design do not tell apart.
	Chains []chain `json:"chains,omitempty"`
	// Interacting tests all interactions of two factors together; nil if they are not estimated.
	Interacting *chiSquare `json:"interacting,omitempty"`
	// LackOfFit tests whether the comparisons of complements need more than main effects; nil: not testable, since
	// there are as many factors as rows.
	LackOfFit *chiSquare `json:"lack_of_fit,omitempty"`
	// Homogeneity tests whether the effects changed when factors were fixed; nil: none was.
	Homogeneity *chiSquare `json:"homogeneity,omitempty"`

	Best Subset `json:"best"` // the factors whose effect is above zero

	games     *grouped
	all, main *fit // all coefficients of the design; the effects. Nil if they are unknown
}

// interactionEffect is an interaction with its error.
type interactionEffect struct {
	Interaction
	Elo  float64   `json:"elo"`
	SE   float64   `json:"se"`
	P    num.Float `json:"p"`
	Seen bool      `json:"seen"` // with a false discovery rate of 10 % (Y. Benjamini and Y. Hochberg 1995)
}

// chain is a sum of interactions.
type chain struct {
	Of  []Interaction `json:"of"`
	Elo float64       `json:"elo"`
	SE  float64       `json:"se"`
}

const (
	logitPerElo = math.Ln10 / 400
	// openingsPerColumn is how many openings there must be for each coefficient.
	openingsPerColumn = 3
	// interactionOpenings is the same where interactions of two factors are coefficients of their own.
	interactionOpenings = 6
	falseDiscoveries    = 0.1
	homogeneityLevel    = 0.05
	// weak is the precision, per Elo squared, of a prior that keeps coefficients finite without results against
	// them: a standard deviation of 2000 Elo.
	weak = 1.0 / (2000 * 2000)
)

// estimate estimates effects from pairs in the order in which they were counted. Too few pairs have unknown effects.
func (d *Design) estimate(pairs []scoredPair) *Estimate {
	e := d.effects(pairs)
	if e.main == nil {
		return e
	}
	if len(e.all.theta) > d.Factors {
		d.aliases(e, e.all)
	}
	for j := range e.Effects {
		if x := &e.Effects[j]; x.Known() && x.Elo > 0 {
			e.Best |= 1 << j
		}
	}
	if d.Kind == Random && d.Factors > 1 && e.Openings >= interactionOpenings*d.columns(true) {
		if f := e.games.solve(d.regressors(e.games.kinds, d.columns(true))); f != nil {
			d.interact(e, f)
		}
	}
	return e
}

// Effects is Estimate without what no decision needs: interactions and the best set.
func (d *Design) effects(pairs []scoredPair) *Estimate {
	g := group(pairs)
	e := &Estimate{Pairs: len(pairs), Openings: g.openings, Effects: make([]Effect, d.Factors), Variance: num.Unknown,
		games: g}
	for j := range e.Effects {
		e.Effects[j] = Effect{sprt.Unknown(), num.Unknown, num.Unknown}
	}
	if len(pairs) == 0 || e.Openings < d.LeastOpenings() {
		return e
	}
	e.all = g.solve(d.regressors(g.kinds, d.columns(false)))
	if e.all == nil {
		return e
	}
	e.Variance = num.Float(e.all.variance)
	e.main = e.all.part(0, d.Factors)
	if stratum := pairs[len(pairs)-1].Stratum; stratum > 0 {
		e.main = d.homogeneous(e, stratum, e.main)
	}
	d.fill(e, e.main)
	return e
}

// LeastOpenings is the number of openings below which no effect is estimated.
func (d *Design) LeastOpenings() int {
	columns := d.columns(false)
	return max(openingsPerColumn*columns, columns+10)
}

func (d *Design) fill(e *Estimate, f *fit) {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(f.df)}
	width := t.Quantile(0.975)
	for j := range e.Effects {
		elo, se := f.theta[j], math.Sqrt(f.cov.At(j, j))
		if f.naive[j] > 1000*1000 || se == 0 { // its factor never changed, or all pairs ended alike
			continue
		}
		x := &e.Effects[j]
		x.Strength = sprt.Strength{Elo: num.Float(elo), EloLo: num.Float(elo - width*se), EloHi: num.Float(elo + width*se)}
		x.SE, x.P = num.Float(se), num.Float(2*t.Survival(math.Abs(elo)/se))
	}
}

// aliases sets what a design of rows shows of interactions and of effects that none explain.
func (d *Design) aliases(e *Estimate, f *fit) {
	n := d.order()
	if n > 1 {
		e.Interacting = f.part(n, 2*n-1).test()
	}
	if d.Factors < n {
		e.LackOfFit = f.part(d.Factors, n).test()
	}
	for c, of := range d.chains() {
		if len(of) > 0 {
			e.Chains = append(e.Chains, chain{of, f.theta[n+c], math.Sqrt(f.cov.At(n+c, n+c))})
		}
	}
}

// interact sets the interactions of a random design.
func (d *Design) interact(e *Estimate, f *fit) {
	all := f.part(d.Factors, d.columns(true))
	t := distuv.StudentsT{Sigma: 1, Nu: float64(f.df)}
	at := 0
	for j := range d.Factors {
		for k := range j {
			se := math.Sqrt(all.cov.At(at, at))
			e.Interactions = append(e.Interactions, interactionEffect{Interaction: Interaction{Factors: [2]int{k, j}},
				Elo: all.theta[at], SE: se, P: num.Float(2 * t.Survival(math.Abs(all.theta[at])/se))})
			at++
		}
	}
	e.Interacting = all.test()
	slices.SortStableFunc(e.Interactions, func(a, b interactionEffect) int {
		return cmp.Compare(a.P, b.P)
	})
	seen := 0
	for i, x := range e.Interactions {
		if float64(x.P) <= falseDiscoveries*float64(i+1)/float64(len(e.Interactions)) {
			seen = i + 1
		}
	}
	for i := range seen {
		e.Interactions[i].Seen = true
	}
}

// homogeneous returns the effects of pairs in strata: pooled, or, if they changed when factors were fixed last, at
// the levels to which those were fixed.
func (d *Design) homogeneous(e *Estimate, stratum int, pooled *fit) *fit {
	f := d.last(e.games, stratum)
	if f == nil {
		return pooled
	}
	e.Homogeneity = f.part(d.Factors, len(f.theta)).test()
	if float64(e.Homogeneity.P) < homogeneityLevel {
		return f.part(0, d.Factors)
	}
	return pooled
}

// last returns the effects in the last stratum and, after them, by how much the others' differ; nil: unknown.
func (d *Design) last(g *grouped, stratum int) *fit {
	k, kinds := d.Factors, g.kinds
	main := d.regressors(kinds, k)
	var moving []int // factors that were not fixed
	for j := range k {
		for i := range kinds {
			if kinds[i].Stratum == stratum && main.At(i, j) != 0 {
				moving = append(moving, j)
				break
			}
		}
	}
	if len(moving) == 0 {
		return nil
	}
	x := mat.DenseCopyOf(main.Grow(0, len(moving))) // what effects were before, beside what they are
	for i := range kinds {
		for m, j := range moving {
			if kinds[i].Stratum != stratum {
				x.Set(i, k+m, x.At(i, j))
			}
		}
	}
	return g.solve(x)
}

// grouped are pairs of games by kind: pairs of the same two players expect the same score, so that fits need as much
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
	scores, expected := make([]float64, n), make([]float64, n)
	for i, k := range g.kind {
		scores[k] += g.pairs[i].Score
	}
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
	return g.sandwich(x, theta.RawVector().Data, expected, &chol)
}

// sandwich returns the fit with the covariance of P. J. Huber (1967), clustered by opening (K.-Y. Liang and S. Zeger
// 1986), times C/(C-p) for C openings and p coefficients. expected are the scores that kinds of pairs expect.
func (g *grouped) sandwich(x *mat.Dense, theta, expected []float64, information *mat.Cholesky) *fit {
	p, c := len(theta), g.openings
	scores := mat.NewDense(c, p, nil)
	squares := 0.0
	for i, k := range g.kind {
		to, from, r := scores.RawRowView(g.opening[i]), x.RawRowView(k), g.pairs[i].Score-expected[k]
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
	return &fit{f.theta[from:to], f.cov.SliceSym(from, to).(*mat.SymDense), f.naive[from:to], f.df, f.variance}
}

// test tests whether all coefficients are zero (A. Wald 1943), with the F distribution of Hotelling's test.
func (f *fit) test() *chiSquare {
	n := len(f.theta)
	t := &chiSquare{DF: n, P: num.Unknown}
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
