package sprt

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/num"
)

// TestStrength says what is known after few and after one-sided games, in words and in JSON.
func TestStrength(t *testing.T) {
	for _, test := range []struct {
		pairs        Pentanomial
		text, brief  string
		json, prefix string
	}{
		{Pentanomial{0, 0, 1, 0, 0}, "- (fewer than 20 games)", "-", `{"elo":null,"elo_lo":null,"elo_hi":null}`, ""},
		{Pentanomial{0, 0, 0, 0, 9}, "- (fewer than 20 games)", "-", `{"elo":null,"elo_lo":null,"elo_hi":null}`, ""},
		{Pentanomial{0, 0, 0, 0, 30}, "more than +353 Elo", ">+353", "", `{"elo":"Infinity","elo_lo":353.30`},
		{Pentanomial{30, 0, 0, 0, 0}, "less than -353 Elo", "<-353", "", `{"elo":"-Infinity","elo_lo":"-Infinity","elo_hi":-353.30`},
		{Pentanomial{3, 30, 60, 41, 6}, "+21 Elo [-4, +46]", "+21±25", "", `{"elo":21.1`},
	} {
		s := Summarize(test.pairs).Strength()
		if got := s.Text(" Elo"); got != test.text {
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
		if back != s && s.Known() || back.Text("") != s.Text("") || back.Brief() != s.Brief() {
			t.Errorf("%v: %s is read as %+v", test.pairs, doc, back)
		}
		earlier := strings.NewReplacer(`"Infinity"`, "null", `"-Infinity"`, "null").Replace(string(doc))
		if err := json.Unmarshal([]byte(earlier), &back); err != nil || back.Text("") != s.Text("") ||
			back.Known() != s.Known() {
			t.Errorf("%v: %s of an earlier version is read as %+v, %v", test.pairs, earlier, back, err)
		}
	}
}

// TestDecimals: the interval decides how many there are, the same for the Elo and its ends.
func TestDecimals(t *testing.T) {
	for _, test := range []struct {
		s    Strength
		want string
	}{
		{Strength{12.44, 3.2, 20.6}, "+12.4 Elo [+3.2, +20.6]"},
		{Strength{0.824, 0.131, 1.498}, "+0.82 Elo [+0.13, +1.50]"},
		{Strength{-0.3, -20, 19}, "+0 Elo [-20, +19]"},
		{Strength{1500, 1500, 1500}, "+1500 Elo [+1500, +1500]"},
		{Strength{300, 100, num.Float(math.Inf(1))}, "+300 Elo [+100, +∞]"},
	} {
		if got := test.s.Text(" Elo"); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.s, got, test.want)
		}
	}
}

// TestNoAbsurdNumbers goes through all results of up to four pairs of each score: what is
// told of them is not known, or possible.
func TestNoAbsurdNumbers(t *testing.T) {
	most := min(4, 2+moreRuns)
	for code := range (most + 1) * (most + 1) * (most + 1) * (most + 1) * (most + 1) {
		var p Pentanomial
		for i, rest := 0, code; i < len(p); i, rest = i+1, rest/(most+1) {
			p[i] = int64(rest % (most + 1))
		}
		s := Summarize(p)
		d := s.Details()
		known := []num.Float{s.Strength().Elo, s.Strength().EloLo, s.Strength().EloHi, d.Elo, d.NormalLo,
			d.NormalHi, d.LikelyLo, d.LikelyHi, d.NElo, d.NEloLo, d.NEloHi, s.KnownLOS(), s.KnownPairRatio()}
		doc, err := json.Marshal(known)
		if err != nil {
			t.Fatal(err)
		}
		var numbers []any
		if err := json.Unmarshal(doc, &numbers); err != nil {
			t.Fatal(err)
		}
		for i, n := range numbers {
			if x, ok := n.(float64); n != nil && (s.Games < MinGames || ok && math.Abs(x) > 2000) {
				t.Errorf("%v: number %d is %v", p, i, n)
			}
		}
		x := s.Strength()
		if x.Known() && !(x.EloLo <= x.Elo && x.Elo <= x.EloHi) {
			t.Errorf("%v: %+v", p, x)
		}
	}
}
