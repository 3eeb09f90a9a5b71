package sprt

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-chess/assay/engine/num"
)

// Unknown is a strength without an Elo.
func Unknown() Strength { return Strength{num.Unknown, num.Unknown, num.Unknown} }

const (
	// MinGames is the number of games below which no Elo is stated. So few may all end alike,
	// and would give a narrow interval far from the truth.
	MinGames = 20
	// fewGames is the number of games below which the normal interval is too narrow, because
	// it takes the spread of the games seen for the true one.
	fewGames = 100
)

// Strength is the Elo that people see, with its 95 % interval: the same in every text,
// file and picture. After too few games nothing is known: JSON has null. If all games were
// won or lost, the Elo and one end of the interval are infinite.
type Strength struct {
	Elo   num.Float `json:"elo"` // logistic, from -1000 to 1000
	EloLo num.Float `json:"elo_lo"`
	EloHi num.Float `json:"elo_hi"`
}

// Strength returns the Elo of games whose number was fixed beforehand. The interval is the
// normal one, or that by likelihood where games are few or one side won nothing.
func (s Summary) Strength() Strength {
	if s.Games < fewGames || s.oneSided {
		return s.strength(s.Elo, s.LikelyLo, s.LikelyHi)
	}
	return s.strength(s.Elo, s.EloLo, s.EloHi)
}

// StrengthAfter returns the Elo of a match: the median-unbiased estimate after the test, given
// what the test observed, or the strength of a match of fixed length if the test is nil. It is the only
// function that decides which Elo is shown.
func (s Summary) StrengthAfter(t *Test, observed Counts) Strength {
	if t == nil || s.Games < MinGames {
		return s.Strength()
	}
	e, err := t.AfterStop(observed)
	if err != nil {
		return s.Strength()
	}
	return s.strength(e.Elo, e.Lo, e.Hi)
}

func (s Summary) strength(elo, lo, hi float64) Strength {
	if s.Games < MinGames {
		return Unknown()
	}
	return Strength{bounded(elo), bounded(min(lo, s.exactLo)), bounded(max(hi, s.exactHi))}
}

// bounded makes an Elo infinite that no number of games can measure.
func bounded(elo float64) num.Float {
	if math.Abs(elo) > maxElo-0.5 {
		elo = math.Inf(int(math.Copysign(1, elo)))
	}
	return num.Float(elo)
}

// Known reports whether the games say anything about strength.
func (s Strength) Known() bool { return s.Elo.Known() }

// Text returns the Elo and its interval with the unit after the number: "+12 Elo [-3, +27]",
// "more than +310 Elo" if all games were won, or a dash and why nothing is known. An interval
// of less than ±10 has one decimal, one of less than ±1 two.
func (s Strength) Text(unit string) string {
	if !s.Known() {
		return fmt.Sprintf("- (fewer than %d games)", MinGames)
	}
	text := s.point("more than ", "less than ") + unit
	if math.IsInf(float64(s.Elo), 0) {
		return text
	}
	return text + fmt.Sprintf(" [%s, %s]", s.signed(s.EloLo), s.signed(s.EloHi))
}

// Brief returns the Elo and half the width of its interval, as "+12±19", for where there is no
// room for Text.
func (s Strength) Brief() string {
	text := s.point(">", "<")
	if half := float64(s.EloHi-s.EloLo) / 2; !math.IsInf(half, 0) && !math.IsNaN(half) {
		return text + fmt.Sprintf("±%.*f", s.decimals(), half)
	}
	return text
}

// point returns the Elo alone, or the end of the interval that is finite.
func (s Strength) point(above, below string) string {
	finite := func(x num.Float) bool { return x.Known() && !math.IsInf(float64(x), 0) }
	switch elo := float64(s.Elo); {
	case math.IsInf(elo, 1) && finite(s.EloLo):
		return above + s.signed(s.EloLo)
	case math.IsInf(elo, -1) && finite(s.EloHi):
		return below + s.signed(s.EloHi)
	case finite(s.Elo):
		return s.signed(s.Elo)
	}
	return "-"
}

// decimals says how many decimals the interval leaves a meaning.
func (s Strength) decimals() int {
	switch half := float64(s.EloHi-s.EloLo) / 2; {
	case half > 0 && half < 1:
		return 2
	case half > 0 && half < 10:
		return 1
	}
	return 0
}

func (s Strength) signed(elo num.Float) string {
	switch {
	case math.IsInf(float64(elo), 1):
		return "+∞"
	case math.IsInf(float64(elo), -1):
		return "-∞"
	}
	text := fmt.Sprintf("%+.*f", s.decimals(), float64(elo))
	if strings.Trim(text, "-0.") == "" {
		return "+" + text[1:] // not -0
	}
	return text
}

// Details are other measures of strength, for those who compare with other programs: as if the
// number of games had been fixed beforehand. All are null after too few games.
type Details struct {
	Elo      num.Float `json:"elo"` // of the score
	NormalLo num.Float `json:"elo_normal_lo"`
	NormalHi num.Float `json:"elo_normal_hi"`
	LikelyLo num.Float `json:"elo_likely_lo"` // interval by likelihood
	LikelyHi num.Float `json:"elo_likely_hi"`
	NElo     num.Float `json:"nelo"` // normalized
	NEloLo   num.Float `json:"nelo_lo"`
	NEloHi   num.Float `json:"nelo_hi"`
}

// Details returns the other measures.
func (s Summary) Details() Details {
	if s.Games < MinGames {
		return Details{num.Unknown, num.Unknown, num.Unknown, num.Unknown, num.Unknown, num.Unknown, num.Unknown, num.Unknown}
	}
	d := Details{Elo: bounded(s.Elo), NormalLo: bounded(s.EloLo), NormalHi: bounded(s.EloHi),
		LikelyLo: bounded(s.LikelyLo), LikelyHi: bounded(s.LikelyHi),
		NElo: num.Unknown, NEloLo: num.Unknown, NEloHi: num.Unknown}
	if !s.oneSided { // else its standard deviation comes from replaced zeros
		d.NElo, d.NEloLo, d.NEloHi = num.Float(s.NElo), num.Float(s.NEloLo), num.Float(s.NEloHi)
	}
	if math.IsInf(float64(d.Elo), 0) {
		d.NormalLo, d.NormalHi = num.Unknown, num.Unknown
	}
	return d
}

// Known reports whether there are any.
func (d Details) Known() bool {
	return (d.Elo.Known() || d.LikelyLo.Known() || d.LikelyHi.Known()) && d != Details{}
}

// Lines returns the details as rows of a table: a name, and the value with its interval.
func (d Details) Lines() [][2]string {
	if !d.Known() {
		return nil
	}
	row := func(name string, elo, lo, hi num.Float) [2]string {
		s := Strength{elo, lo, hi}
		if text := s.point("", ""); text == "-" {
			return [2]string{name, "- (one side won nothing)"}
		}
		return [2]string{name, s.Text("")}
	}
	return [][2]string{row("normal", d.Elo, d.NormalLo, d.NormalHi), row("by likelihood", d.Elo, d.LikelyLo, d.LikelyHi),
		row("nElo", d.NElo, d.NEloLo, d.NEloHi)}
}

// KnownLOS returns the likelihood of superiority, not known after too few games.
func (s Summary) KnownLOS() num.Float {
	if s.Games < MinGames {
		return num.Unknown
	}
	return num.Float(s.LOS)
}

// KnownPairRatio returns pairs won by pairs lost: not known after too few games, for single
// games, or if no pair was lost.
func (s Summary) KnownPairRatio() num.Float {
	if s.Games < MinGames || !s.Paired || s.noneLost {
		return num.Unknown
	}
	return num.Float(s.PairRatio)
}

// Measurement has what a test makes of results. The keys are as in
// match.Result.
type Measurement struct {
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

// Measure returns what results say. Stopped says that the test may have ended the match.
func (t Test) Measure(c Counts, stopped bool) (*Measurement, error) {
	llr, err := t.LLR(c)
	if err != nil {
		return nil, err
	}
	s := Summarize(c)
	after := s.StrengthAfter(&t, c)
	shown := after
	if !stopped {
		shown = s.Strength()
	}
	r := &Measurement{
		Games: s.Games, Score: s.Score, LLR: llr, Verdict: t.Status(llr).String(),
		Strength: shown, AfterStop: after,
		LOS: s.KnownLOS(), DrawRatio: s.DrawRatio, PairRatio: s.KnownPairRatio(), Details: s.Details(), Paired: s.Paired,
	}
	r.CorrectedLower, r.CorrectedUpper = t.correctedBounds(c)
	return r, nil
}
