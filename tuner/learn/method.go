package learn

import (
	"math"
	"slices"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/internal/optimize"
)

// MethodSPSA tunes the coefficients by games between perturbed weights, without positions. The
// other methods fit them to positions.
const MethodSPSA = "spsa"

// Methods returns the names of the methods that a generation can have, the default first.
func Methods() []string { return append(optimize.Methods(), MethodSPSA) }

// byGames reports whether the generation is tuned by games instead of positions.
func (g *Generation) byGames() bool { return g.Method == MethodSPSA }

// firstPositions returns the number of the first generation that is fitted to positions, 0 if
// none is.
func (p *Plan) firstPositions() int {
	return 1 + slices.IndexFunc(p.Generations, func(g Generation) bool { return !g.byGames() })
}

// HeldTerm is a term whose weight a run does not change.
type HeldTerm struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// hold gives terms that occur in no row their start weights again, which a fit has rescaled with
// all others. Freezing them instead would forbid that rescaling.
func hold(r *tuner.Result, held []HeldTerm) {
	for _, h := range held {
		for i := range r.Terms {
			if t := &r.Terms[i]; t.Name == h.Name {
				t.MG, t.EG = int32(math.Round(t.StartMG)), int32(math.Round(t.StartEG))
				t.FitMG, t.FitEG, t.Frozen = t.StartMG, t.StartEG, true
			}
		}
	}
}

// heldTerms returns the terms of a model that a run cannot learn: those that are 0 in every
// position of its games and in the search that plays them.
func heldTerms(m *eval.Model) []HeldTerm {
	var list []HeldTerm
	for i := range m.Terms {
		if t := &m.Terms[i]; t.Rooted {
			list = append(list, HeldTerm{t.Name, "it compares with the position that a search started from, which " +
				"neither positions nor the search of assay have"})
		}
	}
	return list
}
