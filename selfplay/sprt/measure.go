package sprt

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

	Elo      float64 `json:"elo"` // logistic
	EloLo    float64 `json:"elo_lo"`
	EloHi    float64 `json:"elo_hi"` // normal 95 % interval
	LikelyLo float64 `json:"elo_likely_lo"`
	LikelyHi float64 `json:"elo_likely_hi"` // 95 % interval by likelihood: wide where games are few

	// Logistic; median-unbiased although the test may have ended the match.
	Unbiased   float64 `json:"elo_unbiased"`
	UnbiasedLo float64 `json:"elo_unbiased_lo"`
	UnbiasedHi float64 `json:"elo_unbiased_hi"`

	NElo      float64  `json:"nelo"`
	NEloLo    float64  `json:"nelo_lo"`
	NEloHi    float64  `json:"nelo_hi"`
	LOS       float64  `json:"los"`
	DrawRatio float64  `json:"draw_ratio"` // share of even pairs, or of draws among single games
	PairRatio *float64 `json:"pair_ratio"` // pairs won by pairs lost; null for single games
}

// Measure returns what results say. Elo and its intervals are those of games whose number
// was fixed beforehand; Unbiased is right where the test ended the match.
func (t Test) Measure(c Counts) (*Measured, error) {
	llr, err := t.LLR(c)
	if err != nil {
		return nil, err
	}
	e, err := t.AfterStop(c)
	if err != nil {
		return nil, err
	}
	s := Summarize(c)
	r := &Measured{
		Games: s.Games, Score: s.Score, LLR: llr, Verdict: t.Status(llr).String(),
		Elo: s.Elo, EloLo: s.EloLo, EloHi: s.EloHi, LikelyLo: s.LikelyLo, LikelyHi: s.LikelyHi,
		Unbiased: e.Elo, UnbiasedLo: e.Lo, UnbiasedHi: e.Hi,
		NElo: s.NElo, NEloLo: s.NEloLo, NEloHi: s.NEloHi,
		LOS: s.LOS, DrawRatio: s.DrawRatio,
	}
	if s.Paired {
		r.PairRatio = &s.PairRatio
	}
	r.CorrectedLower, r.CorrectedUpper, err = t.CorrectedBounds(c)
	return r, err
}
