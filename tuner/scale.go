package tuner

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Scale says what a centipawn of a foreign evaluation was worth and is now, by the slope K
// per centipawn that suits the weights best, on training rows within nearEqual.
type Scale struct {
	Rows   int     `json:"rows"`
	KStart float64 `json:"k_start"`
	KTuned float64 `json:"k_tuned"` // of the fit, before any rescaling
	// Pawn is what 100 centipawns of the start weights are in the weights as written.
	Pawn float64 `json:"pawn"`
	// Kept reports that the fit was brought back to the old RMS evaluation, because K moved by
	// more than kMoves: by rescaling the weights, or a bent one by another slope.
	Kept bool `json:"kept"`
}

// String says what became of the scale.
func (s *Scale) String() string {
	how := "as fitted"
	if s.Kept {
		how = "kept"
	}
	return fmt.Sprintf("%s: eval scale x%.2f (K %.6f of the start weights, %.6f of the fit, on %d rows within %d "+
		"centipawns)", how, s.Pawn/100, s.KStart, s.KTuned, s.Rows, nearEqual)
}

const (
	// nearEqual bounds the search score of a row, or the start weights' evaluation where it
	// has none: where the margins of a search matter.
	nearEqual = 400
	// kMoves is the change of K up to which a foreign evaluation keeps the scale of the fit.
	kMoves = 0.1
)

// foreign reports whether the evaluation is none of our own models.
func (f *fitting) foreign() bool {
	return !slices.ContainsFunc(f.terms, func(t rows.Term) bool { return t.Own })
}

// measureScale compares the fit w with the start weights on rows within nearEqual, or on all if there are none.
func (f *fitting) measureScale(ctx context.Context, w objective.Tapered) (*Scale, error) {
	p, s := *f.train, new(Scale)
	p.Omega = make([][]float32, len(f.s.Chunks))
	start, unit := objective.StartOf(f.terms), f.c.unit()
	err := objective.Evaluate(ctx, f.s, f.c.Workers, start, func(t *objective.Scratch, i int) {
		c := f.s.Chunks[i]
		p.Omega[i] = slices.Clone(f.train.Omega[i])
		for j, x := range t.X[:c.Rows] {
			if v := c.ScoreOf(j); v != rows.NoScore {
				x = float64(v) * unit
			}
			if !(math.Abs(x) < nearEqual*unit) {
				p.Omega[i][j] = 0
			}
		}
	}, func(*objective.Scratch, int) {})
	if err != nil {
		return nil, err
	}
	for _, c := range p.Omega {
		for _, o := range c {
			if o > 0 {
				s.Rows++
			}
		}
	}
	if s.Rows == 0 || oneClass(p.Target, p.Omega) {
		p.Omega, s.Rows = f.train.Omega, f.split.trained
	}
	if s.KStart, err = p.BestK(ctx, start); err != nil {
		return nil, err
	}
	s.KTuned, err = p.BestK(ctx, w)
	s.KStart, s.KTuned = s.KStart*unit, s.KTuned*unit
	return s, err
}

// moved reports whether a centipawn means something else than before.
func (s *Scale) moved() bool {
	return math.Abs(s.KTuned/s.KStart-1) > kMoves
}

const (
	// scaleRounds bounds the fits that look for the slope of a bent evaluation.
	scaleRounds = 3
	// scaleClose is a change of the scale that is as good as none.
	scaleClose = 0.005
)

// keepBentScale looks for the slope under which the fit has the root mean square evaluation of the start
// weights, by rough fits from theta on, and returns where they end. A linear evaluation is rescaled by its
// coefficients instead, see rescale. Without it a fit to scores, which predict results better than an
// evaluation does, makes larger evaluations, and the margins of a search no longer suit them.
func (f *fitting) keepBentScale(ctx context.Context, theta []float64) ([]float64, error) {
	if f.s.Bend() == nil || f.bare || f.c.KeepScale {
		return theta, nil
	}
	for round := 0; ; round++ {
		if err := f.minimize(ctx, theta, looseGap); err != nil {
			return theta, err
		}
		theta = f.at.theta
		w := objective.NewTapered(len(f.terms))
		f.free.Expand(theta, w)
		if round == 0 {
			if moves, err := f.movesScale(ctx, w); err != nil || !moves {
				return theta, err
			}
		}
		m, err := f.train.Measure(ctx, w, f.slope.k)
		if err != nil {
			return theta, err
		}
		ratio, err := f.growth(ctx, w, m.RMS())
		if err != nil || ratio == 0 || math.Abs(ratio-1) < scaleClose || round == scaleRounds {
			return theta, err
		}
		f.slope.k *= ratio
		f.train.K, f.slope.moved, f.at.known = f.slope.k, true, nil
	}
}

// movesScale reports whether the weights w have a scale that has to be brought back, and can be.
func (f *fitting) movesScale(ctx context.Context, w objective.Tapered) (bool, error) {
	if f.foreign() && !f.c.Rescale {
		if s, err := f.measureScale(ctx, w); err != nil || !s.moved() {
			return false, err
		}
	}
	return f.scalable(w), nil // last, because it warns
}
