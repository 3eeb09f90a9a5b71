package screen

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Pair is a pair of games from one opening with colors reversed.
type Pair struct {
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

	// The effect given those of all factors (empirical Bayes): what to expect of it. After a choice among many
	// factors, or a decision, the raw effect is too large.
	Shrunk   num.Float `json:"shrunk"`
	ShrunkSE num.Float `json:"shrunk_se"`
}

// Test is a chi-square test that something is zero.
type Test struct {
	Chi2 float64   `json:"chi2"`
	DF   int       `json:"df"`
	P    num.Float `json:"p"`
}

// Estimate is what pairs of games say about the factors.
type Estimate struct {
	Pairs      int         `json:"pairs"`
	Openings   int         `json:"openings"`
	Variance   num.Float   `json:"pair_variance"` // of the score of a pair
	Effects    []Effect    `json:"effects"`
	Covariance [][]float64 `json:"covariance,omitempty"` // of the effects

	// Interactions of single pairs of factors, of a random design with enough games.
	Interactions []InteractionEffect `json:"interactions,omitempty"`
	// Chains are sums of interactions that the builds of a design do not tell apart.
	Chains []Chain `json:"chains,omitempty"`
	// Interacting tests all interactions of two factors together; nil if they are not estimated.
	Interacting *Test `json:"interacting,omitempty"`
	// LackOfFit tests whether the comparisons of complements need more than main effects; nil: not testable, since
	// there are as many factors as rows.
	LackOfFit *Test `json:"lack_of_fit,omitempty"`
	// Homogeneity tests whether the effects changed when factors were fixed; nil: none was.
	Homogeneity *Test `json:"homogeneity,omitempty"`

	Best          Subset    `json:"best"` // the factors whose shrunk effect is above zero
	Gain          num.Float `json:"gain"` // to expect of it against all off
	GainLo        num.Float `json:"gain_lo"`
	GainHi        num.Float `json:"gain_hi"`
	InteractionSD num.Float `json:"interaction_sd"` // by which the interval is widened: that of interactions, in Elo
}

// InteractionEffect is an interaction with its error.
type InteractionEffect struct {
	Interaction
	Elo  float64   `json:"elo"`
	SE   float64   `json:"se"`
	P    num.Float `json:"p"`
	Seen bool      `json:"seen"` // with a false discovery rate of 10 % (Y. Benjamini and Y. Hochberg 1995)
}

// Chain is a sum of interactions.
type Chain struct {
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

// Estimate estimates effects from pairs in the order in which they were counted. Too few pairs have unknown effects.
func (d *Design) Estimate(pairs []Pair) *Estimate {
	e := &Estimate{Pairs: len(pairs), Openings: openings(pairs), Effects: make([]Effect, d.Factors),
		Variance: num.Unknown,
		Gain:     num.Unknown, GainLo: num.Unknown, GainHi: num.Unknown, InteractionSD: num.Unknown}
	for j := range e.Effects {
		e.Effects[j] = Effect{sprt.Unknown(), num.Unknown, num.Unknown, num.Unknown, num.Unknown}
	}
	columns := d.columns(false)
	if len(pairs) == 0 || e.Openings < d.LeastOpenings() {
		return e
	}
	f := solve(d.regressors(pairs, columns), pairs)
	if f == nil {
		return e
	}
	e.Variance = num.Float(f.variance)
	prior := interactionPrior(nil, nil, 0)
	if columns > d.Factors {
		d.aliases(e, f)
		prior = d.aliasPrior(f)
	}
	main := f.part(0, d.Factors)
	if stratum := pairs[len(pairs)-1].Stratum; stratum > 0 {
		main = d.homogeneous(e, pairs, stratum, main)
	}
	shrunk, post := shrink(main.theta, main.cov, mainPrior)
	d.fill(e, main, shrunk, post)
	if d.Kind == Random && d.Factors > 1 && e.Openings >= interactionOpenings*d.columns(true) {
		if f := solve(d.regressors(pairs, d.columns(true)), pairs); f != nil {
			prior = d.interact(e, f)
		}
	}
	d.gain(e, pairs, shrunk, post, prior)
	return e
}

// LeastOpenings is the number of openings below which no effect is estimated.
func (d *Design) LeastOpenings() int {
	columns := d.columns(false)
	return max(openingsPerColumn*columns, columns+10)
}

// fill sets the effects.
func (d *Design) fill(e *Estimate, f *fit, shrunk []float64, post *mat.SymDense) {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(f.df)}
	width := t.Quantile(0.975)
	e.Covariance = make([][]float64, d.Factors)
	for j := range e.Effects {
		elo, se := f.theta[j], math.Sqrt(f.cov.At(j, j))
		e.Covariance[j] = mat.Row(nil, j, f.cov)
		if f.naive[j] > 1000*1000 { // its factor never changed
			continue
		}
		e.Effects[j] = Effect{
			Strength: sprt.Strength{Elo: num.Float(elo), EloLo: num.Float(elo - width*se), EloHi: num.Float(elo + width*se)},
			SE:       num.Float(se), P: num.Float(2 * t.Survival(math.Abs(elo)/se)),
			Shrunk: num.Float(shrunk[j]), ShrunkSE: num.Float(math.Sqrt(post.At(j, j)))}
	}
}

// aliases sets what is known of interactions from a design of rows, and of what no effects explain.
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
			e.Chains = append(e.Chains, Chain{of, f.theta[n+c], math.Sqrt(f.cov.At(n+c, n+c))})
		}
	}
}

// aliasPrior returns the distribution of an interaction: a column that builds and complements share is the sum of
// many.
func (d *Design) aliasPrior(f *fit) float64 {
	n := d.order()
	shared := f.part(n, 2*n-1)
	each := math.Sqrt(float64(d.Factors*(d.Factors-1)/2) / float64(n-1))
	for i := range shared.theta {
		shared.theta[i] /= each
	}
	shared.cov.ScaleSym(1/(each*each), shared.cov)
	return interactionPrior(shared.theta, shared.cov, f.size(d.Factors))
}

// interact sets the interactions of a random design.
func (d *Design) interact(e *Estimate, f *fit) float64 {
	all := f.part(d.Factors, d.columns(true))
	t := distuv.StudentsT{Sigma: 1, Nu: float64(f.df)}
	at := 0
	for j := range d.Factors {
		for k := range j {
			se := math.Sqrt(all.cov.At(at, at))
			e.Interactions = append(e.Interactions, InteractionEffect{Interaction: Interaction{Factors: [2]int{k, j}},
				Elo: all.theta[at], SE: se, P: num.Float(2 * t.Survival(math.Abs(all.theta[at])/se))})
			at++
		}
	}
	e.Interacting = all.test()
	slices.SortStableFunc(e.Interactions, func(a, b InteractionEffect) int {
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
	return interactionPrior(all.theta, all.cov, f.size(d.Factors))
}

// homogeneous returns the effects of pairs in strata: pooled, or, if they changed when factors were fixed last, at
// the levels to which those were fixed.
func (d *Design) homogeneous(e *Estimate, pairs []Pair, stratum int, pooled *fit) *fit {
	k := d.Factors
	x := mat.DenseCopyOf(d.regressors(pairs, k).Grow(0, k))
	var moving []int // factors that were not fixed
	for j := range k {
		for i := range pairs {
			if pairs[i].Stratum == stratum {
				x.Set(i, k+j, x.At(i, j))
			}
		}
		if mat.Norm(x.ColView(k+j), 1) > 0 {
			moving = append(moving, j)
		}
	}
	f := solve(x, pairs)
	if f == nil || len(moving) == 0 {
		return pooled
	}
	change := &fit{theta: make([]float64, len(moving)), cov: mat.NewSymDense(len(moving), nil), df: f.df}
	to := mat.NewDense(k, 2*k, nil)
	for j := range k {
		to.Set(j, j, 1)
	}
	for i, j := range moving {
		change.theta[i] = f.theta[k+j]
		for i2, j2 := range moving {
			change.cov.SetSym(i, i2, f.cov.At(k+j, k+j2))
		}
		to.Set(j, k+j, 1)
	}
	e.Homogeneity = change.test()
	if float64(e.Homogeneity.P) >= homogeneityLevel {
		return pooled
	}
	var theta mat.VecDense
	var half, cov mat.Dense
	theta.MulVec(to, mat.NewVecDense(2*k, f.theta))
	half.Mul(to, f.cov)
	cov.Mul(&half, to.T())
	return &fit{theta: theta.RawVector().Data, cov: symmetric(&cov), naive: f.naive[:k], df: f.df}
}

// openings returns the number of openings.
func openings(pairs []Pair) int {
	seen := map[uint64]bool{}
	for i := range pairs {
		seen[pairs[i].Opening] = true
	}
	return len(seen)
}

// fit is a solution of the score equations: coefficients in Elo, and their covariance.
type fit struct {
	theta    []float64
	cov      *mat.SymDense
	naive    []float64 // variances if all pairs were independent and as the model has them
	df       int       // openings less coefficients
	variance float64
}

// solve fits the expected scores of pairs, by Newton's method; nil if the equations are singular.
func solve(x *mat.Dense, pairs []Pair) *fit {
	n, p := x.Dims()
	theta, eta := mat.NewVecDense(p, nil), mat.NewVecDense(n, nil)
	rest, gradient, step := mat.NewVecDense(n, nil), mat.NewVecDense(p, nil), mat.NewVecDense(p, nil)
	weighted, information := mat.NewDense(n, p, nil), mat.NewSymDense(p, nil)
	var chol mat.Cholesky
	for range 30 {
		eta.MulVec(x, theta)
		for i := range n {
			score := 1 / (1 + math.Exp(-logitPerElo*eta.AtVec(i)))
			rest.SetVec(i, pairs[i].Score-score)
			root := math.Sqrt(score*(1-score)) * logitPerElo
			row, from := weighted.RawRowView(i), x.RawRowView(i)
			for j := range row {
				row[j] = root * from[j]
			}
		}
		gradient.MulVec(x.T(), rest)
		gradient.ScaleVec(logitPerElo, gradient)
		gradient.AddScaledVec(gradient, -weak, theta)
		information.SymOuterK(1, weighted.T())
		for j := range p {
			information.SetSym(j, j, information.At(j, j)+weak)
		}
		if !chol.Factorize(information) {
			return nil
		}
		_ = chol.SolveVecTo(step, gradient) // factorized, so at worst ill conditioned
		largest := mat.Norm(step, math.Inf(1))
		theta.AddScaledVec(theta, min(1, 400/largest), step)
		if largest < 1e-6 {
			break
		}
	}
	return sandwich(x, pairs, theta.RawVector().Data, rest.RawVector().Data, &chol)
}

// sandwich returns the fit with the covariance of P. J. Huber (1967), clustered by opening (K.-Y. Liang and S. Zeger
// 1986), times C/(C-p) for C openings and p coefficients.
func sandwich(x *mat.Dense, pairs []Pair, theta, rest []float64, information *mat.Cholesky) *fit {
	n, p := x.Dims()
	number, scores := map[uint64]int{}, mat.NewDense(n, p, nil)
	squares := 0.0
	for i := range pairs {
		c, known := number[pairs[i].Opening]
		if !known {
			c = len(number)
			number[pairs[i].Opening] = c
		}
		to, from := scores.RawRowView(c), x.RawRowView(i)
		for j := range to {
			to[j] += float64(logitPerElo * rest[i] * from[j])
		}
		squares += float64(rest[i] * rest[i])
	}
	c := len(number)
	var meat, inverse mat.SymDense
	meat.SymOuterK(float64(c)/float64(max(1, c-p)), scores.Slice(0, c, 0, p).T())
	if err := information.InverseTo(&inverse); err != nil && math.IsInf(information.Cond(), 1) {
		return nil
	}
	var half, all mat.Dense
	half.Mul(&inverse, &meat)
	all.Mul(&half, &inverse)
	f := &fit{theta: theta, cov: symmetric(&all), df: max(1, c-p), variance: squares / float64(max(1, n-p))}
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

// size is the root mean square of the first coefficients, less what their errors add.
func (f *fit) size(n int) float64 {
	sum := 0.0
	for j := range n {
		sum += f.theta[j]*f.theta[j] - f.cov.At(j, j)
	}
	return math.Sqrt(max(0, sum/float64(n)))
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

// Speed is what turning a factor on does to the speed of a player.
type Speed struct {
	Log2 num.Float `json:"log2"` // of nodes a second with it by those without it
	SE   num.Float `json:"se"`
}

// Speeds estimates what each factor does to speed, by least squares, from the logarithm (to base 2) of the speed of A
// by that of B in each pair. Pairs whose ratio is not finite are left out.
func (d *Design) Speeds(pairs []Pair, ratios []float64) []Speed {
	list := make([]Speed, d.Factors)
	for j := range list {
		list[j] = Speed{num.Unknown, num.Unknown}
	}
	var known []Pair
	var y []float64
	for i, ratio := range ratios {
		if !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
			known, y = append(known, pairs[i]), append(y, ratio)
		}
	}
	if openings(known) < openingsPerColumn*d.Factors+10 {
		return list
	}
	x := d.regressors(known, d.Factors)
	var chol mat.Cholesky
	var information mat.SymDense
	information.SymOuterK(1, x.T())
	if !chol.Factorize(&information) {
		return list
	}
	theta, rest := mat.NewVecDense(d.Factors, nil), mat.NewVecDense(len(y), nil)
	var moment mat.VecDense
	moment.MulVec(x.T(), mat.NewVecDense(len(y), y))
	_ = chol.SolveVecTo(theta, &moment) // factorized
	rest.MulVec(x, theta)
	rest.SubVec(mat.NewVecDense(len(y), y), rest)
	f := sandwich(x, known, theta.RawVector().Data, rest.RawVector().Data, &chol)
	for j := range list {
		list[j] = Speed{num.Float(f.theta[j]), num.Float(math.Sqrt(f.cov.At(j, j)) / logitPerElo)}
	}
	return list
}
