package roster

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/historic/random"
)

// historicEntries are the programs of the papers, roughly from the weakest on: the
// order in which lists show them.
func historicEntries() []entry {
	return []entry{
		paperEntry("random", func() engine.Player { return random.New() }),
		paperEntry("first-move", func() engine.Player { return random.NewFirst() }),
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
