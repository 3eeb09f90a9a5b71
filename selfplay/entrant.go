package selfplay

import "github.com/assay-chess/assay/engine"

// Entrant is a player who takes part: how to open it and how files call it.
type Entrant struct {
	Spec string // for the opener
	Name string // in files; whoever has the same name plays the same moves. Empty: Spec

	Options []Option // set before each game; the name has to tell them
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
