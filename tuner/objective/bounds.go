package objective

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// Bound limits both values of a term, in centipawns.
type Bound struct{ Lo, Hi float64 }

// limits sets the bounds of the parameters, as changes from the start values.
func (p *Params) Bound(terms []rows.Term, bounds map[string]Bound) error {
	names := slices.Sorted(maps.Keys(bounds))
	for _, name := range names {
		if b := bounds[name]; !(b.Lo <= b.Hi) {
			return fmt.Errorf("%w: bounds of %s from %v to %v", ErrConfig, name, b.Lo, b.Hi)
		}
	}
	if err := checkNames(terms, names); err != nil {
		return err
	}
	b := optimize.NewBox(p.N)
	p.Box = b
	for t, term := range terms {
		bound, ok := bounds[term.Name]
		if !ok {
			if bound, ok = bounds[term.Group]; !ok {
				continue
			}
		}
		for _, h := range [2]struct {
			j     int
			start float64
		}{{p.MG[t], p.Start.MG[t]}, {p.EG[t], p.Start.EG[t]}} {
			if h.j == Fixed {
				continue
			}
			b.Lo[h.j], b.Hi[h.j] = max(b.Lo[h.j], bound.Lo-h.start), min(b.Hi[h.j], bound.Hi-h.start)
			if b.Lo[h.j] > b.Hi[h.j] {
				return fmt.Errorf("%w: the bounds of terms tied to %s leave nothing", ErrConfig, term.Name)
			}
		}
	}
	return nil
}

// holdOut returns m without the rows and columns of parameters held at a bound: they do not move with the data.
func (p *Params) HoldOut(m *mat.SymDense) *mat.SymDense {
	if p.Box == nil || !slices.Contains(p.Box.Held, true) {
		return m
	}
	out := mat.NewSymDense(p.N, nil)
	for j := range p.N {
		for k := j; k < p.N; k++ {
			if !p.Box.Held[j] && !p.Box.Held[k] {
				out.SetSym(j, k, m.At(j, k))
			}
		}
	}
	return out
}

// stuck reports whether parameter j is held at a bound.
func (p *Params) Stuck(j int) bool { return p.Box != nil && p.Box.Held[j] }
