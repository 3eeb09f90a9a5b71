package sprt

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Float is a number that JSON writes as null where it is not finite.
type Float float64

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements json.Unmarshaler. It reads null as NaN.
func (f *Float) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = unknown
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// Known reports whether f is a number.
func (f Float) Known() bool { return !math.IsNaN(float64(f)) }

// OrZero returns f, or 0 if it is not known.
func (f Float) OrZero() float64 {
	if f.Known() {
		return float64(f)
	}
	return 0
}

// unknown is the Float of a number that is not known.
var unknown = Float(math.NaN())

const (
	// MinGames is the number of games below which no Elo is stated. So few may all end alike,
	// and would give a narrow interval far from the truth.
	MinGames = 20
	// FewGames is the number of games below which the normal interval is too narrow, because
	// it takes the spread of the games seen for the true one.
	FewGames = 100
)

// Strength is the Elo that people are told, with its 95 % interval: the same in every text,
// file and picture. After too few games nothing is known. If all games were won or lost, the
// Elo and one end of the interval are infinite. JSON has null for both.
type Strength struct {
	Elo   Float `json:"elo"` // logistic, from -1000 to 1000
	EloLo Float `json:"elo_lo"`
	EloHi Float `json:"elo_hi"`
}

// Strength returns the Elo of games whose number was fixed beforehand. The interval is the
// normal one, or that by likelihood where games are few or one side won nothing.
func (s Summary) Strength() Strength {
	if s.Games < FewGames || s.oneSided {
		return strength(s.Games, s.Elo, s.LikelyLo, s.LikelyHi)
	}
	return strength(s.Games, s.Elo, s.EloLo, s.EloHi)
}

// Strength returns the Elo after a test of that many games.
func (e Estimate) Strength(games int64) Strength { return strength(games, e.Elo, e.Lo, e.Hi) }

func strength(games int64, elo, lo, hi float64) Strength {
	if games < MinGames {
		return Strength{unknown, unknown, unknown}
	}
	return Strength{bounded(elo), bounded(lo), bounded(hi)}
}

// bounded makes an Elo infinite that no number of games can measure.
func bounded(elo float64) Float {
	if math.Abs(elo) > maxElo-0.5 {
		elo = math.Inf(int(math.Copysign(1, elo)))
	}
	return Float(elo)
}

// Known reports whether the games say anything about strength.
func (s Strength) Known() bool { return s.Elo.Known() }

// Text returns the Elo and its interval with that many decimals and the unit after the number:
// "+12 Elo [+3, +21]", "more than +310 Elo" if all games were won, or "-" if nothing is known.
func (s Strength) Text(decimals int, unit string) string {
	text := s.point(decimals, "more than ", "less than ")
	if !s.Known() {
		return text
	}
	if text += unit; math.IsInf(float64(s.Elo), 0) {
		return text
	}
	return text + fmt.Sprintf(" [%s, %s]", signed(s.EloLo, decimals), signed(s.EloHi, decimals))
}

// Brief returns the Elo and half the width of its interval, as "+12±9".
func (s Strength) Brief() string {
	half := float64(s.EloHi-s.EloLo) / 2
	text := s.point(0, ">", "<")
	if math.IsInf(half, 0) || math.IsNaN(half) {
		return text
	}
	return text + fmt.Sprintf("±%.0f", half)
}

// point returns the Elo alone, or the end of the interval that is finite.
func (s Strength) point(decimals int, above, below string) string {
	switch elo := float64(s.Elo); {
	case math.IsInf(elo, 1) && !math.IsInf(float64(s.EloLo), 0):
		return above + signed(s.EloLo, decimals)
	case math.IsInf(elo, -1) && !math.IsInf(float64(s.EloHi), 0):
		return below + signed(s.EloHi, decimals)
	case math.IsInf(elo, 0) || math.IsNaN(elo):
		return "-"
	}
	return signed(s.Elo, decimals)
}

func signed(elo Float, decimals int) string {
	switch {
	case math.IsInf(float64(elo), 1):
		return "+∞"
	case math.IsInf(float64(elo), -1):
		return "-∞"
	}
	text := fmt.Sprintf("%+.*f", decimals, float64(elo))
	if strings.Trim(text, "-0.") == "" {
		return "+" + text[1:] // not -0
	}
	return text
}

// Details are other measures of strength, for those who compare with other programs: as if the
// number of games had been fixed beforehand. All are null after too few games.
type Details struct {
	Elo      Float `json:"elo"` // of the score
	NormalLo Float `json:"elo_normal_lo"`
	NormalHi Float `json:"elo_normal_hi"`
	LikelyLo Float `json:"elo_likely_lo"` // interval by likelihood
	LikelyHi Float `json:"elo_likely_hi"`
	NElo     Float `json:"nelo"` // normalized
	NEloLo   Float `json:"nelo_lo"`
	NEloHi   Float `json:"nelo_hi"`
}

// Details returns the other measures.
func (s Summary) Details() Details {
	if s.Games < MinGames {
		return Details{unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown}
	}
	d := Details{Elo: bounded(s.Elo), NormalLo: bounded(s.EloLo), NormalHi: bounded(s.EloHi), LikelyLo: bounded(s.LikelyLo), LikelyHi: bounded(s.LikelyHi),
		NElo: unknown, NEloLo: unknown, NEloHi: unknown}
	if !s.oneSided { // else its standard deviation is that of replaced zeros
		d.NElo, d.NEloLo, d.NEloHi = Float(s.NElo), Float(s.NEloLo), Float(s.NEloHi)
	}
	return d
}

// Known reports whether there are any.
func (d Details) Known() bool { return d.Elo.Known() && d != Details{} }

// Lines returns the details as rows of a table: a name, and the value with its interval.
func (d Details) Lines(decimals int) [][2]string {
	if !d.Known() {
		return nil
	}
	row := func(name string, elo, lo, hi Float) [2]string {
		return [2]string{name, Strength{elo, lo, hi}.Text(decimals, "")}
	}
	return [][2]string{row("normal", d.Elo, d.NormalLo, d.NormalHi), row("by likelihood", d.Elo, d.LikelyLo, d.LikelyHi), row("nElo", d.NElo, d.NEloLo, d.NEloHi)}
}

// KnownLOS returns the likelihood of superiority, not known after too few games.
func (s Summary) KnownLOS() Float {
	if s.Games < MinGames {
		return unknown
	}
	return Float(s.LOS)
}

// KnownPairRatio returns pairs won by pairs lost: not known after too few games, for single
// games, or if no pair was lost.
func (s Summary) KnownPairRatio() Float {
	if s.Games < MinGames || !s.Paired || s.noneLost {
		return unknown
	}
	return Float(s.PairRatio)
}
