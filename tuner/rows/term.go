package rows

import (
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// TermsOfFeatures returns the terms of a foreign evaluation with its own start
// values. If it is one of our models under the model's own name, twins and
// terms that are not tapered are known; else every term is tapered and has no
// twin. A term without a group belongs to what stands before the first dot of
// its name.
func TermsOfFeatures(set dataset.FeatureSet) []Term {
	out := make([]Term, len(set.Terms))
	for i, t := range set.Terms {
		group := t.Group
		if group == "" {
			group, _, _ = strings.Cut(t.Name, ".")
		}
		out[i] = Term{Name: t.Name, Group: group, Tapered: true, Mirror: i, MG: t.MG, EG: t.EG}
	}
	if m := ModelOf(set); m != nil {
		for i, t := range m.Terms {
			out[i].Tapered, out[i].Mirror, out[i].Group = t.Tapered, t.Mirror, t.Group
		}
	}
	return out
}

// ModelOf returns the model of package eval that the features are of: its name and all its
// terms, in order. It returns nil for a foreign evaluation.
func ModelOf(set dataset.FeatureSet) *eval.Model {
	m, err := eval.Lookup(set.Model)
	if err != nil || len(m.Terms) != len(set.Terms) {
		return nil
	}
	for i := range set.Terms {
		if m.Terms[i].Name != set.Terms[i].Name {
			return nil
		}
	}
	return m
}

// Term is one term of the evaluation to be fitted.
type Term struct {
	Name, Group string
	Tapered     bool    // false: one coefficient holds in both phases
	Mirror      int     // index of the file-mirrored twin; own index if none
	MG, EG      float64 // start values in centipawns; equal where not tapered
}

// TermsOf returns the terms of a model with start weights w in centipawns.
func TermsOf(m *eval.Model, w []eval.Coef) ([]Term, error) {
	if err := m.Check(w); err != nil {
		return nil, err
	}
	out := make([]Term, len(m.Terms))
	for i, t := range m.Terms {
		out[i] = Term{Name: t.Name, Group: t.Group, Tapered: t.Tapered, Mirror: t.Mirror, MG: float64(w[i].MG), EG: float64(w[i].EG)}
	}
	return out, nil
}
