package sprt

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/setup"
)

// TestStrength covers few and one-sided games, in words and in JSON.
func TestStrength(t *testing.T) {
	for _, test := range []struct {
		pairs        Pentanomial
		text, brief  string
		json, prefix string
	}{
		{Pentanomial{0, 0, 1, 0, 0}, "- (fewer than 20 games)", "-", `{"elo":null,"elo_lo":null,"elo_hi":null}`, ""},
		{Pentanomial{0, 0, 0, 0, 9}, "- (fewer than 20 games)", "-", `{"elo":null,"elo_lo":null,"elo_hi":null}`, ""},
		{Pentanomial{0, 0, 0, 0, 30}, "more than +353 Elo", ">+353", "", `{"elo":"Infinity","elo_lo":353.30`},
		{Pentanomial{30, 0, 0, 0, 0}, "less than -353 Elo", "<-353", "",
			`{"elo":"-Infinity","elo_lo":"-Infinity","elo_hi":-353.30`},
		{Pentanomial{3, 30, 60, 41, 6}, "+21 Elo [-4, +46]", "+21±25", "", `{"elo":21.1`},
	} {
		s := Summarize(test.pairs).Strength()
		if got := s.Text(" Elo"); got != test.text {
			t.Errorf("%v: got %q, want %q", test.pairs, got, test.text)
		}
		if got := s.Brief(); got != test.brief {
			t.Errorf("%v: got %q, want %q", test.pairs, got, test.brief)
		}
		doc := setup.Must(json.Marshal(s))
		if test.json != "" && string(doc) != test.json || !strings.HasPrefix(string(doc), test.prefix) {
			t.Errorf("%v: JSON is %s, want %s%s", test.pairs, doc, test.json, test.prefix)
		}
		var back Strength
		setup.Check(t, json.Unmarshal(doc, &back))
		if back != s && s.Known() || back.Text("") != s.Text("") || back.Brief() != s.Brief() {
			t.Errorf("%v: %s is read as %+v", test.pairs, doc, back)
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
		doc := setup.Must(json.Marshal(known))
		var numbers []any
		setup.Check(t, json.Unmarshal(doc, &numbers))
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

// TestExactBounds compares the bound of matches that were won outright with the binomial one.
func TestExactBounds(t *testing.T) {
	for n := int64(1); n <= 2000; n = n*3/2 + 1 {
		want := math.Pow(1.0/40, 1/float64(n))
		for _, c := range []Counts{Pentanomial{4: n}, WDL(n, 0, 0)} {
			if lo, _ := exactBounds(c); math.Abs(lo-Elo(want)) > 0.01 {
				t.Errorf("%v: at least %v, want %v", c, lo, Elo(want))
			}
		}
		if _, hi := exactBounds(Pentanomial{n}); math.Abs(hi+Elo(want)) > 0.01 {
			t.Errorf("%d pairs lost: at most %v, want %v", n, hi, -Elo(want))
		}
	}
}

// everyResult calls visit with all results of n pairs.
func everyResult(n int64, visit func(p Pentanomial)) {
	for a := range n + 1 {
		for b := range n - a + 1 {
			for c := range n - a - b + 1 {
				for d := range n - a - b - c + 1 {
					visit(Pentanomial{a, b, c, d, n - a - b - c - d})
				}
			}
		}
	}
}

// TestExactCoverage adds up, for players of all strengths, the probabilities of the results
// whose bound is wrong: of results without a lost pair at most 1 %, and of all
// results at most 10 %: a few pairs can show no more exact an interval.
func TestExactCoverage(t *testing.T) {
	logFactorial := func(n int64) float64 { v, _ := math.Lgamma(float64(n + 1)); return v }
	for _, n := range []int64{10, 14}[:min(2, moreRuns)] {
		type shown struct {
			pairs  Pentanomial
			lo, hi float64
		}
		var all []shown
		everyResult(n, func(p Pentanomial) {
			s := Summarize(p).Strength()
			all = append(all, shown{p, float64(s.EloLo), float64(s.EloHi)})
		})
		for _, score := range []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98} {
			for _, drawn := range []float64{0, 0.1, 0.5, 0.9} {
				draw := 2 * (1 - score) * drawn
				loss := 1 - score - draw/2
				win := 1 - loss - draw
				q := Pentanomial{}.distribution()
				q.p = [5]float64{loss * loss, 2 * loss * draw, 2*loss*win + draw*draw, 2 * win * draw, win * win}
				lossless, low, high := 0.0, 0.0, 0.0
				for _, x := range all {
					log := logFactorial(n)
					for i, count := range x.pairs {
						if count > 0 {
							log += float64(count)*math.Log(q.p[i]) - logFactorial(count)
						}
					}
					p := math.Exp(log)
					if x.lo > Elo(score) {
						low += p
						if x.pairs[0]+x.pairs[1] == 0 {
							lossless += p
						}
					}
					if x.hi < Elo(score) {
						high += p
					}
				}
				if lossless > 0.01 || low+high > 0.1 {
					t.Errorf("%d pairs, score %v, %v of the rest drawn: wrong below %.4f (without a loss %.4f), above %.4f",
						n, score, drawn, low, lossless, high)
				}
			}
		}
	}
}

// TestLossNeverHelps: a pair less lost, or more won, never lowers the bound by which a player is stronger.
func TestLossNeverHelps(t *testing.T) {
	everyResult(min(12, 7+int64(moreRuns)), func(p Pentanomial) {
		s := Summarize(p).Strength()
		for i := range 4 {
			if better := p; p[i] > 0 && p[0]+p[1] > 0 {
				better[i], better[i+1] = p[i]-1, p[i+1]+1
				if x := Summarize(better).Strength(); better[0]+better[1] == 0 && float64(x.EloLo) < float64(s.EloLo)-1e-6 {
					t.Errorf("%v from %v, but %v only from %v", p, s.EloLo, better, x.EloLo)
				}
			}
		}
	})
}

// TestIntervalsCover draws samples and counts how often intervals hold the truth.
func TestIntervalsCover(t *testing.T) {
	shape := setup.Must(IndependentGames(0.5, true))
	const nelo, pairs = 120, 400
	runs := 500 * moreRuns
	truth := setup.Must(shape.at(Normalized, nelo))
	mean, _ := truth.moments()
	elo := Elo(mean)
	plain, likely, normalized := 0, 0, 0
	for i := range uint64(runs) {
		r := newSampler(&truth, 5, i)
		var c Pentanomial
		for range pairs {
			c[r.next()]++
		}
		s := Summarize(c)
		plain += inside(s.EloLo, elo, s.EloHi)
		likely += inside(s.LikelyLo, elo, s.LikelyHi)
		normalized += inside(s.NEloLo, nelo, s.NEloHi)
	}
	for name, n := range map[string]int{"Elo": plain, "likely": likely, "normalized": normalized} {
		// Five standard deviations of the count around 95 %, and a little for
		// what intervals of 400 pairs miss.
		if rate := float64(n) / float64(runs); rate < 0.93 || rate > 0.968 {
			t.Errorf("%s interval holds the truth in %.4f of samples", name, rate)
		}
	}
}

func inside(lo, x, hi float64) int {
	if lo <= x && x <= hi {
		return 1
	}
	return 0
}

func TestCounts(t *testing.T) {
	var p Pentanomial
	for _, pair := range [][2]int{{-1, -1}, {0, -1}, {1, -1}, {0, 0}, {1, 0}, {1, 1}, {2, 7}} {
		p.AddPair(pair[0], pair[1])
	}
	if want := (Pentanomial{1, 1, 2, 1, 2}); p != want {
		t.Errorf("pairs: got %v, want %v", p, want)
	}
	var g Trinomial
	for _, r := range []int{-1, 0, 0, 1, 1, 1} {
		g.AddGame(r)
	}
	if g != WDL(3, 2, 1) {
		t.Errorf("games: got %v", g)
	}
}

// TestEloIsScoresInverse also checks that Elo ends where it says.
func TestEloIsScoresInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		elo := (r.Float64()*2 - 1) * 1199
		if got := Elo(Score(elo)); math.Abs(got-elo) > 1e-7 {
			t.Fatalf("Elo(Score(%v)) = %v", elo, got)
		}
	}
	if Elo(0) != Elo(0.001) || !near(Elo(1), -Elo(0)) {
		t.Errorf("Elo(0) = %v, Elo(1) = %v", Elo(0), Elo(1))
	}
}
