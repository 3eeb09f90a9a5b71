package roster

import (
	"fmt"
	"slices"
	"strings"

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
	"github.com/assay-chess/assay/models"
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

// WithOwnDepth returns the specification of a historic program with a limit of OwnDepth plies:
// it then searches to its own depth, whatever the limits of a search are. The specification of
// another player, or of one with nodes= or depth=, is returned unchanged.
func WithOwnDepth(spec string) string {
	if !IsHistoric(spec) {
		return spec
	}
	_, s, err := parse(spec)
	if err != nil || s.limits != (limits{}) {
		return spec // Open reports the error
	}
	return spec + limits{depth: OwnDepth}.String()
}

// IsHistoric reports whether the specification names a historic program. Such a program
// searches to its own depth unless a limit ends the search.
func IsHistoric(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	return slices.ContainsFunc(historicEntries(), func(e entry) bool { return e.name == name })
}

// historicEntry is a program that takes a limit and its own options.
func historicEntry(name string, open func() engine.Player) entry {
	return entry{
		name: name, settings: []string{"nodes", "depth"}, options: func(string) bool { return true },
		open:     func(*settings) (engine.Player, error) { return open(), nil },
		identity: func(*settings) (string, error) { return name, nil },
	}
}

// loader loads the weights that a player's option EvalFile names.
type loader = func(name string) (*eval.Model, []eval.Coef, error)

// weightedEntry is a program that evaluates with weights: those named, or any others. load
// returns the address of the player's loader.
func weightedEntry[P engine.Player](name, weights string, open func(*eval.Model, []eval.Coef) (P, error), load func(P) *loader) entry {
	e := historicEntry(name, nil)
	e.settings = []string{"weights", "nodes", "depth"}
	e.weights = weights
	e.open = func(s *settings) (engine.Player, error) {
		m, w, err := loadWeights(s.weights)
		if err != nil {
			return nil, err
		}
		p, err := open(m, w)
		if err != nil {
			return nil, err
		}
		*load(p) = func(name string) (*eval.Model, []eval.Coef, error) {
			if name == "" {
				name = s.weights
			}
			return loadWeights(name)
		}
		return p, nil
	}
	e.identity = func(s *settings) (string, error) {
		f, err := models.Open(s.weights)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s:weights=%s", name, f.ID()), nil
	}
	return e
}

func loadWeights(name string) (*eval.Model, []eval.Coef, error) {
	f, err := models.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f.Weights()
}
