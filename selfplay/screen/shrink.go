package screen

import (
	"math"

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

// shrink returns the posterior mean and covariance of effects that were estimated with a covariance, if they are
// normal around zero: which level of a factor is called "on" is arbitrary. Their standard deviation is not known: it
// is averaged over what the estimates say of it.
func shrink(theta []float64, cov *mat.SymDense, prior func(sd float64) float64) ([]float64, *mat.SymDense) {
	n := len(theta)
	mean, second := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	overSD(theta, cov, prior, func(weight, sd float64, inverse *mat.SymDense, scaled *mat.VecDense) {
		v := sd * sd
		m := mat.NewVecDense(n, nil)
		m.ScaleVec(v, scaled)
		mean.AddScaledVec(mean, weight, m)
		second.SymRankOne(second, weight, m)
		inverse.ScaleSym(-weight*v*v, inverse)
		second.AddSym(second, inverse)
		for j := range n {
			second.SetSym(j, j, second.At(j, j)+weight*v)
		}
	})
	second.SymRankOne(second, -1, mean)
	return mean.RawVector().Data, second
}

// overSD calls visit with each standard deviation that effects may have and its posterior weight; with the inverse
// of the covariance that the estimates then have, and that times the estimates.
func overSD(theta []float64, cov *mat.SymDense, prior func(sd float64) float64,
	visit func(weight, sd float64, inverse *mat.SymDense, scaled *mat.VecDense)) {
	n := len(theta)
	type point struct {
		log     float64
		inverse mat.SymDense
		scaled  mat.VecDense
	}
	var points [len(grid)]point
	most := math.Inf(-1)
	for i, sd := range grid {
		p := &points[i]
		sum := mat.NewSymDense(n, nil)
		sum.CopySym(cov)
		for j := range n {
			sum.SetSym(j, j, sum.At(j, j)+sd*sd)
		}
		var chol mat.Cholesky
		if !chol.Factorize(sum) || chol.InverseTo(&p.inverse) != nil {
			p.log = math.Inf(-1)
			continue
		}
		t := mat.NewVecDense(n, theta)
		p.scaled.MulVec(&p.inverse, t)
		p.log = -(chol.LogDet()+mat.Dot(t, &p.scaled))/2 + math.Log(prior(sd)*sd)
		most = max(most, p.log)
	}
	total := 0.0
	for i := range points {
		total += math.Exp(points[i].log - most)
	}
	for i, sd := range grid {
		if p := &points[i]; !math.IsInf(p.log, -1) {
			visit(math.Exp(p.log-most)/total, sd, &p.inverse, &p.scaled)
		}
	}
}

// interactionPrior returns the variance of an interaction, from estimates of some, which may be none, and the size of
// main effects: interactions are thought to be smaller, about a third.
func interactionPrior(theta []float64, cov *mat.SymDense, main float64) (variance float64) {
	scale := max(3, main/3)
	prior := func(sd float64) float64 { return math.Exp(-sd * sd / (2 * scale * scale)) }
	if len(theta) == 0 {
		return scale * scale
	}
	overSD(theta, cov, prior, func(weight, sd float64, _ *mat.SymDense, _ *mat.VecDense) { variance += weight * sd * sd })
	return variance
}

// bends is the standard deviation, per Elo, of how fast effects shrink while strength grows: a third for each 100 Elo.
const bends = 0.003

// gain sets the best set and what it should gain against all off. Main effects are those with the others at random.
// The gain differs by interactions of factors of the set with others, whose variance is given; those of three are
// thought to be half as large. And it differs if strength saturates, which pairs of rows show: see curvature.
func (d *Design) gain(e *Estimate, pairs []Pair, mean []float64, post *mat.SymDense, interaction float64) {
	on := mat.NewVecDense(d.Factors, nil)
	for j, m := range mean {
		if m > 0 && e.Effects[j].Known() {
			e.Best |= 1 << j
			on.SetVec(j, 1)
		}
	}
	n, size := float64(d.Factors), float64(e.Best.Size())
	rest := n - size
	curve, curveSE := d.curvature(pairs, mean)
	squares := (square(middle(mean, e.Best)) - square(middle(mean, 0))) / 2
	gain := mat.Dot(on, mat.NewVecDense(d.Factors, mean)) - curve*squares
	two, three := size*rest/4, (size*rest*(rest-1)/2+size*(size-1)*(size-2)/6)/16
	sd := math.Sqrt(mat.Inner(on, post, on) + interaction*(two+three/4) + square(curveSE*squares))
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
func (d *Design) curvature(pairs []Pair, effects []float64) (curve, se float64) {
	x := mat.DenseCopyOf(d.regressors(pairs, d.Factors).Grow(0, 1))
	for i := range pairs {
		x.Set(i, d.Factors, -(square(middle(effects, pairs[i].A))-square(middle(effects, pairs[i].B)))/2)
	}
	f := solve(x, pairs)
	if f == nil {
		return 0, bends
	}
	v := f.cov.At(d.Factors, d.Factors)
	known := bends * bends / (bends*bends + v)
	return known * f.theta[d.Factors], math.Sqrt(known * v)
}
