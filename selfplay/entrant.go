package selfplay

import "github.com/assay-chess/assay/engine"

// Entrant is a player that takes part: how to open it and its name in files.
type Entrant struct {
	Spec string // for the opener
	Name string // in files; entrants of the same name play the same moves. Empty: Spec

	Options []Option // set before each game; Name must contain them
}

// Identity returns the name in files.
func (e Entrant) Identity() string {
	if e.Name != "" {
		return e.Name
	}
	return e.Spec
}

// Opener opens players by specification.
type Opener func(spec string) (engine.Player, error)
