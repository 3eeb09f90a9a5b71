package sprt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/runtest"
)

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
		m, err := s.test.Measure(s.counts, s.counts, s.stopped)
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
}

// TestMeasureSeparates: the LLR is of what the test observed, everything else of all pairs.
func TestMeasureSeparates(t *testing.T) {
	x := Test{Elo0: 0, Elo1: 50, Model: Normalized, Alpha: 0.05, Beta: 0.05}
	observed, all := Pentanomial{20, 100, 150, 130, 30}, Pentanomial{20, 100, 150, 180, 40}
	m := setup.Must(x.Measure(observed, all, true))
	llr, err := x.LLR(observed)
	if err != nil || m.LLR != llr || m.Games != all.Games() || m.Score != Summarize(all).Score {
		t.Errorf("%+v, want the LLR %v of %v and the score of %v (%v)", m, llr, observed, all, err)
	}
	if m.Strength != m.AfterStop || m.AfterStop != Summarize(all).StrengthAfter(&x, observed) {
		t.Errorf("a test that ended a match shows %+v, not %+v", m.Strength, m.AfterStop)
	}
	m, err = x.Measure(observed, all, false)
	if err != nil || m.Strength != Summarize(all).Strength() || m.Strength == m.AfterStop {
		t.Errorf("a match of fixed length shows %+v, want %+v (%v)", m.Strength, Summarize(all).Strength(), err)
	}
	if _, err := x.Measure(Pentanomial{-1}, all, false); err == nil {
		t.Error("negative counts are measured")
	}
}

// TestPredicted: formulas and simulations of a few tests, at true Elo below, between and above the hypotheses,
// stand in testdata.
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
		short := s.test
		short.Elo1 += 100
		r, err := short.simulate(Simulation{Shape: ShapeOf(s.counts), TrueElo: 40, Runs: 60, Seed: 3,
			MaxGames: 150})
		if err != nil {
			t.Fatal(s.name, err)
		}
		rate, lo, hi := r.PassRate()
		fmt.Fprintf(&text, "%s, simulated: %+v\npass rate %.8f [%.8f, %.8f]\n", s.name, r, rate, lo, hi)
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
