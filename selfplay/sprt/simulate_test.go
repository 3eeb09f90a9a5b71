package sprt

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

func mustShape(t testing.TB, drawRatio float64, paired bool) Shape {
	t.Helper()
	s, err := IndependentGames(drawRatio, paired)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustSimulate(t testing.TB, x Test, c Simulation) Simulated {
	t.Helper()
	s, err := x.simulate(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// moreRuns is how many times as many runs a study takes under the build tag soak: it is the whole study then.
var moreRuns = 1

// TestErrorRates simulates tests at both hypotheses: with correction for overshoot
// they err as often as asked, without it less often.
func TestErrorRates(t *testing.T) {
	errorRates(t, 30, 150*moreRuns)
	errorRates(t, 50, 400*moreRuns)
}

// errorRates simulates that many tests of [0, elo1] at each hypothesis.
func errorRates(t *testing.T, elo1 float64, runs int) {
	t.Helper()
	shape := mustShape(t, 0.6, true)
	x := Test{Elo0: 0, Elo1: elo1, Model: Normalized, Alpha: 0.05, Beta: 0.05}
	errs := map[bool]int{}
	for _, corrected := range []bool{true, false} {
		s := Simulation{Shape: shape, Runs: runs, Seed: 11, Corrected: corrected}
		first := mustSimulate(t, x, s).Passed
		s.TrueElo = elo1
		second := mustSimulate(t, x, s).Failed
		errs[corrected] = first + second
		if !corrected {
			continue
		}
		for _, n := range []int{first, second} {
			rate, sd := float64(n)/float64(runs), math.Sqrt(0.05*0.95/float64(runs))
			if rate < 0.047-4*sd || rate > 0.053+4*sd {
				t.Errorf("[0, %v]: error rate %v", elo1, rate)
			}
		}
	}
	// The same random numbers, so the difference is not chance; it is small where
	// steps are.
	if elo1 == 50 && errs[true] <= errs[false] {
		t.Errorf("[0, %v]: %d errors with correction, %d without", elo1, errs[true], errs[false])
	}
	t.Logf("[0, %v]: %d errors with correction, %d without, of %d", elo1, errs[true], errs[false], 2*runs)
}

// TestPrediction compares the formulas with simulation at the midpoint.
func TestPrediction(t *testing.T) {
	runs := 250 * moreRuns
	for _, x := range []Test{
		{Elo0: 0, Elo1: 30, Model: Normalized, Alpha: 0.05, Beta: 0.05},
		{Elo0: 0, Elo1: 20, Model: Logistic, Alpha: 0.05, Beta: 0.10},
		{Elo0: -5, Elo1: 25, Model: Logistic, Alpha: 0.05, Beta: 0.05},
	} {
		for _, corrected := range []bool{false, true} {
			shape := mustShape(t, 0.6, x.Elo0 == 0) // single games too
			mid := (x.Elo0 + x.Elo1) / 2
			p, err := x.Predict(shape, mid, corrected)
			if err != nil {
				t.Fatal(err)
			}
			s := mustSimulate(t, x, Simulation{Shape: shape, TrueElo: mid, Runs: runs, Seed: 12, Corrected: corrected})
			rate, lo, hi := s.PassRate()
			slack := 4/math.Sqrt(float64(runs)) + 0.03
			if p.Pass < lo-0.02 || p.Pass > hi+0.02 || math.Abs(s.MeanGames/p.Games-1) > slack {
				t.Errorf("%+v, corrected %v: predicted %+v, simulated %v and %+v", x, corrected, p, rate, s)
			}
			t.Logf("%v [%v, %v] corrected %v: pass %.4f (predicted %.4f), games %.1f (predicted %.1f)",
				x.Model, x.Elo0, x.Elo1, corrected, rate, p.Pass, s.MeanGames, p.Games)
		}
	}
}

// TestIndependentSimulation compares with another program's simulation of the same tests.
func TestIndependentSimulation(t *testing.T) {
	const name = "testdata/simulation.json"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Rows []struct {
			NElo0, NElo1, Runs float64
			True               float64    `json:"true_nelo"`
			Draws              float64    `json:"draw_ratio"`
			Pass               float64    `json:"pass_rate"`
			Mean               float64    `json:"mean_games"`
			Quantiles          [2]float64 `json:"median_p95_games"`
		}
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file.Rows) == 0 {
		t.Fatalf("%s: %v, %d rows", name, err, len(file.Rows))
	}
	runs := 70 * moreRuns
	for _, r := range file.Rows {
		x := Test{Elo0: r.NElo0, Elo1: r.NElo1, Model: Normalized, Alpha: 0.05, Beta: 0.05}
		s := mustSimulate(t, x, Simulation{Shape: mustShape(t, r.Draws, true), TrueElo: r.True, Runs: runs, Seed: 13})
		rate, _, _ := s.PassRate()
		// Four standard deviations of the difference of two simulations; games have a
		// deviation of about their mean.
		both := 1/r.Runs + 1/float64(runs)
		if d := 4 * math.Sqrt((r.Pass*(1-r.Pass)+0.001)*both); math.Abs(rate-r.Pass) > d {
			t.Errorf("%+v: pass rate %v", r, rate)
		}
		if d := 4 * math.Sqrt(both); math.Abs(s.MeanGames/r.Mean-1) > d || math.Abs(s.MedianGames/r.Quantiles[0]-1) > d ||
			math.Abs(s.P95Games/r.Quantiles[1]-1) > d {
			t.Errorf("%+v: %+v", r, s)
		}
		t.Logf("nElo [%v, %v] at %v: pass %.4f (theirs %.4f), games %.0f (%.0f)", r.NElo0, r.NElo1, r.True,
			rate, r.Pass, s.MeanGames, r.Mean)
	}
}

// TestFollowerIsExact compares the simulation's shortcut with walks that compute
// every LLR.
func TestFollowerIsExact(t *testing.T) {
	same, runs := 0, 0
	for _, x := range []Test{
		{Elo0: 0, Elo1: 20, Model: Normalized, Alpha: 0.05, Beta: 0.05},
		{Elo0: -10, Elo1: 10, Model: Logistic, Alpha: 0.05, Beta: 0.05},
		{Elo0: 0, Elo1: 30, Model: Logistic, Alpha: 0.05, Beta: 0.05},
	} {
		truth, err := mustShape(t, 0.6, x.Elo1 < 30).at(x.Model, (x.Elo0+x.Elo1)/2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(60) {
			corrected := i%2 == 0
			fast := x.simulateOne(newSampler(&truth, 14, i), corrected, math.MaxInt64)
			slow := everyLLR(t, x, newSampler(&truth, 14, i), corrected)
			if runs++; fast == slow {
				same++
			} else if !corrected {
				t.Errorf("%+v, run %d: %+v, computing every LLR %+v", x, i, fast, slow)
			}
		}
	}
	// With correction the bounds are sums over all records, to which the shortcut
	// adds its hundredths of a jump.
	if same < runs*95/100 {
		t.Errorf("only %d of %d tests ended alike", same, runs)
	}
	t.Logf("%d of %d tests ended alike", same, runs)
}

func everyLLR(t *testing.T, x Test, s *sampler, corrected bool) ending {
	w, err := NewWalk(x, corrected)
	if err != nil {
		t.Fatal(err)
	}
	var p Pentanomial
	for w.Status() == Continue {
		p[s.next()]++
		var c Counts = p
		if s.empty.k == 3 {
			c = Trinomial(p[:3])
		}
		if _, err := w.Observe(c); err != nil {
			t.Fatal(err)
		}
	}
	return ending{samples: w.Samples(), status: w.Status()}
}

// TestShapes checks what bending a shape promises: the true Elo is the one asked for.
func TestShapes(t *testing.T) {
	for _, elo := range []float64{-300, -5, 0, 2, 80} {
		for _, shape := range []Shape{mustShape(t, 0.7, true), ShapeOf(Pentanomial{30, 200, 500, 300, 10})} {
			d, err := shape.at(Logistic, elo)
			if err != nil {
				t.Fatal(err)
			}
			if mean, _ := d.moments(); math.Abs(Elo(mean)-elo) > 1e-6 {
				t.Errorf("logistic %v: got %v", elo, Elo(mean))
			}
			if d, err = shape.at(Normalized, elo); err != nil {
				t.Fatal(err)
			}
			mean, variance := d.moments()
			if got := d.normalizedElo((mean - half) / math.Sqrt(variance)); math.Abs(got-elo) > 1e-6 {
				t.Errorf("normalized %v: got %v", elo, got)
			}
		}
	}
}
