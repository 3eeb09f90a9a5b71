package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// GroupGain says what tuning a group of terms was worth.
type GroupGain struct {
	Name       string  `json:"name"`
	Parameters int     `json:"parameters"`
	Effective  float64 `json:"effective_parameters"` // how many of them the data determined
	// Gain is by how much the mean training loss (with the prior) would be larger if the group had kept its
	// start weights and all other terms had been tuned without it, predicted by the quadratic around the fit.
	Gain float64 `json:"gain"`
	// Net is the gain to expect on other games: from Gain is taken what parameters that say nothing would gain
	// by chance, and what their chance values cost elsewhere, D x Effective / rows in all (Takeuchi's
	// criterion).
	Net float64 `json:"net_gain"`
}

// GroupGains computes the gains of all groups at the fit: for parameters S it is
// theta_S' (A^-1_SS)^-1 theta_S / 2, theta_S their changes from the start.
// rows is the weight of all rows trained on, design the design effect.
func (v *Covariance) GroupGains(terms []rows.Term, design, rows float64) (out []GroupGain) {
	q := v.o.Params
	for _, name := range objective.GroupNames(terms) {
		g := GroupGain{Name: name}
		var of []int
		taken := make(map[int]bool)
		for t, term := range terms {
			if term.Group != name {
				continue
			}
			for _, j := range [2]int{q.MG[t], q.EG[t]} {
				if j != objective.Fixed && !taken[j] && !q.Stuck(j) {
					taken[j] = true
					of = append(of, j)
				}
			}
		}
		if g.Parameters = len(of); g.Parameters == 0 {
			continue
		}
		for _, j := range of {
			g.Effective += v.Share(j)
		}
		g.Gain = v.wald(of) / 2 / rows
		g.Net = g.Gain - design*g.Effective/rows
		out = append(out, g)
	}
	return out
}

// wald returns theta_S' (A^-1_SS)^-1 theta_S, the A of the sum of losses.
func (v *Covariance) wald(of []int) float64 {
	n := len(of)
	block, x := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	largest := 0.0
	for i, j := range of {
		x.SetVec(i, v.theta[j])
		for k := i; k < n; k++ {
			block.SetSym(i, k, v.inverse.At(j, of[k]))
		}
		largest = math.Max(largest, block.At(i, i))
	}
	for i := range of { // a parameter that nothing moves has no variance either
		block.SetSym(i, i, block.At(i, i)+num.Rounded(1e-12*largest))
	}
	factor := optimize.Factorize(block)
	if factor == nil {
		return 0
	}
	minus, err := factor.Solve(x.RawVector().Data)
	if err != nil {
		return 0
	}
	return -floats.Dot(minus, x.RawVector().Data)
}
