package spsa

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// plain is a parameter from -100 to 100.
func plain(name string, start float64) Parameter {
	return Parameter{Name: name, Start: start, Min: -100, Max: 100, CEnd: 4, REnd: 0.02}
}

// The sequences end where c_end and r_end say, and begin where the papers do.
func TestSchedule(t *testing.T) {
	c := Config{Parameters: []Parameter{plain("x", 0)}, Iterations: 5000}
	p := &c.Parameters[0]
	const n, a = 5000.0, 500.0
	for _, k := range []float64{1, 2, 77, 5000} {
		ck := 4 * math.Pow(n, 0.101) / math.Pow(k, 0.101)
		ak := 0.02 * 16 * math.Pow(a+n, 0.602) / math.Pow(a+k, 0.602)
		if got := c.perturbation(p, int(k)); math.Abs(got/ck-1) > 1e-12 {
			t.Errorf("c_%v = %v, want %v", k, got, ck)
		}
		if got := c.step(p, int(k)); math.Abs(got/(ak/ck)-1) > 1e-12 {
			t.Errorf("a_%v/c_%v = %v, want %v", k, k, got, ak/ck)
		}
	}
	if got := c.step(p, 5000); math.Abs(got-0.02*4) > 1e-12 {
		t.Errorf("the last step is %v, want r_end c_end", got)
	}
}

// A step goes the way of the side that was ahead, by the schedule's length.
func TestTellMovesTheValues(t *testing.T) {
	c := Config{Parameters: []Parameter{plain("x", 10), plain("y", -20)}, Iterations: 100, Seed: 4}
	tuner := setup.Must(New(c))
	trial := setup.Must(tuner.Ask(1))
	setup.Check(t, tuner.Tell(1, -2, 2))
	for i, v := range tuner.Values() {
		p := &c.Parameters[i]
		want := p.Start - 2*c.step(p, 1)*float64(trial.Flips[i])
		if math.Abs(v-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", p.Name, v, want)
		}
		if half := (trial.Plus[i] - trial.Minus[i]) / 2; math.Abs(half-float64(trial.Flips[i])*c.perturbation(p,
			1)) > 1e-9 {
			t.Errorf("%s is changed by %v", p.Name, half)
		}
	}
}

// Whole numbers are played whole, and their mean is what it should be.
func TestStochasticRoundingIsUnbiased(t *testing.T) {
	p := Parameter{Name: "x", Start: 3.3, Min: -10, Max: 10, CEnd: 0.7, REnd: 1e-9, Integer: true}
	c := Config{Parameters: []Parameter{p}, Iterations: 20000, Seed: 8}
	tuner := setup.Must(New(c))
	middle, width, want := 0.0, 0.0, 0.0
	for k := 1; k <= c.Iterations; k++ {
		trial := setup.Must(tuner.Ask(k))
		if trial.Plus[0] != math.Trunc(trial.Plus[0]) || trial.Minus[0] != math.Trunc(trial.Minus[0]) {
			t.Fatalf("%v and %v are played", trial.Plus, trial.Minus)
		}
		middle += (trial.Plus[0] + trial.Minus[0]) / 2 / 20000
		width += math.Abs(trial.Plus[0]-trial.Minus[0]) / 2 / 20000
		want += c.perturbation(&p, k) / 20000
		setup.Check(t, tuner.Tell(k, 0, 2))
	}
	if math.Abs(middle-3.3) > 0.02 || math.Abs(width-want) > 0.02 {
		t.Errorf("middle %v, want 3.3; half width %v, want %v", middle, width, want)
	}
}

// Equal configurations and results make equal runs, whatever is asked for when.
func TestReplayIsLossless(t *testing.T) {
	c := Config{Parameters: []Parameter{plain("x", 10), plain("y", -20)}, Iterations: 400, Seed: 5, Ahead: 7}
	results := rand.New(rand.NewPCG(1, 1))
	first, second := setup.Must(New(c)), setup.Must(New(c))
	asked := 0
	var trials []Trial
	var outcomes []float64
	for k := 1; k <= c.Iterations; k++ {
		for asked < c.Iterations && first.Ready(asked+1) {
			asked++
			trial := setup.Must(first.Ask(asked))
			trials = append(trials, trial)
		}
		if asked != min(k-1+7, c.Iterations) {
			t.Fatalf("%d iterations were asked for before the result of %d", asked, k)
		}
		outcomes = append(outcomes, float64(results.IntN(5)-2))
		setup.Check(t, first.Tell(k, outcomes[k-1], 2))
	}
	for k := 1; k <= c.Iterations; k++ {
		trial, err := second.Ask(k)
		if err != nil || !reflect.DeepEqual(trial, trials[k-1]) {
			t.Fatalf("iteration %d asks %v (%v), before %v", k, trial, err, trials[k-1])
		}
		setup.Check(t, second.Tell(k, outcomes[k-1], 2))
	}
	if !reflect.DeepEqual(first.Estimates(), second.Estimates()) {
		t.Error("equal results gave different answers")
	}
}

func TestOrderAndSense(t *testing.T) {
	tuner := setup.Must(New(Config{Parameters: []Parameter{plain("x", 10)}, Iterations: 10, Ahead: 2}))
	for _, k := range []int{0, -1, 3, 11} {
		if _, err := tuner.Ask(k); !errors.Is(err, errOrder) {
			t.Errorf("Ask(%d): %v", k, err)
		}
	}
	if err := tuner.Tell(2, 0, 2); !errors.Is(err, errOrder) {
		t.Errorf("result out of order: %v", err)
	}
	for _, bad := range []struct {
		result float64
		games  int
	}{{3, 2}, {0, 0}, {math.NaN(), 2}} {
		if err := tuner.Tell(1, bad.result, bad.games); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func TestValidate(t *testing.T) {
	good := plain("x", 0)
	change := func(f func(*Parameter)) Config {
		p := good
		f(&p)
		return Config{Parameters: []Parameter{p}, Iterations: 10}
	}
	for says, c := range map[string]Config{
		"no parameters":                    {Iterations: 1},
		"0 iterations":                     {Parameters: []Parameter{good}},
		`"Term" and "TERM" are one option`: {Parameters: []Parameter{plain("Term", 0), plain("TERM", 0)}, Iterations: 1},
		"is given twice":                   {Parameters: []Parameter{good, good}, Iterations: 1},
		"no name":                          change(func(p *Parameter) { p.Name = "" }),
		"not below max":                    change(func(p *Parameter) { p.Max = p.Min }),
		"start (101)":                      change(func(p *Parameter) { p.Start = 101 }),
		"above zero":                       change(func(p *Parameter) { p.REnd = 0 }),
		"more than half":                   change(func(p *Parameter) { p.CEnd = 150 }),
		"below 0.5":                        change(func(p *Parameter) { p.CEnd, p.Integer = 0.4, true }),
		"must be integers":                 change(func(p *Parameter) { p.Min, p.Integer = -1.5, true }),
		"not a finite number":              change(func(p *Parameter) { p.CEnd = math.NaN() }),
		"10001 iterations a":               {Parameters: []Parameter{good}, Iterations: 1, Ahead: 10001},
	} {
		if _, err := New(c); !errors.Is(err, errConfig) || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q: %v", says, err)
		}
	}
}

// The optimum of a known hill is found within the errors that are given, and better
// than the start by far; the regression's intervals hold it as often as they say.
func TestRecoversTheTopOfAHill(t *testing.T) {
	c := Config{Iterations: 4000, Ahead: 4}
	for i := range 4 {
		p := Parameter{Name: string(rune('a' + i)), Start: 0, Min: -100, Max: 100, CEnd: 15, REnd: 0.01, Integer: i%2 == 0}
		c.Parameters = append(c.Parameters, p)
	}
	s := simulate(t, c, 2, 12, 80, 0.4)
	if math.Abs(s.startElo+80) > 1e-6 || s.valueElo < -12 || s.finalElo < -16 || s.covered < 0.85 || s.regressElo < -12 {
		t.Errorf("%+v", s)
	}
}

// Where nothing is to be gained no optimum is invented: about one effect in twenty is
// seen, the slope is zero within its error, and intervals are wide.
func TestFlatGround(t *testing.T) {
	c := Config{Iterations: 1000, Parameters: []Parameter{plain("x", 0), plain("y", 0)}}
	seen, steep, narrow := 0, 0, 0
	for run := range uint64(50) {
		c.Seed = run
		flat := hill{Optimum: []float64{0, 0}, Loss: []float64{0, 0}, Draws: 0.3}
		tuner := setup.Must(climb(context.Background(), c, 1, &flat))
		for _, e := range tuner.Estimates() {
			if *e.EffectP < 0.05 {
				seen++
			}
			if math.Abs(*e.Slope) > 2**e.SlopeSE {
				steep++
			}
			if *e.OptimumHi-*e.OptimumLo < 100 {
				narrow++
			}
		}
	}
	t.Logf("of 100 parameters on flat ground %d show an effect, %d a slope, %d have a narrow interval",
		seen, steep, narrow)
	const most = 12 // of 100 trials at 1 in 20, exceeded once in 700
	if seen > most || steep > most || narrow > most {
		t.Errorf("of 100 parameters on flat ground %d show an effect, %d a slope, %d have a narrow interval",
			seen, steep, narrow)
	}
}

// Too few results give an answer without errors, never a NaN.
func TestFewResults(t *testing.T) {
	c := Config{Iterations: 100, Parameters: []Parameter{plain("x", 7)}}
	tuner := setup.Must(New(c))
	for k := 0; k <= 30; k++ {
		if k > 0 {
			setup.Check(t, tuner.Tell(k, 0, 2))
		}
		e := tuner.Estimates()[0]
		if e.Value != 7 || e.BatchSE != 0 || e.Optimum != nil || e.Slope != nil && math.IsNaN(*e.Slope) {
			t.Fatalf("after %d iterations: %+v", k, e)
		}
	}
}

// What a budget finds is simulated alike with iterations of one pair and merged ones; a
// tiny step is hopeless, the default is not.
func TestAfford(t *testing.T) {
	c := Config{Iterations: 12000, Ahead: 4}
	for i := range 5 {
		c.Parameters = append(c.Parameters, Parameter{Name: string(rune('a' + i)), Min: -100, Max: 100, CEnd: 20})
	}
	c = c.WithDefaultREnd(1, 1)
	merged := setup.Must(Afford(t.Context(), c, 1, 40, 0.5))
	if whole := 40 + simulate(t, c, 1, 4, 40, 0.5).valueElo; math.Abs(merged.Found-whole) > 4 || merged.Hopeless {
		t.Errorf("merged: %+v; iteration by iteration %.1f", merged, whole)
	}
	for i := range 1000 - len(c.Parameters) { // a thousand are simulated in seconds, too
		c.Parameters = append(c.Parameters, Parameter{Name: fmt.Sprint(i), Min: -100, Max: 100, CEnd: 20})
	}
	if b, err := Afford(t.Context(), c.WithDefaultREnd(1, 10), 1, 40, 0.5); err != nil || b.Runs != 4 || !b.Hopeless {
		t.Errorf("1,000 parameters: %+v, %v", b, err)
	}
	c.Parameters, c.Iterations = c.Parameters[:5], 500
	for i := range c.Parameters {
		c.Parameters[i].REnd *= 0.1
		c.Parameters[i].CEnd *= 0.5
	}
	if b, err := Afford(t.Context(), c, 1, 40, 0.5); err != nil || !b.Hopeless {
		t.Errorf("tiny steps: %+v, %v", b, err)
	}
}

func TestDefaultREnd(t *testing.T) {
	for _, c := range []struct {
		pairs, parameters int
		want              float64
	}{{1, 1, 0.1}, {700, 9, 0.05669}, {10_000, 9, 0.015}, {1 << 40, 1000, 0.002}} {
		if got := DefaultREnd(c.pairs, c.parameters); got != c.want {
			t.Errorf("%d pairs, %d parameters: %v, want %v", c.pairs, c.parameters, got, c.want)
		}
	}
}

// A million pairs determine an optimum to any precision, also one beyond the bounds.
func TestLocateCertainOptimum(t *testing.T) {
	p := Parameter{Name: "x", Min: 0, Max: 100, Start: 50, CEnd: 10}
	for _, top := range []float64{72, 100, 500} {
		const h, precision = 0.1, 1e9
		var e Estimate
		p.locate(h*(top-50)/10, h, precision, precision, 0, &e)
		if want := min(top, 100); !(math.Abs(*e.Optimum-want) < 0.5) || !(*e.OptimumSE < 1) ||
			*e.OptimumHi < *e.OptimumLo {
			t.Errorf("top at %v: optimum %v ± %v, %v to %v", top, *e.Optimum, *e.OptimumSE, *e.OptimumLo, *e.OptimumHi)
		}
	}
}

// simulated is the result of simulated runs, as mean Elo below the optimum of their hills.
type simulated struct {
	startElo, finalElo float64 // of the first values and of the last
	valueElo           float64 // of the answer, the average over the last third
	regressElo         float64 // of the optimum by regression
	covered            float64 // share of parameters whose optimum is in the regression's 95 % interval
}

// simulate makes runs of the configuration, with as many pairs of games an iteration, each on a hill of its own.
func simulate(t *testing.T, c Config, pairs, runs int, elo, draws float64) (s simulated) {
	t.Helper()
	setup.Check(t, climbAll(t.Context(), c, pairs, runs, elo, draws, func(h *hill, t *Tuner) {
		values, tops := make([]float64, len(c.Parameters)), make([]float64, len(c.Parameters))
		for i, e := range t.Estimates() {
			values[i], tops[i] = e.Value, e.Value
			if e.Optimum == nil {
				continue
			}
			tops[i] = *e.Optimum
			if *e.OptimumLo <= h.Optimum[i] && h.Optimum[i] <= *e.OptimumHi {
				s.covered += 1 / float64(runs*len(c.Parameters))
			}
		}
		s.startElo += h.elo(c.Parameters, t.theta[0]) / float64(runs)
		s.finalElo += h.elo(c.Parameters, t.Values()) / float64(runs)
		s.valueElo += h.elo(c.Parameters, values) / float64(runs)
		s.regressElo += h.elo(c.Parameters, tops) / float64(runs)
	}))
	return s
}
