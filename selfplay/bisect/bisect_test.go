package bisect

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/selfplay/sprt"
)

var usual = Prior{Step: 30, Error: 0.05}

// One step is found, in far fewer games than matches of all neighbours, and a wrong commit is named at most as often
// as the prior says.
func TestSimulate(t *testing.T) {
	for _, n := range []int{1, 8, 24} {
		runs := 60
		if n > 8 {
			runs = 24
		}
		e, err := Simulate(n, usual, 100, 40000, runs, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d commits: %.0f games, %.0f in nine of ten, %.2f right, %.2f wrong", n, e.Games, e.Most, e.Right, e.Wrong)
		limit := 0.05 + 2*math.Sqrt(0.05*0.95/float64(runs))
		if e.Wrong > limit || e.Right < 0.9 || e.Games > 6000+2000*math.Log2(float64(n)) || e.Most < e.Games*0.8 {
			t.Errorf("%d commits: %+v", n, e)
		}
	}
}

// What is true is answered: no step, two steps, and no single commit where each has a share. A step at a version that
// cannot play is not called a single commit's.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		elo  []float64
		want []string // allowed
	}{
		"none":    {[]float64{0, 0, 0, 0, 0, 0, 0}, []string{NoStep, NoStep}},
		"two":     {[]float64{0, 0, 35, 35, 35, 0, 0}, []string{TwoSteps, TwoSteps}},
		"gradual": {[]float64{0, 10, 20, 30, 40, 50, 60}, []string{NoSingleCommit, TwoSteps}},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		right, singles := 0, 0
		const runs = 16
		for range runs {
			a, _, err := bisect(6, usual, 200, 30000, c.elo, rng)
			if err != nil {
				t.Fatal(err)
			}
			if a.Verdict == c.want[0] || a.Verdict == c.want[1] {
				right++
			}
			if a.Verdict == OneStep {
				singles++
			}
		}
		if singles > 2 || right < runs*3/4 {
			t.Errorf("%s: %d of %d right, %d name a single commit", name, right, runs, singles)
		}
	}
	b, _ := New(4, usual)
	b.Skip(2)
	b.Add(0, 1, sprt.Pentanomial{0, 1000, 2000, 1000, 0})
	b.Add(1, 3, sprt.Pentanomial{0, 700, 2000, 1300, 0})
	b.Add(3, 4, sprt.Pentanomial{0, 1000, 2000, 1000, 0})
	a := b.Answer()
	if a.Verdict != OneStep || a.Steps[0].From != 1 || a.Steps[0].To != 3 || math.Abs(float64(a.Steps[0].Size.Elo)-26) > 3 {
		t.Errorf("with a version that cannot play: %+v", a)
	}
	for i, j := b.Next(100); i == 2 || j == 2; {
		t.Fatalf("version 2 plays: %d, %d", i, j)
	}
}

// The posterior does not depend on how matches are cut, and mirrors where all results do.
func TestPosteriorProperties(t *testing.T) {
	a, _ := New(5, usual)
	a.Add(0, 3, sprt.Pentanomial{5, 50, 100, 80, 9})
	a.Add(1, 4, sprt.Pentanomial{1, 30, 100, 30, 3})
	b, _ := New(5, usual)
	b.Add(1, 4, sprt.Pentanomial{1, 10, 40, 10, 0})
	b.Add(0, 3, sprt.Pentanomial{5, 50, 100, 80, 9})
	b.Add(1, 4, sprt.Pentanomial{0, 20, 60, 20, 3})
	m, _ := New(5, usual)
	m.Add(0, 3, sprt.Pentanomial{9, 80, 100, 50, 5})
	m.Add(1, 4, sprt.Pentanomial{3, 30, 100, 30, 1})
	sum := 0.0
	for k, p := range a.Chances() {
		if math.Abs(p-b.Chances()[k]) > 1e-9 || math.Abs(p-m.Chances()[k]) > 1e-9 {
			t.Errorf("commit %d: %v, in parts %v, mirrored %v", k, p, b.Chances()[k], m.Chances()[k])
		}
	}
	for _, h := range a.all {
		sum += h.weight
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("probabilities add up to %v", sum)
	}
	for _, bad := range []Prior{{0, 0.05}, {30, 0}, {30, 0.5}} {
		if _, err := New(3, bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// The closed form is the normal density of the measurements, integrated over the size of a step.
func TestLikelihood(t *testing.T) {
	b, _ := New(3, usual)
	b.seen = []measured{{i: 0, j: 2, elo: 20, variance: 100}, {i: 1, j: 3, elo: -5, variance: 64}}
	h := hypothesis{kind: one, at: [2]int{2}, sign: [2]float64{1}}
	sum, sd := 0.0, b.Step/spread
	const step = 0.01
	for x := -200.0; x < 260; x += step {
		sum += step * math.Exp(-math.Pow((x-30)/sd, 2)/2-math.Pow((20-x)/10, 2)/2-math.Pow((-5-x)/8, 2)/2) / sd /
			math.Sqrt(2*math.Pi) / 10 / 8
	}
	if got := b.regress(&h); math.Abs(got-math.Log(sum)) > 1e-6 {
		t.Errorf("log-likelihood %v, want %v", got, math.Log(sum))
	}
}
