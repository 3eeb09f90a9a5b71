package ownengine

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

var simulations = flag.Int("simulations", 60, "simulated runs of each kind")

// simulation is a match of engines that differ by elo, with UsualDraws, which goes on from where it was.
type simulation struct {
	elo  float64
	rng  *rand.Rand
	walk *sprt.Walk // nil without a test
	p    sprt.Pentanomial
	r    match.Result
}

func simulate(rng *rand.Rand, elo float64, test *sprt.Test) *simulation {
	s := &simulation{elo: elo, rng: rng}
	s.r.Verdict = match.Undecided
	if test != nil {
		s.walk = setup.Must(sprt.NewWalk(*test, false))
	}
	return s
}

// play plays until the match has that number of games, or the test has decided.
func (s *simulation) play(games int) *match.Result {
	win := sprt.Score(s.elo) - UsualDraws/2
	game := func() int {
		switch x := s.rng.Float64(); {
		case x < win:
			return 1
		case x < win+UsualDraws:
			return 0
		}
		return -1
	}
	for s.p.Games() < int64(games) && s.r.Verdict == match.Undecided {
		s.p.AddPair(game(), game())
		if s.walk == nil {
			continue
		}
		switch setup.Must(s.walk.Observe(s.p)) {
		case sprt.AcceptH1:
			s.r.Verdict = match.AcceptH1
		case sprt.AcceptH0:
			s.r.Verdict = match.AcceptH0
		}
	}
	sum := sprt.Summarize(s.p)
	s.r.Games, s.r.Score, s.r.Strength = s.p.Games(), sum.Score, sum.Strength()
	r := s.r
	return &r
}

// gated simulates the gate of a plan for sizes of a step that gain so much, and the match at the end, which has the
// games that the gate left. It returns the size that played that match, -1 if none did, and what the match shows.
func gated(t *testing.T, rng *rand.Rand, p *Plan, gains []float64) (size int, o Outcome) {
	t.Helper()
	matches := map[string]*simulation{}
	var steps []Step
	for i, s := range sizes {
		s.Weights = learn.WeightsRef{ID: s.Name, Generation: 1}
		matches[s.Name] = simulate(rng, gains[i], p.test())
		steps = append(steps, s)
	}
	r, played := newRace(steps, p.Gate), int64(0)
	for !r.over() {
		setup.Check(t, r.round(func(s *Step, games int) (*match.Result, error) { return matches[s.Name].play(games), nil }))
	}
	best := r.best()
	for _, s := range r.Steps {
		played += s.Gate.Games
	}
	if played > int64(p.Gate) {
		t.Fatalf("a gate of %d games played %d", p.Gate, played)
	}
	found := &Result{Generations: []Generation{{Steps: r.Steps, Step: best.Share}}}
	if !best.Gate.Passed() {
		best = found.ahead()
	}
	if best == nil {
		return -1, NothingFound
	}
	proof := Proof{Fixed: simulate(rng, matches[best.Name].elo, nil).play(p.Final + p.Gate - int(played))}
	for i, s := range sizes {
		if s.Name == best.Name {
			size = i
		}
	}
	return size, proof.Outcome()
}

// TestGate: how often a run proves a gain, for sizes of a step that gain so much, at the games of half an hour, or
// less, of a fast engine. Of steps that gain nothing the match at the end proves 2.5 % at most. Where the
// worst size falls out late, or where only a gate that was passed leads to the match at the end, the gains below are
// proved in half as many runs.
func TestGate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		games       int // of the gate and the match at the end
		gains       [3]float64
		least, most float64 // share of runs that prove a gain
	}{
		{4500, [3]float64{0, 0, 0}, 0, 0.025},
		{4500, [3]float64{-20, -5, -1}, 0, 0.025},
		{4500, [3]float64{50, 35, 20}, 0.95, 1},
		{1800, [3]float64{50, 35, 20}, 0.9, 1},
		{700, [3]float64{50, 35, 20}, 0.65, 1},
		{4500, [3]float64{10, 15, 10}, 0.5, 1},
		{4500, [3]float64{-50, 16, 10}, 0.6, 1},
		{1800, [3]float64{-50, 16, 10}, 0.25, 1},
	} {
		p := Plan{Elo0: 0, Elo1: 10, Gate: even(gateShare * float64(c.games))}
		p.Final = c.games - p.Gate
		proved, gain, n := 0.0, 0.0, float64(*simulations)
		for range *simulations {
			if size, o := gated(t, rng, &p, c.gains[:]); o == GainProved {
				proved++
				gain += c.gains[size]
			}
		}
		rate := proved / n
		said := fmt.Sprintf("%d games, gains %v: a gain proved in %.3f of %g runs, %.1f Elo a run", c.games, c.gains, rate,
			n, gain/n)
		t.Log(said)
		if rate < c.least || rate > c.most+3*math.Sqrt(0.025/n) {
			t.Errorf("%s; want %g to %g", said, c.least, c.most)
		}
	}
}

// TestSmallestGate: every size of a step plays, however few games the plan has.
func TestSmallestGate(t *testing.T) {
	r := newRace(slices.Clone(sizes), 2)
	for !r.over() {
		setup.Check(t, r.round(func(_ *Step, games int) (*match.Result, error) {
			return simulate(rand.New(rand.NewPCG(1, 1)), 0, nil).play(games), nil
		}))
	}
	if best := r.best(); best.Gate == nil || best.Gate.Games != 2 {
		t.Errorf("the best step has played %+v", best.Gate)
	}
}

// TestGateIsKept: a gate that is resumed before its first round is over has as many games, whatever the pace is.
func TestGateIsKept(t *testing.T) {
	kept := filepath.Join(t.TempDir(), GateName, raceName)
	for seconds := range 2 {
		l := loop{plan: Plan{Hours: 1, Speed: 1, Gate: 600}, played: 1, playing: time.Duration(seconds+1) * time.Second}
		if r := setup.Must(l.race(kept)); r.Left != 600 {
			t.Errorf("%d games", r.Left)
		}
	}
}

// TestOutcome: the interval of the match at the end decides, and no match that comes later takes it back. An engine
// that is 10 Elo weaker passes for one that is not in 2.5 % of matches at most.
func TestOutcome(t *testing.T) {
	rng, wrong := rand.New(rand.NewPCG(2, 2)), 0
	for range *simulations {
		if o := (&Proof{Fixed: simulate(rng, -weaker, nil).play(2000)}).Outcome(); o != NothingFound {
			wrong++
		}
	}
	if rate, n := float64(wrong)/float64(*simulations), float64(*simulations); rate > 0.025+3*math.Sqrt(0.025/n) {
		t.Errorf("a weaker engine passes in %.3f of matches", rate)
	}
	of := func(lo, hi float64) *match.Result {
		s := sprt.Strength{Elo: num.Float((lo + hi) / 2), EloLo: num.Float(lo), EloHi: num.Float(hi)}
		return &match.Result{Strength: s, Verdict: match.Undecided}
	}
	for _, c := range []struct {
		p    Proof
		want Outcome
	}{
		{Proof{of(1, 20), nil}, GainProved},
		{Proof{of(1, 20), of(-20, -1)}, GainProved},
		{Proof{of(-1, 20), of(5, 25)}, NotWeaker},
		{Proof{of(-10, 20), nil}, NothingFound},
		{Proof{}, NothingFound},
	} {
		if got := c.p.Outcome(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.p, got, c.want)
		}
	}
}
