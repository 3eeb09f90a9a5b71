package dataset

import (
	"errors"
	"fmt"
	"math"
)

// ErrDrift says that an engine's features and its evaluation contradict each other: the sum
// of the terms is not the evaluation.
var ErrDrift = errors.New("the features and the evaluation have drifted apart")

// ErrCountRange says that a count is not a whole number from -128 to 127, in a set that
// stores counts as int8.
var ErrCountRange = errors.New("the count does not fit int8; store the counts as float32")

// maxDrift is how much sum and evaluation may differ, in centipawns. Engines round when
// they divide; the rest allows for floating-point error.
const maxDrift = 1 + 1e-6

// Value returns the evaluation of a row with the values of the set's terms: centipawns,
// White's view. The row must be valid for the set.
func (s *FeatureSet) Value(r *FeatureRow) float64 {
	sum, phase := 0.0, float64(r.Phase)
	if n, ok := r.Phase24(); ok {
		phase = float64(n) / 24
	}
	for i, t := range r.Terms {
		v := &s.Terms[t]
		sum += float64(r.Counts[i]) * (v.MG*phase + v.EG*(1-phase))
	}
	return float64(r.Offset) + float64(r.Scale)*sum
}

// CheckRow returns an error if the row is not valid for the set. It is ErrDrift (wrapped)
// if the row's terms do not add up to its Eval, to a centipawn.
func (s *FeatureSet) CheckRow(r *FeatureRow) error {
	if err := r.check(len(s.Terms)); err != nil {
		return err
	}
	if err := s.checkCounts(r); err != nil || r.Eval == NoScore {
		return err
	}
	if value := s.Value(r); !(math.Abs(value-float64(r.Eval)) <= maxDrift) {
		return fmt.Errorf("%w: the terms add up to %.2f, eval is %d", ErrDrift, value, r.Eval)
	}
	return nil
}

// checkCounts returns an error if the set cannot store the row's counts.
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
