package roster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/historic/bernstein"
	"github.com/assay-chess/assay/engine/historic/losalamos"
	"github.com/assay-chess/assay/engine/historic/machack"
	"github.com/assay-chess/assay/engine/historic/nss"
	"github.com/assay-chess/assay/engine/historic/random"
	"github.com/assay-chess/assay/engine/historic/shannon"
	"github.com/assay-chess/assay/engine/historic/torres"
	"github.com/assay-chess/assay/engine/historic/turing"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// historicEntries are the programs of the papers, roughly from the weakest on: the
// order in which lists show them.
func historicEntries() []entry {
	return []entry{
		paperEntry("torres-1890", func() engine.Player { return torres.New() }),
		paperEntry("random", func() engine.Player { return random.New() }),
		paperEntry("first-move", func() engine.Player { return random.NewFirst() }),
		weightedEntry("shannon-a", "shannon-1950", shannon.NewA, func(p *shannon.Player) *loader { return &p.Load }),
		weightedEntry("shannon-b", "shannon-1950", shannon.NewB, func(p *shannon.Player) *loader { return &p.Load }),
		paperEntry("nss-1958", func() engine.Player { return nss.New() }),
		paperEntry("losalamos-1956", func() engine.Player { return losalamos.New() }),
		paperEntry("bernstein-1957", func() engine.Player { return bernstein.New() }),
		paperEntry("turing-1951", func() engine.Player { return turing.New() }),
		weightedEntry("machack-1967", "machack-1967", machack.New, func(p *machack.Player) *loader { return &p.Load }),
	}
}

// OfPaper tells whether a specification names a program of a paper, which thinks to a
// depth of its own where no limit cuts it short.
func OfPaper(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	return slices.ContainsFunc(historicEntries(), func(e entry) bool { return e.name == name })
}

// paperEntry is a program that takes its own options beside a limit.
func paperEntry(name string, open func() engine.Player) entry {
	return entry{
		name: name, settings: []string{"nodes", "depth"}, options: func(string) bool { return true },
		open:     func(*settings) (engine.Player, error) { return open(), nil },
		identity: func(*settings) (string, error) { return name, nil },
	}
}

// loader finds the weights that a player's option EvalFile names.
type loader = func(name string) (*eval.Model, []eval.Coef, error)

// weightedEntry is a program that evaluates by the terms of its paper, with the given
// weights or any others. load tells where the player keeps its loader.
func weightedEntry[P engine.Player](name, weights string, open func(*eval.Model, []eval.Coef) (P, error), load func(P) *loader) entry {
	e := paperEntry(name, nil)
	e.settings = []string{"weights", "nodes", "depth"}
	e.weights = weights
	e.open = func(s *settings) (engine.Player, error) {
		m, w, err := weightsOf(s.weights)
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
			return weightsOf(name)
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

func weightsOf(name string) (*eval.Model, []eval.Coef, error) {
	f, err := models.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f.Weights()
}
