package tuner

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestCrossValidation: every game is held out once, and the gain agrees with that on games which no
// fit has seen, within four standard errors.
func TestCrossValidation(t *testing.T) {
	syn := synthetic.Games{
		Games: 200, Rows: 15, Terms: 5, PerRow: 3, Shared: 0.5, K: 0.006, Seed: 21, Persistent: true,
	}
	s, terms := syn.Store(t), syn.List(objective.NewTapered(syn.Terms))
	for i := range terms {
		terms[i].MG, terms[i].EG = syn.Truth().MG[i]/2, syn.Truth().EG[i]/2
	}
	c := NewConfig()
	c.K, c.KeepScale, c.Valid, c.Folds = syn.K, true, 0, 5
	c.Prior = map[string]float64{"pieces": 30}
	r := setup.Must(Fit(t.Context(), s, terms, c))
	held := *r.CrossValidation
	if held.Rows != s.Rows() || held.Clusters != syn.Games {
		t.Errorf("%d rows of %d games were held out, want %d of %d", held.Rows, held.Clusters, s.Rows(), syn.Games)
	}
	fresh := syn
	fresh.Games, fresh.Seed = 3000, 22
	setup.Check(t, r.TestOn(t.Context(), fresh.Store(t), terms))
	if d, se := held.Gain-r.Test.Gain, math.Hypot(float64(held.SE), float64(r.Test.SE)); !(math.Abs(d) < 4*se) {
		t.Errorf("gain %v cross-validated, %v on other games: %.1f standard errors apart", &held, r.Test, d/se)
	}
}

// TestVerdictOnScale: weights that only change their scale, to suit a slope that was given,
// are no better.
func TestVerdictOnScale(t *testing.T) {
	syn := synthetic.Games{Games: 200, Rows: 20, Terms: 3, PerRow: 2, K: 0.006, Seed: 22}
	c := NewConfig()
	c.K, c.Folds, c.Prior = syn.K/3, 5, map[string]float64{objective.AllTerms: 50}
	r := setup.Must(Fit(t.Context(), syn.Store(t), syn.List(syn.Truth()), c))
	if r.Start.Valid-r.Fit.Valid < 0.005 || r.Answer == Better {
		t.Errorf("validation loss %v -> %v, verdict %+v", r.Start.Valid, r.Rounded.Valid, r.Verdict)
	}
	c.K, c.Valid = 0, 0.2
	r = setup.Must(Fit(t.Context(), syn.Store(t), syn.List(syn.Truth()), c))
	if v := r.Validation; math.Abs(v.Start-float64(r.Start.Valid)) > 1e-12 ||
		math.Abs(v.Tuned-float64(r.Rounded.Valid)) > 1e-12 {
		t.Errorf("validation %+v, losses %v and %v", v, r.Start.Valid, r.Rounded.Valid)
	}
}

// TestDecide: a gain counts if all of its interval is above the margin, 2 % of what the start
// weights know; test data need none.
func TestDecide(t *testing.T) {
	at := func(lo, hi float64) Paired { // the start weights know 0.1
		return Paired{Start: 0.6, Constant: 0.7, Gain: (lo + hi) / 2, Tuned: 0.6 - (lo+hi)/2, Interval: Interval{lo, hi}}
	}
	for _, tt := range []struct {
		lo, hi                  float64
		validation, test, noisy bool
		want, caveat            string
	}{
		{lo: 0.0021, hi: 0.01, want: Better},
		{lo: 0.0021, hi: 0.01, validation: true, want: Better},
		{lo: 0.0019, hi: 0.01, want: BetterHere, caveat: "1.9 % of what the start weights know"},
		{lo: 0.0019, hi: 0.01, validation: true, want: BetterHere, caveat: "less than 2 %"},
		{lo: 0.0021, hi: 0.01, noisy: true, want: BetterHere, caveat: "noisy"},
		{lo: -0.0001, hi: 0.01, want: noDifference},
		{lo: -0.0001, hi: 0.01, noisy: true, want: noDifference},
		{lo: -0.01, hi: -0.0001, want: worse},
		{lo: 0.0001, hi: 0.01, test: true, want: Better},
		{lo: 0.0001, hi: 0.01, test: true, noisy: true, want: Better},
		{lo: -0.01, hi: -0.0001, test: true, want: worse},
		{want: noDifference}, // a single game
	} {
		r, p := new(Result), at(tt.lo, tt.hi)
		r.NoisyRows = tt.noisy
		switch contrary := at(-tt.hi, -tt.lo); {
		case tt.test:
			r.Test, r.CrossValidation, r.Validation = &Test{Paired: p}, &contrary, &contrary
		case tt.validation:
			r.Validation = &p
		default:
			r.CrossValidation, r.Validation = &p, &contrary
		}
		r.decide()
		caveat := r.Caveat()
		if r.Answer != tt.want || (caveat == "") != (tt.caveat == "") || !strings.Contains(caveat, tt.caveat) {
			t.Errorf("%+v: %s, margin %v: %s", tt, r.Answer, r.Margin, caveat)
		}
	}
}

// TestConstant: the loss of the best constant, by both losses.
func TestConstant(t *testing.T) {
	for loss, want := range map[objective.Loss]float64{
		objective.CrossEntropy: -0.75*math.Log(0.75) - 0.25*math.Log(0.25),
		objective.MSE:          0.75 - 0.75*0.75, // targets 1, 1, 1, 0: the mean is 3/4
	} {
		l := &clusterLosses{loss: loss, target: [2]float64{3, 3}}
		if got := l.constant(4); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", loss, got, want)
		}
	}
	if got := (&clusterLosses{target: [2]float64{4, 4}}).constant(4); got != 0 {
		t.Errorf("every target 1: %v", got)
	}
}

// TestOnOtherGames: the losses are the start's and the rounded weights', each under its
// own slope, and the verdict rests on them.
func TestOnOtherGames(t *testing.T) {
	syn := synthetic.Games{Games: 100, Rows: 20, Terms: 4, PerRow: 2, K: 0.006, Seed: 23}
	terms := syn.List(objective.NewTapered(syn.Terms))
	terms[0].MG, terms[0].EG = 50, 50
	c := NewConfig()
	c.K = syn.K
	r := setup.Must(Fit(t.Context(), syn.Store(t), terms, c))
	syn.Seed = 24
	other := syn.Store(t)
	setup.Check(t, r.TestOn(t.Context(), other, terms))
	p := &objective.Problem{Store: other, Target: objective.Targets(other, 1, 0)}
	p.Omega, _ = other.Split(other.Clusters(), 0, 0)
	w := objective.NewTapered(syn.Terms)
	for i, x := range r.Terms {
		w.MG[i], w.EG[i] = float64(x.MG), float64(x.EG)
	}
	for _, side := range []struct {
		w       objective.Tapered
		k, loss float64
	}{{objective.StartOf(terms), r.Test.KStart, r.Test.Start}, {w, r.Test.KTuned, r.Test.Tuned}} {
		k := setup.Must(p.FitK(t.Context(), side.w))
		m, err := p.Measure(t.Context(), side.w, k)
		if loss, _ := m.Means(); err != nil || k != side.k || math.Abs(loss-side.loss) > 1e-12 {
			t.Errorf("%v: K %v, loss %v; want %v, %v", err, side.k, side.loss, k, loss)
		}
	}
	if r.Answer != Better || r.Basis != "test data" || r.Gain().Clusters != 100 {
		t.Errorf("%+v", r.Verdict)
	}
}

// TestMoves: a change above 20 centipawns is a warning; a smaller or unknown one is not.
func TestMoves(t *testing.T) {
	for change, want := range map[num.Float]bool{19.9: false, 20.5: true, num.Unknown: false} {
		v := Verdict{Change: change}
		if got := v.Moves(); strings.HasSuffix(got, "play the match before you keep them") != want || (got == "") == want {
			t.Errorf("%v: %q", change, got)
		}
	}
}

// TestPairedIntervals: against weights without any loss, the interval of the difference is
// the other side's loss.
func TestPairedIntervals(t *testing.T) {
	of := &rows.Clusters{}
	loss, none := []float64{3, 1, 8, 2}, make([]float64, 4)
	weight := []float64{4, 2, 9, 4}
	a := (&clusterLosses{of: of, weight: weight, start: loss, tuned: none}).paired()
	b := (&clusterLosses{of: of, weight: weight, start: none, tuned: loss}).paired()
	if a.StartInterval != a.Interval || a.TunedInterval != (Interval{}) ||
		!(a.Interval[0] < a.Start && a.Start < a.Interval[1]) {
		t.Errorf("%+v", a)
	}
	if b.TunedInterval != a.Interval || b.Interval != (Interval{-a.Interval[1], -a.Interval[0]}) {
		t.Errorf("%+v", b)
	}
}

func TestLargestChanges(t *testing.T) {
	terms := []TermFit{
		{Name: "scaled", Tapered: true, Count: 9, StartMG: 900, StartEG: 900, FitMG: 810, FitEG: 811, Rescale: 0.9},
		{Name: "down", Tapered: true, Count: 9, FitMG: -30, MG: -30, FitEG: 2, Rescale: 0.9},
		{Name: "flat", Count: 9, StartMG: 10, StartEG: 10, FitMG: 21, FitEG: 21, MG: 21, Rescale: 0.9},
		{Name: "psq.pawn.a2", Tapered: true, Count: 4, FitMG: 7, Rescale: 0.9, SEMG: num.Unknown},
		{Name: "psq.pawn.h2", Tapered: true, Count: 5, FitMG: 7, Rescale: 0.9, SEMG: num.Unknown},
		{Name: "unseen", Count: 0, FitMG: 99, Rescale: 0.9},
	}
	want := []string{"down mg", "flat ", "psq.pawn.a2 mg", "down eg"}
	got := LargestChanges(terms, len(want))
	for i, c := range got {
		if name := c.Term.Name + " " + c.Half; name != want[i] {
			t.Errorf("%d: %s moved by %v, want %s", i, name, c.Moved, want[i])
		}
	}
	if len(got) != len(want) || len(LargestChanges(terms, 1)) != 1 || len(LargestChanges(terms, 99)) != 5 {
		t.Errorf("%d changes, want %d", len(got), len(want))
	}
}

// TestLossesOfSteps: the losses after the last step and the fit's are the same, on both sides
// of the split, whatever the method.
func TestLossesOfSteps(t *testing.T) {
	syn := synthetic.Games{Games: 200, Rows: 10, Terms: 8, PerRow: 4, K: 0.006, Seed: 5}
	for _, method := range []string{"gauss-newton", "adam"} {
		var last Step
		c := NewConfig()
		c.Method, c.K, c.Valid, c.KeepScale, c.Iterations = method, syn.K, 0.2, true, lossSteps
		c.Trace = func(s Step) { last = s }
		r := setup.Must(Fit(context.Background(), syn.Store(t), syn.List(objective.NewTapered(syn.Terms)), c))
		if math.Abs(float64(last.Train-r.Fit.Train)) > 1e-9 || math.Abs(float64(last.Valid-r.Fit.Valid)) > 1e-9 ||
			!(r.Fit.Valid > 0) {
			t.Errorf("%s: losses %v after step %d, of the fit %v", method, last.Losses, last.Iteration, r.Fit)
		}
	}
}

func TestMoved(t *testing.T) {
	moved := TermFit{StartMG: 100, MG: 120, SEMG: 5, EffectiveGames: 100, DataShare: 0.8, Rescale: 1}
	for name, test := range map[string]struct {
		change func(*TermFit)
		want   bool
	}{
		"far":                {func(*TermFit) {}, true},
		"near":               {func(t *TermFit) { t.SEMG = 15 }, false},
		"endgame":            {func(t *TermFit) { t.SEMG, t.StartEG, t.EG, t.SEEG = 15, 10, 40, 3 }, true},
		"the prior's":        {func(t *TermFit) { t.DataShare = 0.1 }, false},
		"few games":          {func(t *TermFit) { t.EffectiveGames = 20 }, false},
		"only the rescaling": {func(t *TermFit) { t.Rescale = 1.2 }, false},
		"never seen":         {func(t *TermFit) { t.SEMG = 0 }, false},
	} {
		term := moved
		test.change(&term)
		if term.Moved() != test.want {
			t.Errorf("%s: Moved() = %v", name, !test.want)
		}
	}
}

// TestLossesJSON: an unknown loss is null, and null is read as unknown.
func TestLossesJSON(t *testing.T) {
	text, err := json.Marshal(Losses{0.5, num.Float(math.NaN())})
	if err != nil || string(text) != `{"train":0.5,"valid":null}` {
		t.Fatalf("%s, %v", text, err)
	}
	var l Losses
	if err := json.Unmarshal(text, &l); err != nil || l.Train != 0.5 || l.Valid.Known() {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestMeanByGame works out a mean and its standard error by hand: the rows of game 7 are one
// cluster, the row without a game is another.
func TestMeanByGame(t *testing.T) {
	s := &predicted{weight: []float32{1, 1, 2}, game: []uint64{7, 7, 0}}
	m := s.mean([]float64{1, 2, 4})
	if m.games != 2 {
		t.Errorf("%d games, want 2", m.games)
	}
	// The mean is 11/4. The clusters' sums of deviations are -5/2 and 5/2.
	if want := math.Sqrt((6.25+6.25)*2/1) / 4; m.Mean != 2.75 || math.Abs(float64(m.SE)-want) > 1e-12 {
		t.Errorf("mean %v, standard error %v; want 2.75 and %v", m.Mean, m.SE, want)
	}
}
