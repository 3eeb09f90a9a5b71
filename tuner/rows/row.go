package rows

import (
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// MaxPhase is the phase of a full middlegame; 0 is the bare endgame.
const MaxPhase = 24

// NoScore marks a row without a search score.
const NoScore = math.MinInt16

// Entry is one feature of a row: White's count of a term minus Black's.
type Entry struct {
	Term  uint16
	Count float32
}

// OwnFactors is the phase of a row that names the factors of its two values.
const OwnFactors = -1

// Row is one position as the tuner sees it. Its evaluation is
//
//	Offset + Scale x sum(Count x (MG x mg + EG x eg))
type Row struct {
	Entries []Entry // terms ascending and unique, counts not 0
	Phase   int     // 0..MaxPhase, or OwnFactors
	Scale   float32 // endgame scale factor; 1 for most rows
	Offset  float32 // part of the evaluation that is not tuned, centipawns
	Result  float32 // 0..1, White's view
	Score   int16   // search score in centipawns, White's view; NoScore if none
	Weight  float32 // >= 0; a row of weight 0 is not kept
	Game    uint64  // 0 if unknown: the row is then a cluster of its own
	Opening uint64  // 0 if unknown
	// TrainOnly keeps the row's game out of the validation set.
	TrainOnly bool
	// MG and EG are the factors of the middlegame and the endgame values where
	// Phase is OwnFactors. Else they are Phase/24 and (24-Phase)/24.
	MG, EG float32
}

// factors returns the factors of the middlegame and the endgame values.
func (r *Row) factors() (mg, eg float64) {
	if r.Phase == OwnFactors {
		return float64(r.MG), float64(r.EG)
	}
	return float64(r.Phase) / MaxPhase, float64(MaxPhase-r.Phase) / MaxPhase
}

// check refuses what could poison a fit: values that are not finite or out of range, and entries out of order.
func (r *Row) check(terms int) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrRow, fmt.Sprintf(format, args...))
	}
	switch {
	case (r.Phase < 0 || r.Phase > MaxPhase) && r.Phase != OwnFactors:
		return bad("phase %d is not in 0..%d", r.Phase, MaxPhase)
	case !(math.Abs(float64(r.MG)) <= maxFactor && math.Abs(float64(r.EG)) <= maxFactor):
		return bad("factors %v and %v are not within %d", r.MG, r.EG, maxFactor)
	case !(r.Result >= 0 && r.Result <= 1):
		return bad("result %v is not in 0..1", r.Result)
	case !(r.Weight >= 0) || isInf32(r.Weight):
		return bad("weight %v is not a number of at least 0", r.Weight)
	case !(r.Scale >= 0) || isInf32(r.Scale):
		return bad("scale %v is not a number of at least 0", r.Scale)
	case r.Offset != r.Offset || isInf32(r.Offset):
		return bad("offset %v is not a number", r.Offset)
	}
	last := -1
	for _, e := range r.Entries {
		switch {
		case int(e.Term) >= terms:
			return bad("term %d of a model of %d terms", e.Term, terms)
		case int(e.Term) <= last:
			return bad("term %d follows term %d: terms must ascend", e.Term, last)
		case e.Count == 0:
			return bad("term %d has count 0", e.Term)
		case !(math.Abs(float64(e.Count)) <= maxCount):
			return bad("term %d has count %v, which is beyond %d", e.Term, e.Count, maxCount)
		}
		last = int(e.Term)
	}
	return nil
}

// maxCount is the largest count that is taken for a count and not for a
// mistake: it keeps every evaluation finite.
const maxCount = 1 << 20

// maxFactor is the largest factor of a value.
const maxFactor = 1000

func isInf32(v float32) bool { return math.IsInf(float64(v), 0) }

// TermsOfFeatures returns the terms of an external evaluation, see Linear.Terms.
func TermsOfFeatures(set dataset.FeatureSet) []Term { return NewLinear(set).Terms() }

// Term is one term of the evaluation to be fitted.
type Term struct {
	Name, Group string
	Tapered     bool    // false: one coefficient holds in both phases
	Mirror      int     // index of the file-mirrored twin; own index if none
	MG, EG      float64 // start values in centipawns; equal where not tapered
	// Own marks a term of a model of package eval, of its first channel: the prior of its group is measured. What
	// another evaluation calls a group says nothing.
	Own   bool
	Fixed bool // no fit changes it
}

// TermsOf returns the terms of a model with start weights w in centipawns.
func TermsOf(m *eval.Model, w []eval.Coef) ([]Term, error) {
	if err := m.Check(w); err != nil {
		return nil, err
	}
	out := make([]Term, len(m.Terms))
	for i, t := range m.Terms {
		out[i] = Term{Name: t.Name, Group: t.Group, Tapered: t.Tapered, Mirror: t.Mirror, MG: float64(w[i].MG),
			EG: float64(w[i].EG), Own: t.Channel == ""}
	}
	return out, nil
}
