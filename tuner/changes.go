package tuner

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
)

// Change is how far a coefficient moved.
type Change struct {
	Term  *TermFit
	Half  string // mg or eg; empty where one coefficient holds in both
	Start float64
	Value int32
	SE    num.Float
	Moved float64 // centipawns, beyond the rescaling of all weights
}

// LargestChanges returns the n coefficients that moved most, the largest first, of those that
// occur in the data. Twins that are tied count once.
func LargestChanges(terms []TermFit, n int) []Change {
	var all []Change
	for i := range terms {
		t := &terms[i]
		if t.Count == 0 || t.Frozen {
			continue
		}
		half := ""
		if t.Tapered {
			half = "mg"
			all = append(all, Change{t, "eg", t.StartEG, t.EG, t.SEEG, t.FitEG - num.Rounded(t.Rescale*t.StartEG)})
		}
		all = append(all, Change{t, half, t.StartMG, t.MG, t.SEMG, t.FitMG - num.Rounded(t.Rescale*t.StartMG)})
	}
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(math.Abs(b.Moved), math.Abs(a.Moved)) })
	var list []Change
	for _, c := range all {
		twin := slices.ContainsFunc(list, func(x Change) bool {
			return x.Half == c.Half && x.Moved == c.Moved && x.SE == c.SE && x.Term.Group == c.Term.Group
		})
		if len(list) < n && c.Moved != 0 && !twin {
			list = append(list, c)
		}
	}
	return list
}
