package screen

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Variance returns that of the score of a pair of independent games between equals, with a share of draws.
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

// AtBase returns the standard errors of the effects of k factors at the base, all others off, after a number of pairs.
// Subsets of m factors play against the base. Or two disjoint subsets of m play against each other, which tells only
// by how much each effect differs from their mean. One of m = 1 against the base is one factor at a time.
func AtBase(k, m int, pairs uint64, variance float64) (effect, fromMean float64) {
	one := math.Sqrt(variance/float64(pairs)) / (logitPerElo / 4)
	n, s := float64(k), float64(m)
	// The information of a pair is a on the diagonal and b elsewhere; the variance is the diagonal of its inverse.
	a, b := s/n, s*(s-1)/(n*(n-1))
	if b < a {
		effect = one * math.Sqrt((1-1/n)/(a-b)+1/(n*(a+(n-1)*b)))
	} else {
		effect = math.Inf(1) // always the same subset
	}
	return effect, one * math.Sqrt((1-1/n)/(2*s/(n-1)))
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
