package screen

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
)

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
	g := group(known)
	if g.openings < openingsPerColumn*d.Factors+10 {
		return list
	}
	x := d.regressors(g.kinds, d.Factors)
	var chol mat.Cholesky
	var weighted mat.Dense
	var information mat.SymDense
	weighted.Apply(func(i, _ int, v float64) float64 { return v * math.Sqrt(g.size[i]) }, x)
	information.SymOuterK(1, weighted.T())
	if !chol.Factorize(&information) {
		return list
	}
	var theta, moment, fitted mat.VecDense
	moment.MulVec(x.T(), mat.NewVecDense(len(g.kinds), g.sums(func(i int) float64 { return y[i] })))
	_ = chol.SolveVecTo(&theta, &moment) // factorized
	fitted.MulVec(x, &theta)
	f := g.sandwich(x, theta.RawVector().Data, func(i int) float64 { return y[i] - fitted.AtVec(g.kind[i]) }, &chol)
	for j := range list {
		list[j] = Speed{num.Float(f.theta[j]), num.Float(math.Sqrt(f.cov.At(j, j)) / logitPerElo)}
	}
	return list
}
