package learn

import (
	"github.com/assay-chess/assay/selfplay/match"
)

// Outcome is what a loop found for an engine, judged against the engine that it began with.
type Outcome string

// The outcomes.
const (
	GainProved   Outcome = "gain proved"
	NotWeaker    Outcome = "not weaker by 10"
	NothingFound Outcome = "nothing found"
)

// Alpha is the error probability of the test at the end, and twice that is shared by the sizes of a step that a gate
// compares.
const Alpha = 0.025

// GateAlpha returns the error probability of each of the sizes of a step that a gate compares, so that weights which are
// no better pass by chance no more often than if there were one.
func GateAlpha(sizes int) float64 { return 2 * Alpha / float64(sizes) }

// Proof are the matches at the end of a loop, of its champion against the engine that it began with.
type Proof struct {
	NotWeaker *match.Result `json:"not_weaker"` // the test of [-10, 0] Elo with the error probability Alpha
	Fixed     *match.Result `json:"fixed"`      // the match of fixed length; null if the test was failed
	// These only add to what the others prove. Null: not played.
	Deep  *match.Result `json:"deep"`  // at 8 times the nodes
	Clock *match.Result `json:"clock"` // at a clock
}

// Outcome says what the matches show. Only the match of fixed length shows a gain. An engine that is 10 Elo weaker
// passes the test, and one that is equal shows a gain, with the probability Alpha at most.
func (p *Proof) Outcome() Outcome {
	switch {
	case p.Fixed != nil && p.Fixed.Known() && p.Fixed.EloLo > 0:
		return GainProved
	case p.NotWeaker != nil && p.NotWeaker.Passed():
		return NotWeaker
	}
	return NothingFound
}
