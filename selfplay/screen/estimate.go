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

// Test is a chi-square test that something is zero.
type Test struct {
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

	Best Subset `json:"best"` // the factors whose effect is above zero

	games     *grouped
	all, main *fit // all coefficients of the design; the effects. Nil if they are unknown
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

// fill sets the effects.
func (d *Design) fill(e *Estimate, f *fit) {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(f.df)}
	width := t.Quantile(0.975)
	for j := range e.Effects {
		elo, se := f.theta[j], math.Sqrt(f.cov.At(j, j))
		if f.naive[j] > 1000*1000 { // its factor never changed
			continue
		}
		x := &e.Effects[j]
		x.Strength = sprt.Strength{Elo: num.Float(elo), EloLo: num.Float(elo - width*se), EloHi: num.Float(elo + width*se)}
		x.SE, x.P = num.Float(se), num.Float(2*t.Survival(math.Abs(elo)/se))
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

// interact sets the interactions of a random design.
func (d *Design) interact(e *Estimate, f *fit) {
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

// last returns the effects in the last stratum and, after them, by how much those of the others differ; nil: unknown.
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
