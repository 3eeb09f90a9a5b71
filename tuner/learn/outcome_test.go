package learn

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

var simulations = flag.Int("simulations", 300, "simulated runs of each kind")

// simulated simulates a match of engines that differ by elo, with 40 % draws: up to games, or until a test decides.
func simulated(t *testing.T, rng *rand.Rand, elo float64, games int, test *sprt.Test) *match.Result {
	t.Helper()
	const draws = 0.4
	win := sprt.Score(elo) - draws/2
	game := func() int {
		switch x := rng.Float64(); {
		case x < win:
			return 1
		case x < win+draws:
			return 0
		}
		return -1
	}
	var p sprt.Pentanomial
	r := &match.Result{Verdict: match.Undecided}
	var walk *sprt.Walk
	if test != nil {
		var err error
		if walk, err = sprt.NewWalk(*test, false); err != nil {
			t.Fatal(err)
		}
	}
	for p.Games() < int64(games) {
		p.AddPair(game(), game())
		if walk == nil {
			continue
		}
		status := setup.Must(walk.Observe(p))
		if status == sprt.AcceptH1 {
			r.Verdict = match.AcceptH1
		}
		if status == sprt.AcceptH0 {
			r.Verdict = match.AcceptH0
		}
		if status != sprt.Continue {
			break
		}
	}
	r.Games, r.Pentanomial, r.Strength = p.Games(), p, sprt.Summarize(p).Strength()
	return r
}

// concluded simulates the matches at the end, of an engine that is elo stronger than it was, as a loop plays them.
func concluded(t *testing.T, rng *rand.Rand, elo float64) Outcome {
	const games = 2000
	test := sprt.Test{Model: sprt.Logistic, Elo0: -10, Elo1: 0, Alpha: Alpha, Beta: 0.05}
	p := Proof{NotWeaker: simulated(t, rng, elo, games, &test)}
	if p.NotWeaker.Verdict != match.AcceptH0 {
		p.Fixed = simulated(t, rng, elo, games, nil)
	}
	return p.Outcome()
}

// What a loop hands out is worse than it says with the probability Alpha at most, whatever came before.
func TestOutcomeErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	n := *simulations
	for _, c := range []struct {
		elo  float64
		what []Outcome
	}{{-10, []Outcome{GainProved, NotWeaker}}, {0, []Outcome{GainProved}}} {
		wrong := 0
		for range n {
			if slices.Contains(c.what, concluded(t, rng, c.elo)) {
				wrong++
			}
		}
		rate := float64(wrong) / float64(n)
		t.Logf("truth %+g: %v in %.4f ± %.4f of %d runs", c.elo, c.what, rate, 1.96*math.Sqrt(rate*(1-rate)/float64(n)), n)
		if most := Alpha + 3*math.Sqrt(Alpha*(1-Alpha)/float64(n)); rate > most {
			t.Errorf("truth %+g: %v in %.4f of runs, want at most %.4f", c.elo, c.what, rate, most)
		}
	}
}

// Whole runs of two generations, whose fits are worth a normal Elo: what passes the gates is stronger, and what is
// handed out is hardly ever weaker.
func TestRunsGain(t *testing.T) {
	const sd, generations, games = 6, 2, 3000
	for _, mean := range []float64{0, -3} {
		rng := rand.New(rand.NewPCG(2, 2))
		gate := func(elo float64, games int) *match.Result {
			return simulated(t, rng, elo, games, &sprt.Test{Model: sprt.Logistic, Elo0: 0, Elo1: 10, Alpha: GateAlpha(3),
				Beta: 0.05})
		}
		var total, patches, weaker, proved float64
		n := *simulations / 2
		for range n {
			gain, changed := 0.0, false
			for range generations {
				step := mean + sd*rng.NormFloat64()
				for i, size := range []float64{1, 0.5, 0.25} { // the larger a step, the longer it is played if it is a good one
					if gate(size*step, []int{11, 5, 2}[i]*2*games/18).Passed() {
						gain, changed = gain+size*step, true
						break
					}
				}
			}
			if !changed {
				continue
			}
			o := concluded(t, rng, gain)
			if o == NothingFound {
				continue
			}
			patches++
			total += gain
			if gain < 0 {
				weaker++
			}
			if o == GainProved {
				proved++
			}
		}
		t.Logf("fits of N(%+g, %d) Elo: a patch in %.3f of %d runs, a proved gain in %.3f, weaker in %.4f; mean gain %+.2f",
			mean, sd, patches/float64(n), n, proved/float64(n), weaker/float64(n), total/float64(n))
		if weaker/float64(n) > Alpha+3*math.Sqrt(Alpha/float64(n)) || total <= 0 || patches == 0 {
			t.Errorf("fits of N(%+g, %d): %g of %g patches are weaker, total gain %+g", mean, sd, weaker, patches, total)
		}
	}
}

// A gain needs a lower bound above zero, and no match that comes later takes it back.
func TestOutcomeIsKept(t *testing.T) {
	of := func(lo, hi num.Float) *match.Result {
		return &match.Result{Strength: sprt.Strength{Elo: (lo + hi) / 2, EloLo: lo, EloHi: hi}, Verdict: match.Undecided}
	}
	passed := &match.Result{Verdict: match.AcceptH1}
	for _, c := range []struct {
		p    Proof
		want Outcome
	}{
		{Proof{passed, of(1, 20), nil, nil}, GainProved},
		{Proof{passed, of(1, 20), nil, of(-20, -1)}, GainProved},
		{Proof{passed, of(1, 20), of(-20, -1), of(-20, 1)}, GainProved},
		{Proof{passed, of(-1, 20), nil, of(-20, 1)}, NotWeaker},
		{Proof{of(0, 0), of(-1, 20), nil, nil}, NothingFound},
		{Proof{of(0, 0), nil, nil, nil}, NothingFound},
	} {
		if got := c.p.Outcome(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.p, got, c.want)
		}
	}
}
