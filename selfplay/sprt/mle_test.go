package sprt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/selfplay/runtest"
)

// randomCounts spans what matches bring and what they do not: few and many, even
// and one-sided, with zeros.
func randomCounts(r *rand.Rand) Counts {
	count := func() int64 {
		if r.IntN(3) == 0 {
			return 0
		}
		return int64(math.Exp(r.Float64() * 16))
	}
	if r.IntN(2) == 0 {
		return Trinomial{count(), count(), count()}
	}
	return Pentanomial{count(), count(), count(), count(), count()}
}

// TestConstraintsHold checks that the likeliest distributions satisfy their
// constraint and are distributions, over all hypotheses that a test may have.
func TestConstraintsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 6000 {
		c := randomCounts(r)
		d := c.distribution()
		s := Score((r.Float64()*2 - 1) * maxElo)
		found := d.withMean(s)
		if mean, _ := d.tilted(&found); math.Abs(mean-s) > 1e-9 {
			t.Fatalf("%v: mean %v, want %v", c, mean, s)
		}
		want := d.tValue((r.Float64()*2 - 1) * maxElo)
		if r.IntN(2) == 0 {
			want /= 50
		}
		equal := d.withMean(half)
		found = d.withT(want, &equal)
		mean, sigma := d.tilted(&found)
		if math.Abs(mean-half-want*sigma) > 1e-8 {
			t.Fatalf("%v: t-value %v, want %v", c, (mean-half)/sigma, want)
		}
		sum := 0.0
		for i := range d.k {
			if found.q[i] <= 0 {
				t.Fatalf("%v: probability %d is not above 0", c, i)
			}
			sum += d.p[i] / found.q[i]
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("%v: probabilities sum to %v", c, sum)
		}
	}
}

// TestLLRSymmetry checks identities that every LLR has: it changes sign when the
// hypotheses or the players are exchanged, and adds up along hypotheses.
func TestLLRSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 2000 {
		c := randomCounts(r)
		a, b, e := r.NormFloat64()*30, r.NormFloat64()*30, r.NormFloat64()*30
		for _, model := range []Model{Logistic, Normalized} {
			llr := func(c Counts, a, b float64) float64 { return Test{Elo0: a, Elo1: b, Model: model}.llrOf(c) }
			x, size := llr(c, a, b), float64(c.Samples())+1
			for name, y := range map[string]float64{
				"exchanged hypotheses": -llr(c, b, a),
				"exchanged players":    llr(mirrored(c), -a, -b),
				"by way of a third":    llr(c, a, e) + llr(c, e, b),
			} {
				if math.Abs(x-y) > 1e-9*size {
					t.Fatalf("%v LLR of %v, %v %v: %v, %s %v", model, c, a, b, x, name, y)
				}
			}
		}
	}
}

func mirrored(c Counts) Counts {
	if p, ok := c.(Pentanomial); ok {
		return Pentanomial{p[4], p[3], p[2], p[1], p[0]}
	}
	g := c.(Trinomial)
	return Trinomial{g[2], g[1], g[0]}
}

// TestLimits: what lies at a limit of a test is taken, what lies just beyond is refused, and names the limit.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		test Test
		want string
	}{
		{Test{-1000, 1000, Normalized, 0.05, 0.05}, ""},
		{Test{-1000.001, 1000, Normalized, 0.05, 0.05}, "elo0 is -1000.001, not within +-1000"},
		{Test{-1000, 1000.001, Logistic, 0.05, 0.05}, "elo1 is 1000.001, not within +-1000"},
		{Test{0, 1e-3, Normalized, 0.05, 0.05}, ""},
		{Test{0, 0.9e-3, Normalized, 0.05, 0.05}, "elo1 (0.0009) is not above elo0 (0) by 0.001 or more"},
		{Test{0, 5, Logistic, 1e-12, 1e-12}, ""},
		{Test{0, 5, Logistic, 0.9e-12, 0.05}, "alpha (9e-13) and beta (0.05) must lie between 0 and 1"},
		{Test{0, 5, Logistic, 0.05, 0.9e-12}, "alpha (0.05) and beta (9e-13) must lie between 0 and 1"},
		{Test{0, 5, Logistic, 1, 0.05}, "alpha (1) and beta (0.05) must lie between 0 and 1"},
		{Test{0, 5, Logistic, 0.05, 1}, "alpha (0.05) and beta (1) must lie between 0 and 1"},
		{Test{0, 5, Logistic, 0.75, 0.25}, "alpha + beta is 1, not below 1"},
		{Test{0, 5, Logistic, 0.75, 0.24}, ""},
		{Test{0, 5, Logistic, 0, 0.05}, "alpha (0) and beta (0.05) must lie between 0 and 1"},
		{Test{0, 5, Logistic, 0.05, math.NaN()}, "alpha (0.05) and beta (NaN) must lie between 0 and 1"},
		{Test{math.NaN(), 5, Normalized, 0.05, 0.05}, "elo0 is NaN, not within +-1000"},
		{Test{0, math.Inf(1), Normalized, 0.05, 0.05}, "elo1 is +Inf, not within +-1000"},
		{Test{0, 5, Logistic + 1, 0.05, 0.05}, "Model(2)"},
	} {
		err := tt.test.Validate()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%+v: %v", tt.test, err)
		case tt.want != "" && (!errors.Is(err, ErrTest) || !strings.HasSuffix(err.Error(), ": "+tt.want)):
			t.Errorf("%+v: %v, want %s", tt.test, err, tt.want)
		}
		if llr, errLLR := tt.test.LLR(WDL(9, 2, 1)); (errLLR == nil) != (tt.want == "") || err != nil && llr != 0 {
			t.Errorf("%+v: LLR %v, %v", tt.test, llr, errLLR)
		}
		if _, errWalk := NewWalk(tt.test, false); (errWalk == nil) != (tt.want == "") {
			t.Errorf("%+v: a walk began: %v", tt.test, errWalk)
		}
	}
}

// TestRefused: who asks with something impossible gets an error and no number.
func TestRefused(t *testing.T) {
	bad := Test{Elo0: 5, Elo1: 0, Alpha: 0.05, Beta: 0.05}
	for name, f := range map[string]func() (any, error){
		"LLR":      func() (any, error) { x, err := bad.LLR(WDL(9, 2, 1)); return x, err },
		"estimate": func() (any, error) { x, err := bad.AfterStop(WDL(9, 2, 1)); return x, err },
		"predict":  func() (any, error) { x, err := bad.Predict(mustShape(t, 0.5, true), 0, true); return x, err },
		"model":    func() (any, error) { x, err := ParseModel("elo"); return uint8(x), err },
	} {
		x, err := f()
		if text := fmt.Sprint(x); !errors.Is(err, ErrTest) || strings.Trim(text, "{} 0") != "" {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// TestCountLimits: counts are taken up to 2^50; an error names the count.
func TestCountLimits(t *testing.T) {
	for _, tt := range []struct {
		counts Counts
		want   string
	}{
		{WDL(1<<50, 1<<50, 0), ""},
		{Pentanomial{4: 1 << 50}, ""},
		{WDL(1, 2, 1<<50+1), "losses is 1125899906842625, above 2^50"},
		{WDL(1<<50+1, 2, 1), "wins is 1125899906842625, above 2^50"},
		{WDL(1, -1, 1), "draws is -1, below zero"},
		{Pentanomial{0, 0, 0, -1, 0}, "WD is -1, below zero"},
		{Pentanomial{0, 0, -2, 0, 0}, "WL+DD is -2, below zero"},
	} {
		err := tt.counts.Validate()
		if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, ErrCounts) || !strings.HasSuffix(err.Error(),
			": "+tt.want)) {
			t.Errorf("%v: %v, want %s", tt.counts, err, tt.want)
		}
		_, errLLR := usual.LLR(tt.counts)
		_, errStop := usual.AfterStop(tt.counts)
		if bad := tt.want != ""; errors.Is(errLLR, ErrCounts) != bad || errors.Is(errStop, ErrCounts) != bad {
			t.Errorf("%v: LLR %v, estimate %v", tt.counts, errLLR, errStop)
		}
	}
}

// TestShapeLimits: shares of draws and true Elo at their limits are taken.
func TestShapeLimits(t *testing.T) {
	for ratio, ok := range map[float64]bool{0.001: true, 0.999: true, 0.0009: false, 0.9991: false, math.NaN(): false} {
		if _, err := IndependentGames(ratio, false); (err == nil) != ok {
			t.Errorf("draw ratio %v: %v", ratio, err)
		}
	}
	for _, model := range []Model{Normalized, Logistic} {
		for elo, ok := range map[float64]bool{1000: true, -1000: true, 1000.1: false, -1000.1: false} {
			if _, err := mustShape(t, 0.5, false).at(model, elo); (err == nil) != ok {
				t.Errorf("%v: true Elo %v: %v", model, elo, err)
			}
		}
	}
	single, paired := mustShape(t, 0.6, false), mustShape(t, 0.6, true)
	if single.d.perSample == 2 || paired.d.perSample != 2 {
		t.Error("games are pairs, or pairs are not")
	}
	for i, want := range []float64{0.04, 0.24, 0.44, 0.24, 0.04} {
		if got := paired.d.p[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("pairs of score %d/4: %v, want %v", i, got, want)
		}
	}
}

// TestAtBounds: an LLR at a bound has crossed it.
func TestAtBounds(t *testing.T) {
	lower, upper := Test{Alpha: 0.05, Beta: 0.1}.Bounds()
	for _, tt := range []struct {
		llr  float64
		want Status
		text string
	}{
		{upper, AcceptH1, "accept H1"}, {math.Nextafter(upper, 0), Continue, "continue"},
		{lower, AcceptH0, "accept H0"}, {math.Nextafter(lower, 0), Continue, "continue"},
	} {
		if got := (Test{Alpha: 0.05, Beta: 0.1}).Status(tt.llr); got != tt.want || got.String() != tt.text {
			t.Errorf("at %v: %v, want %s", tt.llr, got, tt.text)
		}
	}
}

// TestOvershoot: a jump to a new record counts, on its side.
func TestOvershoot(t *testing.T) {
	w := usual.walk(true)
	for _, step := range []struct{ llr, below, above float64 }{
		{0.1, 0, 0.05}, {-0.2, 0.1, 0.05}, {0.5, 0.1, 0.17}, {0.4, 0.1, 0.17}, {-0.6, 0.2 / 1.2, 0.17},
	} {
		w.record(step.llr)
		if below, above := w.below.overshoot(), w.above.overshoot(); math.Abs(below-step.below) > 1e-6 ||
			math.Abs(above-step.above) > 1e-6 {
			t.Errorf("at %v: overshoot %v %v, want %v %v", step.llr, below, above, step.below, step.above)
		}
	}
}

// samples are tests with counts that passed, failed, go on, are few, or are one-sided.
var samples = []struct {
	name    string
	test    Test
	counts  Counts
	stopped bool
}{
	{"passed", Test{0, 5, Normalized, 0.05, 0.05}, Pentanomial{1187, 7410, 13475, 7878, 1264}, true},
	{"failed", Test{0, 5, Logistic, 0.05, 0.1}, Pentanomial{1187, 7410, 13475, 7378, 1164}, true},
	{"undecided", Test{-3, 1, Normalized, 0.02, 0.1}, Pentanomial{30, 200, 500, 210, 35}, false},
	{"fixed length", Test{0, 5, Logistic, 0.05, 0.05}, Pentanomial{39, 226, 345, 290, 40}, false},
	{"games", Test{0, 20, Logistic, 0.05, 0.05}, WDL(900, 1500, 780), true},
	{"games, normalized", Test{-10, 30, Normalized, 0.05, 0.01}, WDL(90, 150, 78), true},
	{"few", Test{0, 50, Normalized, 0.05, 0.05}, Pentanomial{0, 2, 4, 3, 1}, true},
	{"too few", Test{0, 50, Normalized, 0.05, 0.05}, WDL(7, 6, 6), true},
	{"no loss", Test{0, 50, Normalized, 0.05, 0.05}, Pentanomial{0, 0, 9, 4, 1}, true},
	{"no win", Test{-50, 0, Logistic, 0.05, 0.05}, Pentanomial{2, 8, 21, 0, 0}, false},
	{"half pairs lost", Test{0, 50, Normalized, 0.05, 0.05}, Pentanomial{0, 4, 20, 0, 9}, false},
	{"whole pairs lost", Test{0, 50, Normalized, 0.05, 0.05}, Pentanomial{4, 0, 20, 9, 0}, false},
	{"all won", Test{0, 50, Normalized, 0.05, 0.05}, WDL(40, 0, 0), true},
	{"games without a loss", Test{0, 50, Logistic, 0.05, 0.05}, WDL(40, 100, 0), false},
	{"games without a win", Test{0, 50, Logistic, 0.05, 0.05}, WDL(0, 100, 40), false},
	{"none", Test{0, 5, Normalized, 0.05, 0.05}, Pentanomial{}, false},
}

// TestMeasured: everything that people see of counts and a test stands in testdata.
func TestMeasured(t *testing.T) {
	var text bytes.Buffer
	for _, s := range samples {
		m, err := s.test.Measure(s.counts, s.stopped)
		if err != nil {
			t.Fatal(s.name, err)
		}
		doc, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			t.Fatal(s.name, err)
		}
		fmt.Fprintf(&text, "%s: %v\n%s\n%s, %s; after a stop %s\n", s.name, s.counts, doc, m.Text(" Elo"), m.Brief(),
			m.AfterStop.Text(" Elo"))
		for _, line := range m.Details.Lines() {
			fmt.Fprintf(&text, "%s: %s\n", line[0], line[1])
		}
	}
	runtest.Golden(t, "measured.txt", text.String(), 7)
	if _, err := usual.Measure(Pentanomial{-1}, false); err == nil {
		t.Error("negative counts are measured")
	}
}

// TestPredicted: the formulas of a few tests, at true Elo below, between and above the hypotheses, stand in testdata.
func TestPredicted(t *testing.T) {
	var text bytes.Buffer
	for _, s := range samples[:6] {
		for _, at := range []float64{-1.5, 0, 0.5, 1, 3} {
			elo := s.test.Elo0 + at*(s.test.Elo1-s.test.Elo0)
			for _, corrected := range []bool{false, true} {
				p, err := s.test.Predict(ShapeOf(s.counts), elo, corrected)
				if err != nil {
					t.Fatal(s.name, err)
				}
				fmt.Fprintf(&text, "%s at %v, corrected %v: pass %.8f, games %.8f\n", s.name, elo, corrected, p.Pass, p.Games)
			}
		}
	}
	runtest.Golden(t, "predicted.txt", text.String(), 7)
}

// TestOutcomes: probabilities of outcomes of motions of every kind, short and long, weak and strong, stand in testdata.
func TestOutcomes(t *testing.T) {
	var text bytes.Buffer
	for _, drift := range []float64{-9, -4, -2.6, -0.3, 0, 0.3, 2.4, 4, 9} {
		m := motion{lower: -2.5, upper: 3.5, drift: drift, variance: 1}
		for _, time := range []float64{0, 0.1, 0.7, 3, 30, 300} {
			fmt.Fprintf(&text, "drift %v, time %v:", drift, time)
			for _, y := range []float64{-4, -2.5, -1, 0.5, 3.5, 5} {
				p := m.outcome(time, y)
				if !(p >= 0 && p <= 1) {
					t.Errorf("%+v, time %v, level %v: probability %v", m, time, y, p)
				}
				fmt.Fprintf(&text, " %.7f", p+0)
			}
			text.WriteByte('\n')
		}
	}
	runtest.Golden(t, "outcomes.txt", text.String(), 7)
}
