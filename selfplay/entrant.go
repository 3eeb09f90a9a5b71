package selfplay

import (
	"cmp"

	"github.com/assay-chess/assay/engine"
)

// Entrant is a player that takes part: how to open it and its name in files.
type Entrant struct {
	Spec string // for the opener
	Name string // in files; entrants of the same name play the same moves. Empty: Spec
	// Shown is the name for people: in reports, results and PGN. Empty: Name.
	Shown string

	Options []Option // set before each game; Name must contain them
}

// Identity returns the name in files.
func (e Entrant) Identity() string { return cmp.Or(e.Name, e.Spec) }

// Label returns the name for people.
func (e Entrant) Label() string { return cmp.Or(e.Shown, e.Identity()) }

// Opener opens players by specification.
type Opener func(spec string) (engine.Player, error)
