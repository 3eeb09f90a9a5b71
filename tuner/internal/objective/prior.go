package objective

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-chess/assay/tuner/rows"
)

// defaultEffect is the width of the prior of a foreign term, in centipawns of effect: the
// standard deviation of what its typical count is worth. See TUNER.md.
const defaultEffect = 15

// defaultTau gives the width of the prior, the standard deviation of a weight in centipawns,
// of the groups of our own models whose name contains the key; the first match counts.
// Measured on real games with the assay model, mean cross-entropy of 1,000 held-out games with
// all of them multiplied by a factor (start weights: 0.6139):
//
//	games   0.25    0.5     1       2       4       free
//	  100   0.6103  0.6061  0.6049  0.6159  0.6456  0.8102
//	  200   0.6077  0.6045  0.6037  0.6076  0.6208  diverges
//	  800   0.6033  0.6002  0.5986  0.5995  0.6034  diverges
//	1,600   0.6006  0.5970  0.5948  0.5952  0.5967  0.6025
//	3,000   0.5983  0.5944  0.5923  0.5919  0.5921  0.5935
var defaultTau = []struct {
	Group string
	Tau   float64
}{
	{"material", 100},
	{"piece-square", 20},
	{"mobility", 15},
	{"passed", 25},
	{"king", 25},
	{"threat", 25},
	{"", 25},
}

// AllTerms is the name of all terms in overrides of widths.
const AllTerms = "all"

// Widths returns the width of the prior of each term's weights, in centipawns. Overrides, of terms, groups or
// AllTerms, are in centipawns of effect: they are divided by the typical counts. Without one, a term of our own
// models has the width of its group, and a foreign one defaultEffect. All are multiplied by the factor.
func Widths(terms []rows.Term, typical []float64, overrides map[string]float64, factor float64) ([]float64, error) {
	names := slices.Sorted(maps.Keys(overrides))
	names = slices.DeleteFunc(names, func(n string) bool { return n == AllTerms })
	if err := checkNames(terms, names); err != nil {
		return nil, err
	}
	out := make([]float64, len(terms))
	for t, term := range terms {
		out[t] = defaultEffect / typical[t]
		if term.Own {
			out[t] = ownWidth(term.Group)
		}
		for _, name := range []string{AllTerms, term.Group, term.Name} {
			if v, ok := overrides[name]; ok {
				out[t] = v / typical[t]
			}
		}
		if !(out[t] > 0) {
			return nil, fmt.Errorf("prior of %s: width %v is not positive (freeze it instead)", term.Name, out[t])
		}
		out[t] *= factor
	}
	return out, nil
}

// ownWidth returns the width of a group of our own models.
func ownWidth(group string) float64 {
	for _, d := range defaultTau {
		if strings.Contains(group, d.Group) {
			return d.Tau
		}
	}
	return defaultEffect
}
