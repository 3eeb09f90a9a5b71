package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrDrift says that an engine's features and its evaluation contradict each other: the sum
// of the terms is not the evaluation.
var ErrDrift = errors.New("the features and the evaluation have drifted apart")

// ErrCountRange says that a count is not a whole number from -128 to 127, in a set that
// stores counts as int8.
var ErrCountRange = errors.New("the count does not fit int8; store the counts as float32")

// Parts are the sums of a row's terms that make up its evaluation.
type Parts struct {
	MG, EG float64 // of the tapered and single terms; EG is scaled by side in a BySide set
	Flat   float64 // of the flat terms
	Phase  float64 // FeatureRow.Middlegame
}

// Parts sums the row's terms with the values of the set. The row must be valid for it.
func (s *FeatureSet) Parts(r *FeatureRow) Parts {
	var p Parts
	p.Phase, _, _ = r.Middlegame()
	for i, t := range r.Terms {
		v, count := &s.Terms[t], float64(r.Counts[i])
		if v.Kind == FlatTerm {
			p.Flat += count * v.MG
			continue
		}
		p.MG += count * v.MG
		if s.BySide {
			count = float64(r.EGCounts[i])
		}
		p.EG += count * v.EG
	}
	return p
}

// Value returns the evaluation of a row with the values of the set's terms: engine units
// (centipawns in version 1), White's view. The row must be valid for the set.
func (s *FeatureSet) Value(r *FeatureRow) float64 {
	p := s.Parts(r)
	return float64(r.Offset) + p.Flat + float64(r.Scale)*(p.Phase*p.MG+(1-p.Phase)*s.egScale(r)*p.EG)
}

// egScale is the factor of the endgame half beside that of the phase.
func (s *FeatureSet) egScale(r *FeatureRow) float64 {
	if s.Version < 2 || s.BySide {
		return 1
	}
	return float64(r.EGScale)
}

// CheckRow returns an error if the row is not valid for the set. It is ErrDrift (wrapped)
// if the row's terms do not add up to its Eval, to the set's tolerance.
func (s *FeatureSet) CheckRow(r *FeatureRow) error {
	if err := r.check(s); err != nil {
		return err
	}
	if err := s.checkCounts(r); err != nil || r.Eval == NoEval {
		return err
	}
	value := s.Value(r)
	if !(math.Abs(value-float64(r.Eval)) <= s.MaxDrift()) {
		return fmt.Errorf("%w: the terms add up to %.2f, eval is %g%s", ErrDrift, value, r.Eval, s.Explain(r))
	}
	return nil
}

// largestTerms is the number of terms that Explain names.
const largestTerms = 10

// Explain says what the value of a row is made of: halves, factors, and the terms that add
// most.
func (s *FeatureSet) Explain(r *FeatureRow) string {
	p := s.Parts(r)
	type part struct {
		text  string
		value float64
	}
	parts := make([]part, len(r.Terms))
	for i, t := range r.Terms {
		v, count := &s.Terms[t], float64(r.Counts[i])
		egCount := count
		if s.BySide {
			egCount = float64(r.EGCounts[i])
		}
		if v.Kind == FlatTerm {
			parts[i] = part{fmt.Sprintf("%s %g x %g after the taper", v.Name, count, v.MG), count * v.MG}
			continue
		}
		value := float64(r.Scale) * (count*v.MG*p.Phase + egCount*v.EG*s.egScale(r)*(1-p.Phase))
		if s.BySide {
			parts[i] = part{fmt.Sprintf("%s %g x %g and %g x %g", v.Name, count, v.MG, egCount, v.EG), value}
		} else {
			parts[i] = part{fmt.Sprintf("%s %g x (%g, %g)", v.Name, count, v.MG, v.EG), value}
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(math.Abs(b.value), math.Abs(a.value)) })
	var b strings.Builder
	fmt.Fprintf(&b, "; the middlegame half is %.6g, the endgame half %.6g, phase %.4g, scale %g",
		p.MG, p.EG, p.Phase, r.Scale)
	if s.Version >= 2 && !s.BySide {
		fmt.Fprintf(&b, ", eg_scale %g", r.EGScale)
	}
	if p.Flat != 0 || r.Offset != 0 {
		fmt.Fprintf(&b, ", flat terms %.6g, offset %g", p.Flat, r.Offset)
	}
	before := "; largest terms: "
	for _, p := range parts[:min(largestTerms, len(parts))] {
		fmt.Fprintf(&b, "%s%s = %.4g", before, p.text, p.value)
		before = ", "
	}
	return b.String()
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
