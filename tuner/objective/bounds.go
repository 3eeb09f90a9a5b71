package objective

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// Bound limits both values of a term, in centipawns.
type Bound struct{ Lo, Hi float64 }

// Bound sets the bounds of the parameters, as changes from the start values.
func (p *Params) Bound(terms []rows.Term, bounds map[string]Bound) error {
	names := slices.Sorted(maps.Keys(bounds))
	for _, name := range names {
		if b := bounds[name]; !(b.Lo <= b.Hi) {
			return fmt.Errorf("%w: bounds of %s from %v to %v", ErrConfig, name, b.Lo, b.Hi)
		}
	}
	if err := checkNames(terms, names); err != nil {
		return err
	}
	b := optimize.NewBox(p.N)
	p.Box = b
	for t, term := range terms {
		bound, ok := bounds[term.Name]
		if !ok {
			if bound, ok = bounds[term.Group]; !ok {
				continue
			}
		}
		for _, h := range [2]struct {
			j     int
			start float64
		}{{p.MG[t], p.Start.MG[t]}, {p.EG[t], p.Start.EG[t]}} {
			if h.j == Fixed {
				continue
			}
			b.Lo[h.j], b.Hi[h.j] = max(b.Lo[h.j], bound.Lo-h.start), min(b.Hi[h.j], bound.Hi-h.start)
			if b.Lo[h.j] > b.Hi[h.j] {
				return fmt.Errorf("%w: the bounds of terms tied to %s leave nothing", ErrConfig, term.Name)
			}
		}
	}
	return nil
}

// HoldOut returns m without the rows and columns of parameters held at a bound: they do not move with the data.
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

// Stuck reports whether parameter j is held at a bound.
func (p *Params) Stuck(j int) bool { return p.Box != nil && p.Box.Held[j] }

// Limit keeps coefficients that neither a prior nor a bound holds within that many centipawns of 0, or of their
// start value: a term that always wins has no finite optimum. An infinite limit is none.
func (p *Params) Limit(limit float64) {
	if math.IsInf(limit, 1) {
		return
	}
	for t := range p.MG {
		for _, h := range [2]struct {
			j     int
			start float64
		}{{p.MG[t], p.Start.MG[t]}, {p.EG[t], p.Start.EG[t]}} {
			if h.j == Fixed || p.Precision(h.j) > 0 || p.bounded(h.j) {
				continue
			}
			if p.limited == nil {
				p.limited = optimize.NewBox(p.N)
			}
			reach := max(limit, math.Abs(h.start))
			p.limited.Lo[h.j] = max(p.limited.Lo[h.j], -reach-h.start)
			p.limited.Hi[h.j] = min(p.limited.Hi[h.j], reach-h.start)
		}
	}
	if p.limited == nil {
		return
	}
	if p.Box == nil {
		p.Box = optimize.NewBox(p.N)
	}
	p.Box.Strict = true
	for j := range p.N {
		p.Box.Lo[j], p.Box.Hi[j] = max(p.Box.Lo[j], p.limited.Lo[j]), min(p.Box.Hi[j], p.limited.Hi[j])
	}
}

// bounded reports whether the caller has bounded parameter j.
func (p *Params) bounded(j int) bool {
	return p.Box != nil && !(math.IsInf(p.Box.Lo[j], -1) && math.IsInf(p.Box.Hi[j], 1))
}

// Unbounded reports whether parameter j is held at its limit, because the loss falls beyond it.
func (p *Params) Unbounded(j int) bool {
	return p.limited != nil && p.Stuck(j) && !math.IsInf(p.limited.Hi[j], 1)
}

// Pin returns the first theta of a fit: no change, but for limited parameters of which
// every row says the same. These are at their limit, which is where they would end.
func (p *Params) Pin(ctx context.Context, problem *Problem) ([]float64, error) {
	theta := make([]float64, p.N)
	if p.limited == nil || problem.Store.Bend() != nil { // rows push a bent term both ways
		return theta, nil
	}
	way, err := p.oneSided(ctx, problem)
	if err != nil {
		return nil, err
	}
	for j, w := range way {
		if !math.IsInf(p.limited.Hi[j], 1) && (w == upward || w == downward) {
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
