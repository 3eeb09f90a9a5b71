package roster

import (
	"fmt"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/historic/bernstein"
	"github.com/assay-chess/assay/engine/historic/losalamos"
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
		shannonEntry("shannon-a", shannon.NewA),
		shannonEntry("shannon-b", shannon.NewB),
		paperEntry("nss-1958", func() engine.Player { return nss.New() }),
		paperEntry("losalamos-1956", func() engine.Player { return losalamos.New() }),
		paperEntry("bernstein-1957", func() engine.Player { return bernstein.New() }),
		paperEntry("turing-1951", func() engine.Player { return turing.New() }),
	}
}

// paperEntry is a program that takes its own options beside a limit.
func paperEntry(name string, open func() engine.Player) entry {
	return entry{
		name: name, settings: []string{"nodes", "depth"}, options: true,
		open:     func(*settings) (engine.Player, error) { return open(), nil },
		identity: func(*settings) (string, error) { return name, nil },
	}
}

// shannonEntry is one of Shannon's strategies, which evaluates by his f(P) or by any
// other weights.
func shannonEntry(name string, open func(*eval.Model, []eval.Coef) (*shannon.Player, error)) entry {
	e := paperEntry(name, nil)
	e.settings = []string{"weights", "nodes", "depth"}
	e.weights = "shannon-1950"
	e.open = func(s *settings) (engine.Player, error) {
		m, w, err := weightsOf(s.weights)
		if err != nil {
			return nil, err
		}
		p, err := open(m, w)
		if err != nil {
			return nil, err
		}
		p.Load = func(name string) (*eval.Model, []eval.Coef, error) {
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
