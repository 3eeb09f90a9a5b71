package selfplay

import (
	"cmp"

	"github.com/assay-chess/assay/engine"
)

// Entrant is a player that takes part, and its name in files.
type Entrant struct {
	Spec engine.Spec
	Name string // in files; entrants of the same name play the same moves. Empty: the text of Spec
	// Shown is the name for people: in reports, results and PGN. Empty: Name.
	Shown string

	Options []engine.Option // set before each game; Name must contain them
}

// Identity returns the name in files.
func (e Entrant) Identity() string { return cmp.Or(e.Name, e.Spec.String()) }

// Label returns the name for people.
func (e Entrant) Label() string { return cmp.Or(e.Shown, e.Identity()) }

// Opener opens players.
type Opener func(spec engine.Spec) (engine.Player, error)
