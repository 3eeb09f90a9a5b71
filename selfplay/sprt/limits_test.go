package sprt

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

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
		"bounds": func() (any, error) {
			lower, upper, err := bad.correctedBounds(WDL(9, 2, 1))
			return math.Abs(lower) + math.Abs(upper), err
		},
		"model": func() (any, error) { x, err := ParseModel("elo"); return uint8(x), err },
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
		if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, ErrCounts) || !strings.HasSuffix(err.Error(), ": "+tt.want)) {
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

// TestWalkAfterManySamples: where more than one sample came, the jump is no record, but the next one is.
func TestWalkAfterManySamples(t *testing.T) {
	w := usual.walk(true)
	for _, step := range []struct {
		llr          float64
		added        int64
		below, above float64
	}{
		{0.1, 1, 0, 0.05}, {-0.2, 1, 0.1, 0.05}, {0.5, 2, 0.1, 0.05}, {0.7, 1, 0.1, 0.05 / 0.6},
		{-0.6, 1, 1.25 / 2.6, 0.05 / 0.6},
	} {
		w.advance(step.llr, step.added)
		if below, above := w.below.overshoot(), w.above.overshoot(); math.Abs(below-step.below) > 1e-6 || math.Abs(above-step.above) > 1e-6 {
			t.Errorf("at %v, %d samples: overshoot %v %v, want %v %v", step.llr, w.Samples(), below, above, step.below,
				step.above)
		}
	}
	if w.Samples() != 6 {
		t.Errorf("%d samples, want 6", w.Samples())
	}
}
