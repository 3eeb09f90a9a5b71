package rows

import (
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// TermsOfFeatures returns the terms of a foreign evaluation, see Linear.Terms.
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
	// Step is that of a formula's scalar, whose coefficient is a number of steps; 0 for others.
	Step float64
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
