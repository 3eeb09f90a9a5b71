package sprt

import "github.com/assay-chess/assay/engine/num"

// Measured is what results say in the light of a test. The keys are those of
// match.Result.
type Measured struct {
	Games   int64   `json:"games"`
	Score   float64 `json:"score"`
	LLR     float64 `json:"llr"`
	Verdict string  `json:"verdict"` // "continue", "accept H0" or "accept H1"

	// Bounds of a test corrected for overshoot, estimated from the results.
	CorrectedLower float64 `json:"corrected_lower"`
	CorrectedUpper float64 `json:"corrected_upper"`

	// Strength is the Elo that is shown: see Summary.StrengthAfter. AfterStop is the
	// median-unbiased one, whether or not the test ended the match. Both are null after too
	// few games.
	Strength
	AfterStop Strength `json:"after_stop"`

	LOS       num.Float `json:"los"`
	DrawRatio float64   `json:"draw_ratio"` // share of even pairs, or of draws among single games
	PairRatio num.Float `json:"pair_ratio"` // pairs won by pairs lost; null for single games, or if none was lost
	Details   Details   `json:"details"`

	Paired bool `json:"-"` // counts of pairs
}

// Measure returns what results say: what the test observed, and all pairs (or games) of the
// match. Stopped says that the test may have ended the match.
func (t Test) Measure(c, all Counts, stopped bool) (*Measured, error) {
	llr, err := t.LLR(c)
	if err != nil {
		return nil, err
	}
	s := Summarize(all)
	after := s.StrengthAfter(&t, c)
	shown := after
	if !stopped {
		shown = s.Strength()
	}
	r := &Measured{
		Games: s.Games, Score: s.Score, LLR: llr, Verdict: t.Status(llr).String(),
		Strength: shown, AfterStop: after,
		LOS: s.KnownLOS(), DrawRatio: s.DrawRatio, PairRatio: s.KnownPairRatio(), Details: s.Details(), Paired: s.Paired,
	}
	r.CorrectedLower, r.CorrectedUpper, err = t.correctedBounds(c)
	return r, err
}
