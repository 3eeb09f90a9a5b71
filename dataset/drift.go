package dataset

import (
	"errors"
	"fmt"
	"math"
)

// ErrDrift says that an engine's features are not those of its evaluation: their sum
// is another value than it says.
var ErrDrift = errors.New("the features and the evaluation have drifted apart")

// ErrCountRange says that a count is no whole number from -128 to 127, and the set stores
// counts as such.
var ErrCountRange = errors.New("the count does not fit int8; store the counts as float32")

// maxDrift is how far sum and evaluation may differ, in centipawns: engines divide
// whole numbers. A sum in floating point may miss a whole number by a hair.
const maxDrift = 1 + 1e-6

// Value returns the evaluation of a row under the terms' own values: centipawns, White's
// view. The row's terms must be of the set.
func (s *FeatureSet) Value(r *FeatureRow) float64 {
	sum, phase := 0.0, math.Round(24*float64(r.Phase))/24 // what float32 rounded off
	for i, t := range r.Terms {
		v := &s.Terms[t]
		sum += float64(r.Counts[i]) * (v.MG*phase + v.EG*(1-phase))
	}
	return float64(r.Offset) + float64(r.Scale)*sum
}

// CheckRow tells what is wrong with a row of the set. The error is ErrDrift (wrapped) if
// the row's terms do not make its Eval, to a centipawn.
func (s *FeatureSet) CheckRow(r *FeatureRow) error {
	if err := r.check(len(s.Terms)); err != nil {
		return err
	}
	if err := s.checkCounts(r); err != nil || r.Eval == NoScore {
		return err
	}
	if value := s.Value(r); !(math.Abs(value-float64(r.Eval)) <= maxDrift) {
		return fmt.Errorf("%w: the terms make %.2f, eval says %d", ErrDrift, value, r.Eval)
	}
	return nil
}

// checkCounts tells whether the set can store the row's counts.
func (s *FeatureSet) checkCounts(r *FeatureRow) error {
	if s.Float {
		return nil
	}
	for i, c := range r.Counts {
		if c != float32(int8(max(-128, min(127, c)))) {
			return fmt.Errorf("term %d: count %v: %w", r.Terms[i], c, ErrCountRange)
		}
	}
	return nil
}
