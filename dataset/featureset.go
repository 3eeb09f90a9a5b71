package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// FeatureTerm is one term of another engine's evaluation.
type FeatureTerm struct {
	Name  string  `json:"name"`
	Group string  `json:"group,omitempty"`
	MG    float64 `json:"mg"` // start value in the middlegame: engine units
	EG    float64 `json:"eg"` // start value in the endgame; equal to MG in single and flat terms
	Kind  string  `json:"kind,omitempty"`
	// Fixed says that no fit may change the value: the term stands for a part of the evaluation
	// that is not linear, and its count is that part.
	Fixed bool `json:"fixed,omitempty"`
	// Pair is the name of the other half of a tapered pair whose halves are terms of their own, as slopes are: their
	// counts add up to the count of the pair, by which a prior knows how much it matters.
	Pair string `json:"pair,omitempty"`
	// Step is how much a number of a local set is for each 1 of the term's value, where that is not 1: weights are whole,
	// and some numbers are not.
	Step float64 `json:"step,omitempty"`
}

// Kinds of terms. A term of another kind is tapered.
const (
	SingleTerm = "single" // one value, inside the taper
	FlatTerm   = "flat"   // one value, added after the taper: no factor touches it
	// Terms of one half alone; the value of the other is 0 and stays it.
	MiddlegameTerm = "mg"
	EndgameTerm    = "eg"
)

// Number returns what a value of the term is as one of the engine's numbers, see Step.
func (t *FeatureTerm) Number(value float64) float64 { return value * cmp.Or(t.Step, 1) }

// Value returns the value of a term that is not tapered: engine units.
func (t *FeatureTerm) Value() float64 {
	if t.Kind == EndgameTerm {
		return t.EG
	}
	return t.MG
}

// checkKind returns an error if the kind is not known, or the values are not of it.
func (t *FeatureTerm) checkKind() error {
	switch t.Kind {
	case "":
	case SingleTerm, FlatTerm:
		if t.MG != t.EG {
			return fmt.Errorf("term %q is %s: it has one value, not %v and %v", t.Name, t.Kind, t.MG, t.EG)
		}
	case MiddlegameTerm, EndgameTerm:
		if t.MG+t.EG != t.Value() {
			return fmt.Errorf("term %q is of one half alone, %s: its values are mg %v and eg %v, "+
				"and the other one must be 0", t.Name, t.Kind, t.MG, t.EG)
		}
	default:
		return fmt.Errorf("term %q: kind %.40q is not %q, %q, %q or %q",
			t.Name, t.Kind, SingleTerm, FlatTerm, MiddlegameTerm, EndgameTerm)
	}
	return nil
}

// EGScaleBySign is the FeatureSet.EGScale of an engine whose endgame factor belongs to the
// side that the endgame half favors, so that other weights may change it.
const EGScaleBySign = "sign"

// FeatureSet is the set of terms that the features of a data set count, and how the
// evaluation is made of them.
type FeatureSet struct {
	// Version is the format's version. In version 1 every term is tapered, there is no
	// EGScale, and of the fields below only Float may be set. 0 is version 1.
	Version int
	Model   string        // name of the evaluation
	Terms   []FeatureTerm // FeatureRow.Terms are indices into it
	// Float stores the counts as float32. Otherwise they are int8, and a count that
	// is not a whole number from -128 to 127 is an error: nothing is rounded.
	Float      bool
	Evaluation // from version 2 on
}

// Evaluation is what a FeatureSet says of the evaluation beside its terms.
type Evaluation struct {
	Unit      float64 `json:"unit"`               // engine units a pawn
	Tolerance float64 `json:"tolerance"`          // of CheckRow: centipawns
	EGScale   string  `json:"eg_scale,omitempty"` // EGScaleBySign, or empty
	BySide    bool    `json:"by_side,omitempty"`  // rows have EGCounts
	// Local says that counts are slopes: the terms' values are the point where they were measured, and the evaluation
	// is linear only near it. A term's unit need not be the evaluation's.
	Local bool `json:"local,omitempty"`
}

// Defaults of an Evaluation. Two divisions that truncate cost 1.9 centipawns.
const (
	DefaultUnit      = 100
	DefaultTolerance = 2
)

// Bounds of a unit. Weights in it are written as whole numbers, unless they are local and have units of their own.
const (
	MinUnit      = 10
	maxUnit      = 10_000
	MaxLocalUnit = 1_000_000
)

// format returns the name of the format of the set's files.
func (s *FeatureSet) format() string {
	if s.Version < 2 {
		return featuresFormat1
	}
	return FeaturesFormat
}

// Centipawns converts engine units.
func (s *FeatureSet) Centipawns(units float64) float64 {
	if s.Version < 2 {
		return units
	}
	return units * 100 / s.Unit
}

// maxDrift is how far value and evaluation of a row may differ, in engine units. In version 1
// it is a centipawn, which engines lose when they divide. The rest is for floating-point
// errors.
func (s *FeatureSet) maxDrift() float64 {
	if s.Version < 2 {
		return 1 + 1e-3
	}
	return s.Tolerance*s.Unit/100 + 1e-3
}

// SameTerms returns an error that names the first difference if rows of the two sets
// cannot be fitted together.
func (s *FeatureSet) SameTerms(other *FeatureSet) error {
	if s.Model != other.Model || len(s.Terms) != len(other.Terms) {
		return fmt.Errorf("features of %s with %d terms, before it came %s with %d",
			other.Model, len(other.Terms), s.Model, len(s.Terms))
	}
	for i := range s.Terms {
		if s.Terms[i] != other.Terms[i] {
			return fmt.Errorf("term %d is %+v, before it came %+v", i, other.Terms[i], s.Terms[i])
		}
	}
	a, b := s.Evaluation, other.Evaluation
	a.Tolerance, b.Tolerance = 0, 0
	if max(s.Version, 1) != max(other.Version, 1) || a != b {
		return fmt.Errorf("the evaluation is %s %+v, before it came %s %+v", other.format(), b, s.format(), a)
	}
	return nil
}

// Check returns an error if the set is not valid.
func (s *FeatureSet) Check() error {
	if len(s.Terms) > 65536 {
		return fmt.Errorf("%d terms are more than 65536", len(s.Terms))
	}
	seen := make(map[string]bool, len(s.Terms))
	for i, t := range s.Terms {
		switch {
		case t.Name == "" || seen[t.Name]:
			return fmt.Errorf("term %d: the name %q is empty or used twice", i, t.Name)
		case s.Version < 2 && (t.Kind != "" || t.Fixed):
			return fmt.Errorf("term %q: kind and fixed need %s", t.Name, FeaturesFormat)
		}
		if err := t.checkKind(); err != nil {
			return err
		}
		seen[t.Name] = true
	}
	if err := s.checkLocal(); err != nil {
		return err
	}
	if s.Version < 2 {
		if s.Evaluation != (Evaluation{}) {
			return fmt.Errorf("unit, tolerance, eg_scale and by_side need %s", FeaturesFormat)
		}
		return nil
	}
	return s.Evaluation.check()
}

// checkLocal returns an error unless the halves of pairs name each other, and steps are some.
func (s *FeatureSet) checkLocal() error {
	pair := make(map[string]string)
	for _, t := range s.Terms {
		if t.Pair != "" {
			pair[t.Name] = t.Pair
		}
	}
	for _, t := range s.Terms {
		if t.Pair != "" && (pair[t.Pair] != t.Name || t.Pair == t.Name || !s.Local) {
			return fmt.Errorf("term %q: its pair %q must name it as its own, in a local set", t.Name, t.Pair)
		}
		if t.Step != 0 && !(t.Step > 0 && t.Step <= math.MaxFloat32 && s.Local) {
			return fmt.Errorf("term %q: step %v is not a number above 0, in a local set", t.Name, t.Step)
		}
	}
	return nil
}

func (e *Evaluation) check() error {
	largest := float64(maxUnit)
	if e.Local {
		largest = MaxLocalUnit
	}
	switch {
	case !(e.Unit >= MinUnit && e.Unit <= largest):
		return fmt.Errorf("unit %v is not between %d and %g engine units a pawn: multiply values, offset and eval",
			e.Unit, MinUnit, largest)
	case !(e.Tolerance >= 0 && e.Tolerance <= 1e4):
		return fmt.Errorf("tolerance %v is not between 0 and 10,000 centipawns", e.Tolerance)
	case e.EGScale != "" && e.EGScale != EGScaleBySign:
		return fmt.Errorf("eg_scale %.40q is not %q", e.EGScale, EGScaleBySign)
	case e.EGScale != "" && e.BySide:
		return fmt.Errorf("eg_scale %q and by_side exclude each other", e.EGScale)
	}
	return nil
}

// featureSetOf reads the set of terms from the metadata of a file.
func featureSetOf(schema *arrow.Schema) (FeatureSet, error) {
	s := FeatureSet{Version: 1}
	meta := schema.Metadata()
	s.Model, _ = meta.GetValue(metaModel)
	terms, ok := meta.GetValue(metaTerms)
	if !ok {
		return s, fmt.Errorf("the schema metadata have no %s", metaTerms)
	}
	if err := json.Unmarshal([]byte(terms), &s.Terms); err != nil {
		return s, fmt.Errorf("%s in the schema metadata: %w", metaTerms, err)
	}
	evaluation, v2 := meta.GetValue(metaEval)
	if v2 {
		s.Version = 2
		if err := json.Unmarshal([]byte(evaluation), &s.Evaluation); err != nil {
			return s, fmt.Errorf("%s in the schema metadata: %w", metaEval, err)
		}
	}
	if f, ok := schema.FieldsByName("count"); ok && len(f) == 1 {
		if list, ok := f[0].Type.(*arrow.ListType); ok {
			s.Float = list.Elem().ID() == arrow.FLOAT32
		}
	}
	return s, s.Check()
}

// maxFactor bounds the factors of a row.
const maxFactor = 1000

// check returns an error if the row is not valid for the set. Comparisons refuse NaN too.
func (f *FeatureRow) check(s *FeatureSet) error {
	if len(f.Terms) != len(f.Counts) {
		return fmt.Errorf("%d terms, but %d counts", len(f.Terms), len(f.Counts))
	}
	if s.BySide && len(f.EGCounts) != len(f.Counts) {
		return fmt.Errorf("%d counts, but %d of the endgame half", len(f.Counts), len(f.EGCounts))
	}
	for i, t := range f.Terms {
		if int(t) >= len(s.Terms) {
			return fmt.Errorf("term %d: there are %d terms", t, len(s.Terms))
		}
		if i > 0 && t <= f.Terms[i-1] {
			return fmt.Errorf("terms %d and %d are not in ascending order", f.Terms[i-1], t)
		}
		if c := f.Counts[i]; !(c >= -1e9 && c <= 1e9) {
			return fmt.Errorf("term %d: count %v is out of range", t, c)
		}
		if s.BySide && !(math.Abs(float64(f.EGCounts[i])) <= 1e9) {
			return fmt.Errorf("term %d: count %v of the endgame half is out of range", t, f.EGCounts[i])
		}
	}
	if err := f.checkFactors(s); err != nil {
		return err
	}
	return checkLabels(f.Score, f.Result, f.Weight)
}

func (f *FeatureRow) checkFactors(s *FeatureSet) error {
	old := s.Version < 2
	switch {
	case old && !(f.Phase >= 0 && f.Phase <= 1):
		return fmt.Errorf("phase %v is not between 0 and 1", f.Phase)
	case !(f.Phase >= -maxFactor && f.Phase <= maxFactor):
		return fmt.Errorf("phase %v is not between -%d and %d", f.Phase, maxFactor, maxFactor)
	case !(f.Scale >= 0 && f.Scale <= maxFactor):
		return fmt.Errorf("scale %v is not between 0 and %d", f.Scale, maxFactor)
	case !old && !(f.EGScale >= 0 && f.EGScale <= maxFactor):
		return fmt.Errorf("eg_scale %v is not between 0 and %d", f.EGScale, maxFactor)
	case !(math.Abs(float64(f.Offset)) <= 1e6 || s.Local && math.Abs(float64(f.Offset)) <= 1e9):
		return fmt.Errorf("offset %v is out of range", f.Offset)
	case f.Eval == NoEval:
		return nil
	case old && !(f.Eval >= -MateScore && f.Eval <= MateScore) || !(f.Eval >= -1e9 && f.Eval <= 1e9):
		return fmt.Errorf("eval %v is out of range", f.Eval)
	}
	return nil
}

// ErrDrift says that an engine's features and its evaluation contradict each other: the sum
// of the terms is not the evaluation.
var ErrDrift = errors.New("the features and the evaluation have drifted apart")

// ErrCountRange says that a count is not a whole number from -128 to 127, in a set that
// stores counts as int8.
var ErrCountRange = errors.New("the count does not fit int8; store the counts as float32")

// parts are the sums of a row's terms that make up its evaluation.
type parts struct {
	MG, EG float64 // of the tapered and single terms; EG is scaled by side in a BySide set
	Flat   float64 // of the flat terms
	Phase  float64
}

// parts sums the row's terms with the values of the set. The row must be valid for it.
func (s *FeatureSet) parts(r *FeatureRow) parts {
	p := parts{Phase: float64(r.Phase)}
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
	p := s.parts(r)
	return float64(r.Offset) + p.Flat + float64(r.Scale)*(p.Phase*p.MG+(1-p.Phase)*s.egScale(r)*p.EG)
}

// egScale is the factor of the endgame half beside the phase's.
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
	if !(math.Abs(value-float64(r.Eval)) <= s.maxDrift()) {
		return fmt.Errorf("%w: the terms add up to %.2f, eval is %g%s", ErrDrift, value, r.Eval, s.explain(r))
	}
	return nil
}

// largestTerms is the number of terms that Explain names.
const largestTerms = 10

// explain says what the value of a row is made of: halves, factors, and the terms that add
// most.
func (s *FeatureSet) explain(r *FeatureRow) string {
	p := s.parts(r)
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
