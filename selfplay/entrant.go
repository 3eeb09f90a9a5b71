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

// DefaultMaxOpeningScore is the score, in centipawns, above which an opening is too
// lopsided to be played.
const DefaultMaxOpeningScore = 150

// maxCheckNodes is what the check of an opening is worth where games are long
// thoughts: a search deep enough to see what eight random plies have left hanging.
const maxCheckNodes = 20000

// CheckLimits returns the limits of the search that checks an opening, by default:
// 20,000 nodes, or four times those of a move where that is less. A game of eighty
// plies then spends 5 % of its nodes on each check; a check of 20,000 nodes would be
// a quarter of a game at 1,000 a move.
func CheckLimits(move Limits) Limits {
	if move.Nodes == 0 {
		return Limits{Nodes: maxCheckNodes}
	}
	return Limits{Nodes: min(maxCheckNodes, 4*move.Nodes)}
}
