package selfplay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-chess/assay/engine"
)

// Player is a player that takes part in games, and its names.
type Player struct {
	Spec engine.Spec
	ID   string // in files; players of the same ID play the same moves. Empty: the text of Spec
	Name string // for people, in reports, results and PGN. Empty: ID
	Same string // equal for copies of one program with the same settings, whatever their files are called. Empty: ID

	Options []engine.Option // set before each game; ID must contain them
}

// Identity returns the ID, or what stands for it.
func (p Player) Identity() string { return cmp.Or(p.ID, p.Spec.String()) }

// IsSame reports whether the players are the same program with the same settings and options.
func (p Player) IsSame(other Player) bool {
	return cmp.Or(p.Same, p.Identity()) == cmp.Or(other.Same, other.Identity()) && slices.Equal(p.Options, other.Options)
}

// Label returns the Name, or what stands for it.
func (p Player) Label() string { return cmp.Or(p.Name, p.Identity()) }

// Ignores says that a program searched far less than its limit of nodes, as one does that does not know "go nodes";
// mean is over its searches. It is empty where all is well.
func (p Player) Ignores(l Limits, mean float64) string {
	ends := p.Spec.Nodes != 0 || p.Spec.Depth != 0 || l.Depth != 0 || !l.Deterministic() // by something else
	if !p.Spec.External() && !p.Spec.FromGit() || ends || mean == 0 || mean > float64(l.Nodes)/10 {
		return ""
	}
	return fmt.Sprintf("%s searched %.0f nodes a ply, and its limit is %d: it does not seem to know \"go nodes\"; "+
		"limit its time instead", p.Label(), mean, l.Nodes)
}

// Opener opens players.
type Opener func(spec engine.Spec) (engine.Player, error)
