package objective

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-chess/assay/tuner/rows"
)

// DefaultTau gives the standard deviation in centipawns of the prior of a
// group whose name contains the key; the first match counts. Measured on real
// games with the assay model, mean cross-entropy of 1,000 held-out games with
// all of them multiplied by a factor (start weights: 0.6139):
//
//	games   0.25    0.5     1       2       4       free
//	  100   0.6103  0.6061  0.6049  0.6159  0.6456  0.8102
//	  200   0.6077  0.6045  0.6037  0.6076  0.6208  diverges
//	  800   0.6033  0.6002  0.5986  0.5995  0.6034  diverges
//	1,600   0.6006  0.5970  0.5948  0.5952  0.5967  0.6025
//	3,000   0.5983  0.5944  0.5923  0.5919  0.5921  0.5935
var DefaultTau = []struct {
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

// taus returns the prior's tau for each term: that of its name or group in
// overrides, else the default of its group, times the factor.
func Widths(terms []rows.Term, overrides map[string]float64, factor float64) ([]float64, error) {
	if err := checkNames(terms, slices.Sorted(maps.Keys(overrides))); err != nil {
		return nil, err
	}
	out := make([]float64, len(terms))
	for t, term := range terms {
		for _, d := range DefaultTau {
			if strings.Contains(term.Group, d.Group) {
				out[t] = d.Tau
				break
			}
		}
		if v, ok := overrides[term.Group]; ok {
			out[t] = v
		}
		if v, ok := overrides[term.Name]; ok {
			out[t] = v
		}
		if !(out[t] > 0) {
			return nil, fmt.Errorf("prior of %s: tau %v is not positive (freeze it instead)", term.Name, out[t])
		}
		out[t] *= factor
	}
	return out, nil
}
