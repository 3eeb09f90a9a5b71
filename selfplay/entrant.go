package selfplay

import (
	"cmp"
	"fmt"
	"regexp"

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

// fileName finds the names of files in identities, before the checksums of what they hold.
var fileName = regexp.MustCompile(`([:= ])[^:= ]*@([0-9a-f]{12})`)

// SamePlayer reports whether two identities are those of one program with one set of options, whatever its files are
// called.
func SamePlayer(a, b string) bool {
	return fileName.ReplaceAllString(a, "$1@$2") == fileName.ReplaceAllString(b, "$1@$2")
}

// Label returns the name for people.
func (e Entrant) Label() string { return cmp.Or(e.Shown, e.Identity()) }

// Ignores says that a program searched far less than its limit of nodes, as one does that does not know "go nodes";
// mean is that of its searches. It is empty where all is well.
func (e Entrant) Ignores(l Limits, mean float64) string {
	ends := e.Spec.Nodes != 0 || e.Spec.Depth != 0 || l.Depth != 0 || !l.Deterministic() // by something else
	if !e.Spec.Foreign() && !e.Spec.FromGit() || ends || mean == 0 || mean > float64(l.Nodes)/10 {
		return ""
	}
	return fmt.Sprintf("%s searched %.0f nodes a ply, and its limit is %d: it does not seem to know \"go nodes\"; "+
		"play with --movetime or --tc", e.Label(), mean, l.Nodes)
}

// Opener opens players.
type Opener func(spec engine.Spec) (engine.Player, error)
