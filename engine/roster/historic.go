package roster

import (
	"cmp"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/historic/losalamos"
	"github.com/assay-chess/assay/engine/internal/historic/bernstein"
	"github.com/assay-chess/assay/engine/internal/historic/machack"
	"github.com/assay-chess/assay/engine/internal/historic/nss"
	"github.com/assay-chess/assay/engine/internal/historic/random"
	"github.com/assay-chess/assay/engine/internal/historic/shannon"
	"github.com/assay-chess/assay/engine/internal/historic/torres"
	"github.com/assay-chess/assay/engine/internal/historic/turing"
	"github.com/assay-chess/assay/eval"
)

// historicEntries returns the historic programs in the order of lists, roughly the weakest
// first.
func historicEntries() []entry {
	return []entry{
		historicEntry("torres-1890", func() engine.Player { return torres.New() }),
		historicEntry("random", func() engine.Player { return random.New() }),
		historicEntry("first-move", func() engine.Player { return random.NewFirst() }),
		weightedEntry("shannon-a", "shannon-1950", shannon.NewA, func(p *shannon.Player) *loader { return &p.Load }),
		weightedEntry("shannon-b", "shannon-1950", shannon.NewB, func(p *shannon.Player) *loader { return &p.Load }),
		historicEntry("nss-1958", func() engine.Player { return nss.New() }),
		historicEntry("losalamos-1956", func() engine.Player { return losalamos.New() }),
		historicEntry("bernstein-1957", func() engine.Player { return bernstein.New() }),
		historicEntry("turing-1951", func() engine.Player { return turing.New() }),
		weightedEntry("machack-1967", "machack-1967", machack.New, func(p *machack.Player) *loader { return &p.Load }),
	}
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

// historicEntry is a program without weights. Its options are known only to itself.
func historicEntry(name string, open func() engine.Player) entry {
	return entry{name: name, open: func(engine.Spec) (engine.Player, error) { return open(), nil }}
}

// loader loads the weights that a player's option EvalFile names.
type loader = func(name string) (*eval.Model, []eval.Coef, error)

// weightedEntry is a program that evaluates with weights: those named, or any others. load returns the address of
// the player's loader.
func weightedEntry[P engine.Player](
	name, weights string, open func(*eval.Model, []eval.Coef) (P, error), load func(P) *loader) entry {
	return entry{name: name, weights: weights, open: func(spec engine.Spec) (engine.Player, error) {
		initial := WeightsName(spec)
		m, w, err := loadWeights(initial)
		if err != nil {
			return nil, err
		}
		p, err := open(m, w)
		if err != nil {
			return nil, err
		}
		*load(p) = func(name string) (*eval.Model, []eval.Coef, error) { return loadWeights(cmp.Or(name, initial)) }
		return p, nil
	}}
}
