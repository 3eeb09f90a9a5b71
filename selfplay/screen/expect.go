package screen

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// What a fit that predicts a gain for each factor is thought to be worth: this many Elo a factor of typical gain, give
// or take.
const gainMean, gainSD = 2.0, 3.0

// Expect returns what to expect of each effect, in Elo, where something else than games predicts gains, such as the
// fit that made groups of weights: effects are normal around the gains times a factor that is not known well, with a
// standard deviation that is averaged over what the estimates say of it. Gains are in any unit; nil if the effects are
// not known.
func (e *Estimate) Expect(gains []float64) []float64 {
	n := len(e.Effects)
	squares := 0.0
	for j := range e.Effects {
		if !e.Effects[j].Known() {
			return nil
		}
		squares += gains[j] * gains[j]
	}
	if squares == 0 {
		squares = 1
	}
	g, cov := make([]float64, n), mat.NewSymDense(n, nil)
	theta := make([]float64, n)
	for j := range g {
		g[j] = gains[j] / math.Sqrt(squares/float64(n))
		theta[j] = float64(e.Effects[j].Elo) - gainMean*g[j]
	}
	for j := range n {
		for k := j; k < n; k++ {
			cov.SetSym(j, k, e.Covariance[j][k]+gainSD*gainSD*g[j]*g[k])
		}
	}
	s := newSpread(theta, cov, mainPrior)
	each := s.back(func(j int) float64 {
		return s.theta[j] * s.mean(func(v float64) float64 { return v / (s.errors[j] + v) })
	})
	both := s.back(func(j int) float64 {
		return s.theta[j] * s.mean(func(v float64) float64 { return 1 / (s.errors[j] + v) })
	})
	along := mat.NewVecDense(n, g)
	each.AddScaledVec(each, gainMean+gainSD*gainSD*mat.Dot(along, both), along)
	return each.RawVector().Data
}

// Worth returns the Elo that a screen of groups of a fit should add, with pairs of games whose score has a variance. It
// is the mean over three fits: one whose groups gain as above, one of chance, and one that harms. Without a screen a
// gate takes the fit if all of it gains; with one, groups stay whose posterior mean is above zero.
func Worth(groups int, pairs uint64, variance float64) float64 {
	n, se, sum := float64(groups), Precision(pairs, variance), 0.0
	for _, fit := range [...]struct{ mean, sd float64 }{{gainMean, gainSD}, {0, 5}, {-3, 8}} {
		sum += n*positive(fit.mean, fit.sd*fit.sd/math.Hypot(fit.sd, se)) - positive(n*fit.mean, math.Sqrt(n)*fit.sd)
	}
	return sum / 3
}

// WorthAsGames returns the Elo that a fit of groups should gain by more games to learn from, that many times those it
// has. A fit to n games is thought to gain n/(n+h) of what it would gain by endless ones; h is where more games help
// most.
func WorthAsGames(groups int, more float64) float64 {
	return float64(groups) * gainMean * (math.Sqrt(1+more) - 1)
}

// positive returns the mean of a normal variable where what is below zero counts as zero.
func positive(mean, sd float64) float64 {
	return mean*distuv.UnitNormal.CDF(mean/sd) + sd*distuv.UnitNormal.Prob(mean/sd)
}
