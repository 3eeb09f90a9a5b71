package screen

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
)

// grid are the standard deviations, in Elo, that effects may have: evenly spaced logarithms.
var grid = func() (list [24]float64) {
	for i := range list {
		list[i] = 0.25 * math.Pow(1.4, float64(i))
	}
	return list
}()

// mainPrior is the density of the standard deviation of main effects: half a Cauchy distribution (A. Gelman 2006)
// with a median of 15 Elo.
func mainPrior(sd float64) float64 { return 1 / (1 + sd*sd/(15*15)) }

// spread is what estimates say of the standard deviation of effects: the posterior weight of each of the grid. The
// estimates and their errors are in the axes in which the errors are independent.
type spread struct {
	axes    mat.Dense
	errors  []float64 // variances
	theta   []float64
	weights [len(grid)]float64
}

// newSpread returns the spread of effects that are normal around zero, with a prior of their standard deviation.
func newSpread(theta []float64, cov *mat.SymDense, prior func(sd float64) float64) *spread {
	var eigen mat.EigenSym
	s := &spread{theta: make([]float64, len(theta))}
	if !eigen.Factorize(cov, true) {
		return s
	}
	s.errors = eigen.Values(nil)
	eigen.VectorsTo(&s.axes)
	mat.NewVecDense(len(theta), s.theta).MulVec(s.axes.T(), mat.NewVecDense(len(theta), theta))
	for i, sd := range grid {
		s.weights[i] = math.Log(prior(sd) * sd)
		for j, x := range s.theta {
			v := s.errors[j] + sd*sd
			s.weights[i] -= (math.Log(v) + x*x/v) / 2
		}
	}
	most, total := slices.Max(s.weights[:]), 0.0
	for i, log := range s.weights {
		s.weights[i] = math.Exp(log - most)
		total += s.weights[i]
	}
	floats.Scale(1/total, s.weights[:])
	return s
}

// mean returns that of a function of the variance of effects.
func (s *spread) mean(of func(v float64) float64) (mean float64) {
	for i, w := range s.weights {
		mean += w * of(grid[i]*grid[i])
	}
	return mean
}

// back turns coordinates into those of the estimates.
func (s *spread) back(of func(axis int) float64) *mat.VecDense {
	along := make([]float64, len(s.theta))
	for j := range along {
		along[j] = of(j)
	}
	var v mat.VecDense
	v.MulVec(&s.axes, mat.NewVecDense(len(along), along))
	return &v
}

// shrink returns the posterior mean and covariance of effects that were estimated with a covariance, if they are
// normal around zero: which level of a factor is called "on" is arbitrary. Their standard deviation is not known: it
// is averaged over what the estimates say of it.
func shrink(theta []float64, cov *mat.SymDense, prior func(sd float64) float64) ([]float64, *mat.SymDense) {
	n, s := len(theta), newSpread(theta, cov, prior)
	share := func(j int, v float64) float64 { return v / (s.errors[j] + v) } // of an estimate that is kept
	kept := make([]float64, n)
	for j := range n {
		kept[j] = s.mean(func(v float64) float64 { return share(j, v) })
	}
	post := mat.NewSymDense(n, nil)
	for j := range n {
		for k := range j + 1 {
			both := s.mean(func(v float64) float64 { return share(j, v) * share(k, v) })
			post.SetSym(j, k, (both-kept[j]*kept[k])*s.theta[j]*s.theta[k])
		}
		post.SetSym(j, j, post.At(j, j)+kept[j]*s.errors[j])
	}
	var half, all mat.Dense
	half.Mul(&s.axes, post)
	all.Mul(&half, s.axes.T())
	return s.back(func(j int) float64 { return kept[j] * s.theta[j] }).RawVector().Data, symmetric(&all)
}

// interactionPrior returns the variance of an interaction, from estimates of some, which may be none, and the size of
// main effects: interactions are thought to be smaller, about a third.
func interactionPrior(theta []float64, cov *mat.SymDense, main float64) (variance float64) {
	scale := max(3, main/3)
	if len(theta) == 0 {
		return scale * scale
	}
	prior := func(sd float64) float64 { return math.Exp(-sd * sd / (2 * scale * scale)) }
	return newSpread(theta, cov, prior).mean(func(v float64) float64 { return v })
}

// bends is the standard deviation, per Elo, of how fast effects shrink while strength grows: a third for each 100 Elo.
const bends = 0.003

// gain sets the best set and what it should gain against all off. Main effects are those with the others at random.
// The gain differs by interactions of factors of the set with others, whose variance is given; those of three are
// thought to be two thirds as large. And it differs if strength saturates, which pairs of rows show: see curvature.
func (d *Design) gain(e *Estimate, mean []float64, post *mat.SymDense, interaction float64) {
	on := mat.NewVecDense(d.Factors, nil)
	for j, m := range mean {
		if m > 0 && e.Effects[j].Known() {
			e.Best |= 1 << j
			on.SetVec(j, 1)
		}
	}
	n, size := float64(d.Factors), float64(e.Best.Size())
	rest := n - size
	curve, curveSE := d.curvature(e.games, mean)
	squares := (square(middle(mean, e.Best)) - square(middle(mean, 0))) / 2
	gain := mat.Dot(on, mat.NewVecDense(d.Factors, mean)) - curve*squares
	two, three := size*rest/4, (size*rest*(rest-1)/2+size*(size-1)*(size-2)/6)/16
	sd := math.Sqrt(mat.Inner(on, post, on) + interaction*(two+three*4/9) + square(curveSE*squares))
	e.InteractionSD = num.Float(math.Sqrt(interaction))
	e.Gain, e.GainLo, e.GainHi = num.Float(gain), num.Float(gain-1.96*sd), num.Float(gain+1.96*sd)
}

func square(x float64) float64 { return x * x }

// middle returns the strength of a subset by main effects, from the mean of all subsets.
func middle(effects []float64, s Subset) (elo float64) {
	for j, x := range effects {
		elo += x / 2 * s.level(j)
	}
	return elo
}

// curvature returns by how much effects shrink for each Elo of strength, and its error: the coefficient of the square
// of the sum of main effects (J. W. Tukey's one degree of freedom for non-additivity, 1949), shrunk to zero.
func (d *Design) curvature(g *grouped, effects []float64) (curve, se float64) {
	x := mat.DenseCopyOf(d.regressors(g.kinds, d.Factors).Grow(0, 1))
	for i, p := range g.kinds {
		x.Set(i, d.Factors, -(square(middle(effects, p.A))-square(middle(effects, p.B)))/2)
	}
	f := g.solve(x)
	if f == nil {
		return 0, bends
	}
	v := f.cov.At(d.Factors, d.Factors)
	known := bends * bends / (bends*bends + v)
	return known * f.theta[d.Factors], math.Sqrt(known * v)
}
