package models

import "math"

// Change is a term whose weights differ between two files, A and B.
type Change struct {
	Name string `json:"name"`
	MGA  int32  `json:"mg_a"`
	EGA  int32  `json:"eg_a"`
	MGB  int32  `json:"mg_b"`
	EGB  int32  `json:"eg_b"`
	// Significant: one of the values differs by more than two standard errors, where
	// either file states them.
	Significant bool `json:"significant"`
}

// Diff returns the terms whose weights differ, in the order of a. Terms that only one of
// the files has are left out: see Missing.
func Diff(a, b *File) []Change {
	changes, inB := []Change{}, b.byName()
	for i := range a.Terms {
		x, y := &a.Terms[i], inB[a.Terms[i].Name]
		if y == nil || x.MG == y.MG && x.EG == y.EG {
			continue
		}
		far := func(from, to int32, seA, seB float64) bool {
			se := math.Hypot(seA, seB)
			return se > 0 && math.Abs(float64(to-from)) > 2*se
		}
		changes = append(changes, Change{
			x.Name, x.MG, x.EG, y.MG, y.EG,
			far(x.MG, y.MG, x.SEMG, y.SEMG) || far(x.EG, y.EG, x.SEEG, y.SEEG),
		})
	}
	return changes
}

// Missing returns the first term of a that b does not have, and whether there is one.
func Missing(a, b *File) (name string, missing bool) {
	in := b.byName()
	for i := range a.Terms {
		if in[a.Terms[i].Name] == nil {
			return a.Terms[i].Name, true
		}
	}
	return "", false
}

func (f *File) byName() map[string]*TermWeight {
	m := make(map[string]*TermWeight, len(f.Terms))
	for i := range f.Terms {
		m[f.Terms[i].Name] = &f.Terms[i]
	}
	return m
}
