package roster

import (
	"cmp"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/historic/programs"
)

// historicEntries returns the historic programs in the order of lists.
func historicEntries() (list []entry) {
	for _, p := range programs.All() {
		list = append(list, entry{name: p.Name, weights: p.Weights, open: func(spec engine.Spec) (engine.Player, error) {
			return p.Open(func(name string) (engine.Weights, error) {
				m, w, err := loadWeights(cmp.Or(name, WeightsName(spec)))
				if err != nil {
					return nil, err
				}
				return m.With(w), nil
			})
		}})
	}
	return list
}

// OwnDepth is a limit in plies beyond the own depth of every historic program.
const OwnDepth = 40

// WithOwnDepth returns a historic program with a limit of OwnDepth plies: it then searches to its own depth, whatever
// the limits of a search are. Other players, and those with nodes= or depth=, are returned unchanged.
func WithOwnDepth(spec engine.Spec) engine.Spec {
	if IsHistoric(spec) && spec.Nodes == 0 && spec.Depth == 0 {
		spec.Depth = OwnDepth
	}
	return spec
}

// IsHistoric reports whether the player is a historic program. Such a program searches to its own depth unless a
// limit ends the search.
func IsHistoric(spec engine.Spec) bool {
	return slices.ContainsFunc(historicEntries(), func(e entry) bool { return e.name == spec.Name })
}
