package objective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/tuner/rows"
)

// Bounds of K per centipawn: a hundred are worth between 0.06 % and 99.995 %.
const (
	minK = 1e-5
	maxK = 0.1
)

// keptRows bounds the rows whose linear evaluations are kept through the search for K: 64 MiB.
var keptRows = 8 << 20

// ErrScale means that no sensible K fits: the evaluations say nothing about
// the results, or predict them perfectly.
var ErrScale = errors.New("no scale K fits")

// kSums are the derivatives of a sum of losses with respect to ln K: the first and the Gauss-Newton second.
type kSums struct{ first, second float64 }

// add counts a row of weight omega whose evaluation is x centipawns.
func (s *kSums) add(loss Loss, k, x, y, omega float64) {
	// The derivative with respect to K is that with respect to x times x/K.
	slope, curvature := loss.slopeAt(k, x, y)
	s.first += num.Rounded(omega * slope * x)
	s.second += num.Rounded(omega * curvature * x * x)
}

func (s *kSums) plus(o *kSums) {
	s.first += o.first
	s.second += o.second
}

// FitK returns the K of the sigmoid for which evaluations x in centipawns predict the targets y with the
// smallest loss, rows weighted by omega. Rows of omega 0 are left out. An error wraps ErrScale.
func FitK(loss Loss, x []float64, y, omega []float32) (float64, error) {
	return searchK(1, func(k float64) (s kSums, err error) {
		for i, o := range omega {
			if o > 0 {
				s.add(loss, k, x[i], float64(y[i]), float64(o))
			}
		}
		return s, nil
	})
}

// searchK is a Newton iteration on ln K, kept within a bracket by bisection. Unit is the number of units of the
// evaluation in a centipawn.
func searchK(unit float64, at func(k float64) (kSums, error)) (float64, error) {
	lo, hi := math.Log(minK/unit), math.Log(maxK/unit)
	s, err := at(minK / unit)
	if err != nil {
		return 0, err
	}
	if !(s.first < 0) {
		return 0, fmt.Errorf("%w: the start weights do not predict the results at all", ErrScale)
	}
	if s, err = at(maxK / unit); err != nil {
		return 0, err
	}
	if !(s.first > 0) {
		return 0, fmt.Errorf("%w: the start weights predict every result (is the result encoded in the data?)", ErrScale)
	}
	now := math.Log(0.004 / unit) // a pawn is worth about 10 % in most data
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

// FitK fits K to the targets under coefficients w. Up to keptRows rows are evaluated once, not at each
// step, because that takes longer than the rest of a step.
func (p *Problem) FitK(ctx context.Context, w Tapered) (float64, error) {
	sum := func(part *kSums, i int, k float64, x []float64) {
		*part = kSums{}
		for j, o := range p.Omega[i] {
			if o > 0 {
				part.add(p.Loss, k, x[j], float64(p.Target[i][j]), float64(o))
			}
		}
	}
	if p.Store.Nonlinear() == nil && p.Store.Rows() > keptRows {
		parts := make([]kSums, len(p.Store.Chunks))
		return searchK(p.unit(), func(k float64) (all kSums, err error) {
			err = Evaluate(ctx, p.Store, p.Workers, w, func(t *Scratch, i int) { sum(&parts[i], i, k, t.X) },
				func(_ *Scratch, i int) { all.plus(&parts[i]) })
			return all, err
		})
	}
	x := make([][]float64, len(p.Store.Chunks))
	err := Evaluate(ctx, p.Store, p.Workers, w, func(t *Scratch, i int) {
		x[i] = slices.Clone(t.X[:p.Store.Chunks[i].Rows])
	}, func(*Scratch, int) {})
	if err != nil {
		return 0, err
	}
	return searchK(p.unit(), func(k float64) (all kSums, err error) {
		err = inorder.Merge(ctx, p.Workers, len(x), func() *kSums { return new(kSums) }, func(part *kSums, i int) error {
			sum(part, i, k, x[i])
			return nil
		}, func(part *kSums, _ int) { all.plus(part) })
		return all, err
	})
}

// BestK is FitK for any coefficients: those that do not predict the targets at all have the
// smallest K there is, and those that predict every one the largest.
func (p *Problem) BestK(ctx context.Context, w Tapered) (float64, error) {
	k, err := p.FitK(ctx, w)
	if !errors.Is(err, ErrScale) {
		return k, err
	}
	least, most := minK/p.unit(), maxK/p.unit()
	low, err := p.Measure(ctx, w, least)
	if err != nil {
		return 0, err
	}
	high, err := p.Measure(ctx, w, most)
	if low.Loss[Trained] <= high.Loss[Trained] {
		return least, err
	}
	return most, err
}

// unit is the number of engine units in a centipawn.
func (p *Problem) unit() float64 { return cmp.Or(p.Unit, 1) }

// largestScore bounds the scores that say what a centipawn is worth. Beyond it are mates, which many
// engines print as centipawns: one row in 230 of such scores made the slope seven times too small.
const largestScore = 3000

// FitScoreK fits the slope of the search scores to the targets. It reports
// false if no row has a score of at most 3,000 centipawns. An error wraps ErrScale.
func (p *Problem) FitScoreK() (k float64, any bool, err error) {
	k, err = searchK(1, func(k float64) (s kSums, err error) {
		for i, c := range p.Store.Chunks {
			for j, o := range p.Omega[i] {
				if v := c.ScoreOf(j); o > 0 && v != rows.NoScore && max(v, -v) <= largestScore {
					any = true
					s.add(p.Loss, k, float64(v), float64(p.Target[i][j]), float64(o))
				}
			}
		}
		return s, nil
	})
	if !any {
		return 0, false, nil
	}
	return k, true, err
}

// Measures are sums over the rows that are trained on and those held out.
type Measures struct {
	Loss, Weight [2]float64
	squares      float64 // of the evaluations of rows trained on
}

// Indices of Measures.
const (
	Trained = 0
	HeldOut = 1
)

func (m *Measures) add(o *Measures) {
	for i := range m.Loss {
		m.Loss[i] += o.Loss[i]
		m.Weight[i] += o.Weight[i]
	}
	m.squares += o.squares
}

// Means returns the mean losses; NaN where there are no rows.
func (m *Measures) Means() (train, valid float64) {
	return m.Loss[Trained] / m.Weight[Trained], m.Loss[HeldOut] / m.Weight[HeldOut]
}

// RMS returns the root mean square evaluation of the rows trained on.
func (m *Measures) RMS() float64 { return math.Sqrt(m.squares / m.Weight[Trained]) }

// Measure takes the measures of coefficients w under slope k.
func (p *Problem) Measure(ctx context.Context, w Tapered, k float64) (Measures, error) {
	var sum Measures
	parts := make([]Measures, len(p.Store.Chunks))
	err := Evaluate(ctx, p.Store, p.Workers, w, func(t *Scratch, i int) {
		c, m := p.Store.Chunks[i], &parts[i]
		for j, x := range t.X[:c.Rows] {
			side, o := p.Side(i, j)
			if o == 0 {
				continue
			}
			if side == Trained {
				m.squares += num.Rounded(o * x * x)
			}
			v, _, _ := p.Loss.At(k, x, float64(p.Target[i][j]))
			m.Loss[side] += num.Rounded(o * v)
			m.Weight[side] += o
		}
	}, func(_ *Scratch, i int) { sum.add(&parts[i]) })
	return sum, err
}

// RMS returns the root mean square evaluation of all rows of the store, each counted once.
func RMS(ctx context.Context, s *rows.Store, workers int, w Tapered) (float64, error) {
	sum, parts := 0.0, make([]float64, len(s.Chunks))
	err := Evaluate(ctx, s, workers, w, func(t *Scratch, i int) {
		for _, x := range t.X[:s.Chunks[i].Rows] {
			parts[i] += num.Rounded(x * x)
		}
	}, func(_ *Scratch, i int) { sum += parts[i] })
	return math.Sqrt(sum / float64(max(1, s.Rows()))), err
}
