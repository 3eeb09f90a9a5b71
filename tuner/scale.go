package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Bounds of K: a hundred centipawns are worth between 0.06 % and 99.995 %.
const (
	minK = 1e-5
	maxK = 0.1
)

// ErrScale means that no sensible K fits: the evaluations say nothing about
// the results, or foretell them perfectly.
var ErrScale = errors.New("no scale K fits")

// kSums are the derivatives of a sum of losses with respect to ln K: the first
// and the Gauss-Newton second.
type kSums struct{ first, second float64 }

// add counts a row of weight omega whose evaluation is x centipawns.
func (s *kSums) add(loss Loss, k, x, y, omega float64) {
	// The derivative with respect to K is that with respect to x times x/K.
	slope, curvature := loss.slopeAt(k, x, y)
	s.first += omega * slope * x
	s.second += omega * curvature * x * x
}

// FitK returns the K of the sigmoid for which evaluations x in centipawns
// predict the targets y with the smallest loss, rows weighted by omega. Rows
// of omega 0 are left out.
func FitK(loss Loss, x []float64, y, omega []float32) (float64, error) {
	return searchK(func(k float64) (s kSums, err error) {
		for i, o := range omega {
			if o > 0 {
				s.add(loss, k, x[i], float64(y[i]), float64(o))
			}
		}
		return s, nil
	})
}

// searchK is a Newton iteration on ln K, kept within a bracket by bisection.
func searchK(at func(k float64) (kSums, error)) (float64, error) {
	lo, hi := math.Log(minK), math.Log(maxK)
	s, err := at(minK)
	if err != nil {
		return 0, err
	}
	if !(s.first < 0) {
		return 0, fmt.Errorf("%w: the start weights do not foretell the results at all", ErrScale)
	}
	if s, err = at(maxK); err != nil {
		return 0, err
	}
	if !(s.first > 0) {
		return 0, fmt.Errorf("%w: the start weights foretell every result (is the result encoded in the data?)", ErrScale)
	}
	now := math.Log(0.004) // a pawn is worth about 10 % in most data
	for range 100 {
		if s, err = at(math.Exp(now)); err != nil {
			return 0, err
		}
		if s.first < 0 {
			lo = now
		} else {
			hi = now
		}
		step := -s.first / s.second
		if next := now + step; s.second > 0 && next > lo && next < hi {
			now = next
		} else {
			step = (lo+hi)/2 - now
			now = (lo + hi) / 2
		}
		if math.Abs(step) < 1e-10 {
			break
		}
	}
	return math.Exp(now), nil
}

// fitK fits K to the targets under coefficients w.
func (p *problem) fitK(ctx context.Context, w halves) (float64, error) {
	return searchK(func(k float64) (kSums, error) {
		var sum kSums
		parts := make([]kSums, len(p.s.chunks))
		err := p.s.pass(ctx, p.workers, w, func(t *scratch, i int, _ []uint16) {
			for j, o := range p.omega[i] {
				if o > 0 {
					parts[i].add(p.loss, k, t.x[j], float64(p.target[i][j]), float64(o))
				}
			}
		}, func(_ *scratch, i int) {
			sum.first += parts[i].first
			sum.second += parts[i].second
		})
		return sum, err
	})
}

// fitScoreK fits the slope of the search scores to the targets. It reports
// false if no row has a score.
func (p *problem) fitScoreK() (k float64, any bool, err error) {
	for i, c := range p.s.chunks {
		for j := range p.omega[i] {
			any = any || p.omega[i][j] > 0 && c.scoreOf(j) != NoScore
		}
	}
	if !any {
		return 0, false, nil
	}
	k, err = searchK(func(k float64) (s kSums, err error) {
		for i, c := range p.s.chunks {
			for j, o := range p.omega[i] {
				if v := c.scoreOf(j); o > 0 && v != NoScore {
					s.add(p.loss, k, float64(v), float64(p.target[i][j]), float64(o))
				}
			}
		}
		return s, nil
	})
	return k, true, err
}

// measures are sums over the rows that are trained on and those held out.
type measures struct {
	loss, weight [2]float64
	squares      float64 // of the evaluations of rows trained on
}

// Indices of measures.
const (
	trained = 0
	heldOut = 1
)

func (m *measures) add(o *measures) {
	for i := range m.loss {
		m.loss[i] += o.loss[i]
		m.weight[i] += o.weight[i]
	}
	m.squares += o.squares
}

// losses returns the mean losses; NaN where there are no rows.
func (m *measures) losses() Losses {
	return Losses{Float(m.loss[trained] / m.weight[trained]), Float(m.loss[heldOut] / m.weight[heldOut])}
}

// rms returns the root mean square evaluation of the rows trained on.
func (m *measures) rms() float64 { return math.Sqrt(m.squares / m.weight[trained]) }

// measure takes the measures of coefficients w under slope k.
func (p *problem) measure(ctx context.Context, w halves, k float64) (measures, error) {
	var sum measures
	parts := make([]measures, len(p.s.chunks))
	err := p.s.pass(ctx, p.workers, w, func(t *scratch, i int, _ []uint16) {
		c, m := p.s.chunks[i], &parts[i]
		for j, x := range t.x[:c.rows] {
			side, o := p.side(i, j)
			if o == 0 {
				continue
			}
			if side == trained {
				m.squares += o * x * x
			}
			v, _, _ := p.loss.at(k, x, float64(p.target[i][j]))
			m.loss[side] += o * v
			m.weight[side] += o
		}
	}, func(_ *scratch, i int) { sum.add(&parts[i]) })
	return sum, err
}

// rms returns the root mean square evaluation of all rows of the store, each
// counted once.
func (s *Store) rms(ctx context.Context, workers int, w halves) (float64, error) {
	sum := 0.0
	parts := make([]float64, len(s.chunks))
	err := s.pass(ctx, workers, w, func(t *scratch, i int, _ []uint16) {
		for _, x := range t.x[:s.chunks[i].rows] {
			parts[i] += x * x
		}
	}, func(_ *scratch, i int) { sum += parts[i] })
	return math.Sqrt(sum / float64(max(1, s.rows))), err
}
