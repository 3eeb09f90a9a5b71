package stats

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// GroupGain says what tuning a group of terms was worth.
type GroupGain struct {
	Name       string  `json:"name"`
	Parameters int     `json:"parameters"`
	Effective  float64 `json:"effective_parameters"` // how many of them the data determined
	// Gain is by how much the mean training loss (with the prior) would be
	// larger if the group had kept its start weights and all other terms had
	// been tuned without it, predicted by the quadratic around the fit.
	Gain float64 `json:"gain"`
	// Net is the gain to expect on other games: from Gain is taken what
	// parameters that say nothing would gain by chance, and what their chance
	// values cost elsewhere, D x Effective / rows in all (Takeuchi's
	// criterion).
	Net float64 `json:"net_gain"`
}

// Gains knows what group gains are made of: Covariance or Large.
type Gains interface {
	// share returns how many of the parameters S the data determine.
	share(o *objective.Penalized, of []int) float64
	// wald returns theta_S' (A^-1_SS)^-1 theta_S, the A of the sum of losses.
	wald(ctx context.Context, of []int, theta []float64) (float64, error)
}

// GroupGains computes the gains of all groups at the fit: for parameters S it is
// theta_S' (A^-1_SS)^-1 theta_S / 2, theta_S their changes from the start.
// rows is the weight of all rows trained on.
func GroupGains(ctx context.Context, v Gains, o *objective.Penalized, terms []rows.Term, theta []float64, rows float64) ([]GroupGain, error) {
	var out []GroupGain
	for _, name := range objective.GroupNames(terms) {
		g := GroupGain{Name: name}
		var of []int
		taken := make(map[int]bool)
		for t, term := range terms {
			if term.Group != name {
				continue
			}
			for _, j := range [2]int{o.Params.MG[t], o.Params.EG[t]} {
				if j != objective.Fixed && !taken[j] && !o.Params.Stuck(j) {
					taken[j] = true
					of = append(of, j)
				}
			}
		}
		if g.Parameters = len(of); g.Parameters == 0 {
			continue
		}
		wald, err := v.wald(ctx, of, theta)
		if err != nil {
			return nil, err
		}
		g.Effective = v.share(o, of)
		g.Gain = wald / 2 / rows
		g.Net = g.Gain - o.Design*g.Effective/rows
		out = append(out, g)
	}
	return out, nil
}

// share implements Gains.
func (v *Covariance) share(o *objective.Penalized, of []int) float64 {
	total := 0.0
	for _, j := range of {
		total += v.Share(o, j)
	}
	return total
}

// wald implements Gains.
func (v *Covariance) wald(_ context.Context, of []int, theta []float64) (float64, error) {
	n := len(of)
	block, x := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	largest := 0.0
	for i, j := range of {
		x.SetVec(i, theta[j])
		for k := i; k < n; k++ {
			block.SetSym(i, k, v.Inverse.At(j, of[k]))
		}
		largest = math.Max(largest, block.At(i, i))
	}
	for i := range of { // a parameter that nothing moves has no variance either
		block.SetSym(i, i, block.At(i, i)+float64(1e-12*largest))
	}
	factor := optimize.Factorize(block)
	if factor == nil {
		return 0, nil
	}
	minus, err := factor.Solve(x.RawVector().Data)
	if err != nil {
		return 0, nil
	}
	return -floats.Dot(minus, x.RawVector().Data), nil
}
