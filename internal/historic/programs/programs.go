// Package programs lists the historic programs that play chess. selfplay/roster opens them by name.
//
// No promise of stability.
package programs

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/historic/bernstein"
	"github.com/assay-chess/assay/internal/historic/losalamos"
	"github.com/assay-chess/assay/internal/historic/machack"
	"github.com/assay-chess/assay/internal/historic/nss"
	"github.com/assay-chess/assay/internal/historic/shannon"
	"github.com/assay-chess/assay/internal/historic/torres"
	"github.com/assay-chess/assay/internal/historic/turing"
)

// Program is a historic program.
type Program struct {
	Name    string
	Weights string // name of its weights; empty: it takes none
	// Open opens it. load opens weights: its own for "", or the file of the option EvalFile.
	Open func(load historic.Loader) (engine.Player, error)
}

// All returns the programs in the order of lists, roughly the weakest first.
func All() []Program {
	return []Program{
		plain("torres-1890", func() engine.Player { return torres.New() }),
		plain("random", func() engine.Player { return shannon.NewRandom() }),
		plain("first-move", func() engine.Player { return shannon.NewFirst() }),
		weighted("shannon-a", "shannon-1950", shannon.NewA, weightsOfShannon),
		weighted("shannon-b", "shannon-1950", shannon.NewB, weightsOfShannon),
		plain("nss-1958", func() engine.Player { return nss.New() }),
		plain("losalamos-1956", func() engine.Player { return losalamos.New() }),
		plain("bernstein-1957", func() engine.Player { return bernstein.New() }),
		plain("turing-1951", func() engine.Player { return turing.New() }),
		weighted("machack-1967", "machack-1967", machack.New,
			func(p *machack.Player) *historic.Weighted { return &p.Weighted }),
	}
}

func weightsOfShannon(p *shannon.Player) *historic.Weighted { return &p.Weighted }

// plain is a program without weights. Its options are known only to itself.
func plain(name string, open func() engine.Player) Program {
	return Program{Name: name, Open: func(historic.Loader) (engine.Player, error) { return open(), nil }}
}

// weighted is a program that evaluates with weights.
func weighted[P engine.Player](name, weights string, open func(eval.Weights) (P, error),
	part func(P) *historic.Weighted) Program {
	return Program{Name: name, Weights: weights, Open: func(load historic.Loader) (engine.Player, error) {
		w, err := load("")
		if err != nil {
			return nil, err
		}
		p, err := open(w)
		if err != nil {
			return nil, err
		}
		part(p).Load = load
		return p, nil
	}}
}
