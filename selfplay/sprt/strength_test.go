package sprt

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestStrength says what is known after few and after one-sided games, in words and in JSON.
func TestStrength(t *testing.T) {
	for _, test := range []struct {
		pairs        Pentanomial
		text, brief  string
		json, prefix string
	}{
		{Pentanomial{0, 0, 1, 0, 0}, "-", "-", `{"elo":null,"elo_lo":null,"elo_hi":null}`, ""},
		{Pentanomial{0, 0, 0, 0, 9}, "-", "-", `{"elo":null,"elo_lo":null,"elo_hi":null}`, ""},
		{Pentanomial{0, 0, 0, 0, 30}, "more than +471 Elo", ">+471", "", `{"elo":null,"elo_lo":470.`},
		{Pentanomial{30, 0, 0, 0, 0}, "less than -471 Elo", "<-471", "", `{"elo":null,"elo_lo":null,"elo_hi":-470.`},
		{Pentanomial{3, 30, 60, 41, 6}, "+21 Elo [-4, +46]", "+21±25", "", `{"elo":21.1`},
	} {
		s := Summarize(test.pairs).Strength()
		if got := s.Text(0, " Elo"); got != test.text {
			t.Errorf("%v: got %q, want %q", test.pairs, got, test.text)
		}
		if got := s.Brief(); got != test.brief {
			t.Errorf("%v: got %q, want %q", test.pairs, got, test.brief)
		}
		doc, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if test.json != "" && string(doc) != test.json || !strings.HasPrefix(string(doc), test.prefix) {
			t.Errorf("%v: JSON is %s, want %s%s", test.pairs, doc, test.json, test.prefix)
		}
		var back Strength
		if err := json.Unmarshal(doc, &back); err != nil {
			t.Fatal(err)
		}
		if back.Known() != (test.prefix != "" && s.Elo == back.Elo) {
			t.Errorf("%v: %s is read as %+v", test.pairs, doc, back)
		}
	}
}

// TestNoAbsurdNumbers goes through all results of up to four pairs of each score: what is
// told of them is not known, or possible.
func TestNoAbsurdNumbers(t *testing.T) {
	const most = 4
	for code := range (most + 1) * (most + 1) * (most + 1) * (most + 1) * (most + 1) {
		var p Pentanomial
		for i, rest := 0, code; i < len(p); i, rest = i+1, rest/(most+1) {
			p[i] = int64(rest % (most + 1))
		}
		s := Summarize(p)
		d := s.Details()
		known := []Float{s.Strength().Elo, s.Strength().EloLo, s.Strength().EloHi, d.Elo, d.NormalLo, d.NormalHi, d.LikelyLo, d.LikelyHi, d.NElo, d.NEloLo, d.NEloHi, s.KnownLOS(), s.KnownPairRatio()}
		doc, err := json.Marshal(known)
		if err != nil {
			t.Fatal(err)
		}
		var numbers []*float64
		if err := json.Unmarshal(doc, &numbers); err != nil {
			t.Fatal(err)
		}
		for i, n := range numbers {
			if n != nil && (s.Games < MinGames || *n > 2000 || *n < -2000) {
				t.Errorf("%v: number %d is %v", p, i, *n)
			}
		}
		x := s.Strength()
		if x.Known() && !(x.EloLo <= x.Elo && x.Elo <= x.EloHi) {
			t.Errorf("%v: %+v", p, x)
		}
	}
}
