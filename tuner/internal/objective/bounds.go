package objective

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// HoldOut returns m without the rows and columns of parameters held at their limit: they do not move with the data.
func (p *Params) HoldOut(m *mat.SymDense) *mat.SymDense {
	if p.Box == nil || !slices.Contains(p.Box.Held, true) {
		return m
	}
	out := mat.NewSymDense(p.N, nil)
	for j := range p.N {
		for k := j; k < p.N; k++ {
			if !p.Box.Held[j] && !p.Box.Held[k] {
				out.SetSym(j, k, m.At(j, k))
			}
		}
	}
	return out
}

// Stuck reports whether parameter j is held at its limit, because the loss falls beyond it.
func (p *Params) Stuck(j int) bool { return p.Box != nil && p.Box.Held[j] }

// Limit keeps coefficients that no prior holds within that many centipawns of 0, or of their start value: a term that
// always wins has no finite optimum. An infinite limit is none.
func (p *Params) Limit(limit float64) {
	if math.IsInf(limit, 1) {
		return
	}
	for t := range p.MG {
		for _, h := range [2]struct {
			j     int
			start float64
		}{{p.MG[t], p.Start.MG[t]}, {p.EG[t], p.Start.EG[t]}} {
			if h.j == Fixed || p.Precision(h.j) > 0 {
				continue
			}
			if p.Box == nil {
				p.Box = optimize.NewBox(p.N)
			}
			reach := max(limit, math.Abs(h.start))
			p.Box.Lo[h.j] = max(p.Box.Lo[h.j], -reach-h.start)
			p.Box.Hi[h.j] = min(p.Box.Hi[h.j], reach-h.start)
		}
	}
}

// Trust keeps coefficients within a distance of their start values: reach divided by what the term typically counts. An
// infinite reach is none.
func (p *Params) Trust(reach float64, typical []float64) {
	if math.IsInf(reach, 1) {
		return
	}
	if p.Box == nil {
		p.Box = optimize.NewBox(p.N)
	}
	for t := range p.MG {
		for _, j := range [2]int{p.MG[t], p.EG[t]} {
			if j != Fixed {
				p.Box.Lo[j], p.Box.Hi[j] = max(p.Box.Lo[j], -reach/typical[t]), min(p.Box.Hi[j], reach/typical[t])
			}
		}
	}
}

// Pin returns the first theta of a fit: no change, but for limited parameters whose
// every row says the same. These are at their limit, which is where they would end.
func (p *Params) Pin(ctx context.Context, problem *Problem) ([]float64, error) {
	theta := make([]float64, p.N)
	if p.Box == nil || problem.Store.Nonlinear() != nil { // rows push a bent term both ways
		return theta, nil
	}
	way, err := p.oneSided(ctx, problem)
	if err != nil {
		return nil, err
	}
	for j, w := range way {
		if p.Precision(j) == 0 && !math.IsInf(p.Box.Hi[j], 1) && (w == upward || w == downward) {
			theta[j], p.Box.Held[j] = p.Box.Hi[j], true
			if w == downward {
				theta[j] = p.Box.Lo[j]
			}
		}
	}
	return theta, nil
}

// Ways in which rows want a parameter to go, as a set.
const (
	upward   = 1
	downward = 2
)

// oneSided returns the ways in which the rows that are won or lost want each parameter to
// go. Other rows have a prediction that is best, and want both.
func (p *Params) oneSided(ctx context.Context, problem *Problem) ([]uint8, error) {
	way := make([]uint8, p.N)
	sum := make([]float64, p.N)
	var touched []int
	err := problem.Store.EachRow(ctx, func(chunk, row int, entries []rows.Entry) {
		c := problem.Store.Chunks[chunk]
		if problem.Omega[chunk][row] <= 0 || c.ScaleOf(row) == 0 {
			return
		}
		touched = touched[:0]
		add := func(j int, v float64) {
			sum[j] += v
			touched = append(touched, j)
		}
		a, b := c.Factors(row)
		for _, e := range entries {
			if j := p.MG[e.Term]; j != Fixed {
				add(j, a*float64(e.Count))
				add(p.EG[e.Term], b*float64(e.Count))
			}
		}
		y, sign := problem.Target[chunk][row], math.Copysign(1, c.ScaleOf(row))
		for _, j := range touched {
			switch v := sign * sum[j]; {
			case v == 0:
			case y > 0 && y < 1:
				way[j] |= upward | downward
			case (v > 0) == (y == 1):
				way[j] |= upward
			default:
				way[j] |= downward
			}
			sum[j] = 0
		}
	})
	return way, err
}
