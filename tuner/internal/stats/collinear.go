package stats

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Collinear is a set of coefficients that the data cannot distinguish: one of them is, but for the share
// Unexplained of its information, a combination of the others. Freeze it, or hold the group by a prior.
type Collinear struct {
	Coefficient string   `json:"coefficient"` // as "rook mg"
	Others      []string `json:"others"`      // that make it up, the weightiest first, with their factors
	// Unexplained is the share of the coefficient's information that the others do not have: 0 where it is
	// exactly their combination, and its inverse is the variance inflation factor.
	Unexplained float64 `json:"unexplained"`
	Exact       bool    `json:"exact"`
}

const (
	exactlyCollinear = 1e-9 // unexplained share below which only rounding is left
	nearlyCollinear  = 0.01 // below which a standard error is ten times what it would be alone
	smallestFactor   = 0.05 // of a coefficient worth naming in a combination
	mostOthers       = 8    // names listed for each
)

// FindCollinear finds exactly and nearly collinear coefficients by a Cholesky
// factorization of the information h, scaled to a unit diagonal, with complete
// pivoting: a pivot is what the coefficients before it leave unexplained.
func FindCollinear(h *mat.SymDense, names []string) (out []Collinear) {
	n := h.SymmetricDim()
	scale, unit := make([]float64, n), mat.NewSymDense(n, nil)
	for j := range n {
		if scale[j] = math.Sqrt(max(0, h.At(j, j))); scale[j] == 0 { // the data do not touch it
			continue
		}
		for i := range j {
			if scale[i] > 0 {
				unit.SetSym(i, j, h.At(i, j)/(scale[i]*scale[j]))
			}
		}
		unit.SetSym(j, j, 1) // exactly, so that the first of equal ones comes first
	}
	var c mat.PivotedCholesky
	c.Factorize(unit, nearlyCollinear) // ends at the first pivot below
	order, u := c.ColumnPivots(nil), c.RawU().(mat.RawTriangular).RawTriangular()
	u.N = c.Rank()
	for j := range n {
		at := slices.Index(order, j)
		if at < u.N || scale[j] == 0 {
			continue
		}
		b := make([]float64, u.N) // its column of the factor; then the solution x of U x = b
		for k := range b {
			b[k] = u.Data[k*u.Stride+at]
		}
		rest := 1 - num.Rounded(floats.Dot(b, b))
		blas64.Trsv(blas.NoTrans, u, blas64.Vector{N: u.N, Inc: 1, Data: b})
		for k := range b { // to the unit of counts: j = sum of b_k x coefficient k
			b[k] *= scale[j] / scale[order[k]]
		}
		out = append(out, Collinear{names[j], combination(b, order, names), max(0, rest), rest < exactlyCollinear})
	}
	slices.SortStableFunc(out, func(a, b Collinear) int { return cmp.Compare(a.Unexplained, b.Unexplained) })
	return out
}

// combination names the coefficients with the largest factors.
func combination(b []float64, order []int, names []string) (out []string) {
	var of []int
	for k := range b {
		if math.Abs(b[k]) >= smallestFactor {
			of = append(of, k)
		}
	}
	slices.SortStableFunc(of, func(x, y int) int { return cmp.Compare(math.Abs(b[y]), math.Abs(b[x])) })
	for i, k := range of {
		if i == mostOthers {
			return append(out, fmt.Sprintf("and %d more", len(of)-i))
		}
		out = append(out, fmt.Sprintf("%+.2g %s", b[k], names[order[k]]))
	}
	return out
}

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

// Bin compares predictions with results over a set of rows. Losses and means are by weight.
type Bin struct {
	Lo        float64 `json:"lo"` // predicted scores from Lo to below Hi, or phases from Lo to Hi
	Hi        float64 `json:"hi"`
	Rows      int64   `json:"rows"`
	Predicted float64 `json:"predicted"` // mean prediction, 0..1, White's view
	Actual    float64 `json:"actual"`    // mean target: results, mixed with scores where lambda < 1
	// SE is the standard error of Actual - Predicted where the prediction is right: the spread of rows, times
	// the root of the design effect's part that is due to clusters.
	SE    float64 `json:"se"`
	Start float64 `json:"loss_start"` // mean loss under the start weights
	Loss  float64 `json:"loss_fit"`   // mean loss under the fit
}

// Calibration compares what a fit predicts with the results, on the rows held out
// or, if there are none, on those trained on.
type Calibration struct {
	HeldOut bool  `json:"held_out"`
	ByScore []Bin `json:"by_score"` // by prediction, tenths
	ByPhase []Bin `json:"by_phase"` // 0-4, 5-9, 10-14, 15-19, 20-24
	Rows    int64 `json:"rows"`
}

const (
	scoreBins = 10
	phaseBins = 5
)

// binSums are the sums of a Bin.
type binSums struct {
	rows                                           int64
	weight, predicted, actual, spread, start, loss float64
}

func (b *binSums) add(o *binSums) {
	b.rows += o.rows
	b.weight += o.weight
	b.predicted += o.predicted
	b.actual += o.actual
	b.spread += o.spread
	b.start += o.start
	b.loss += o.loss
}

// bin returns the means; clustering is by how much rows of a cluster inflate a variance.
func (b *binSums) bin(lo, hi, clustering float64) Bin {
	w := b.weight
	return Bin{
		Lo: lo, Hi: hi, Rows: b.rows, Predicted: objective.Ratio(b.predicted, w), Actual: objective.Ratio(b.actual, w),
		SE: objective.Ratio(math.Sqrt(b.spread*clustering), w), Start: objective.Ratio(b.start,
			w), Loss: objective.Ratio(b.loss, w),
	}
}

// calibrationSums are by prediction, and after these by phase.
type calibrationSums [scoreBins + phaseBins]binSums

// Calibrate compares the predictions of coefficients w with the targets, and their losses with the start weights'.
// Clustering is by how much rows of a cluster inflate a variance.
func Calibrate(ctx context.Context, p *objective.Problem, start, w objective.Tapered,
	clustering float64) (out Calibration, err error) {
	s := p.Store
	losses := make([][]float32, len(s.Chunks)) // under the start weights
	err = objective.Evaluate(ctx, s, p.Workers, start, func(t *objective.Scratch, i int) {
		losses[i] = make([]float32, s.Chunks[i].Rows)
		for j := range losses[i] {
			v, _, _ := p.Loss.At(p.K, t.X[j], float64(p.Target[i][j]))
			losses[i][j] = float32(v)
		}
	}, func(*objective.Scratch, int) {})
	if err != nil {
		return out, err
	}
	var sides [2]calibrationSums // one pass takes both sides of the split
	parts := make([][2]calibrationSums, len(s.Chunks))
	err = objective.Evaluate(ctx, s, p.Workers, w, func(t *objective.Scratch, i int) {
		for j := range losses[i] {
			calibrateRow(p, &parts[i], i, j, t.X[j], float64(losses[i][j]))
		}
	}, func(_ *objective.Scratch, i int) {
		for side := range sides {
			for b := range sides[side] {
				sides[side][b].add(&parts[i][side][b])
			}
		}
	})
	side := &sides[objective.HeldOut]
	out.HeldOut = slices.ContainsFunc(side[:], func(b binSums) bool { return b.rows > 0 })
	if !out.HeldOut {
		side = &sides[objective.Trained]
	}
	for i := range scoreBins {
		out.ByScore = append(out.ByScore, side[i].bin(float64(i)/scoreBins, float64(i+1)/scoreBins, clustering))
	}
	for i := range phaseBins {
		const width = (rows.MaxPhase + 1) / phaseBins
		b := &side[scoreBins+i]
		out.Rows += b.rows
		out.ByPhase = append(out.ByPhase, b.bin(float64(i*width), float64(i*width+width-1), clustering))
	}
	return out, err
}

func calibrateRow(p *objective.Problem, to *[2]calibrationSums, i, j int, x, start float64) {
	c, y := p.Store.Chunks[i], float64(p.Target[i][j])
	side, o := p.Side(i, j)
	if o == 0 {
		return
	}
	v, _, _ := p.Loss.At(p.K, x, y)
	q := objective.Sigmoid(p.K * x)
	b := binSums{1, o, o * q, o * y, o * o * (y - q) * (y - q), o * start, o * v}
	to[side][min(scoreBins-1, int(q*scoreBins))].add(&b)
	to[side][scoreBins+min(phaseBins-1, c.PhaseOf(j)*phaseBins/(rows.MaxPhase+1))].add(&b)
}
