package draughts

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// The fit recovers known coefficients from simulated results, and its 95 % intervals cover
// the truth in about 95 % of the runs.
func TestFit(t *testing.T) {
	truth := vector{0.3, 0.8, 2}
	covered, runs := 0, 200
	for seed := range runs {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		var games [][]row
		for range 400 {
			// The positions of a game share its result and most of its material.
			men := float64(rng.IntN(5) - 2)
			kings := float64(rng.IntN(3) - 1)
			turn := float64(2*rng.IntN(2) - 1)
			z := truth[0]*turn + truth[1]*men + truth[2]*kings
			y := 0.0
			if rng.Float64() < 1/(1+math.Exp(-z)) {
				y = 1
			}
			r := row{vector{turn, men, kings}, y}
			games = append(games, []row{r, r, r})
		}
		e, err := fit(games)
		if err != nil {
			t.Fatal(err)
		}
		if king, se := e.ratio(2, 1); math.Abs(king-2.5) < 1.96*se {
			covered++
		}
	}
	// 95 % of 200, less four standard deviations. Without clustering the intervals would be
	// too narrow by the square root of three, and cover 74 %.
	if covered < 178 || covered == runs {
		t.Errorf("%d of %d intervals cover the truth", covered, runs)
	}
}

func TestInvert(t *testing.T) {
	m := matrix{{4, 1, 2}, {1, 3, 0}, {2, 0, 5}}
	inverse, ok := invert(m)
	if !ok {
		t.Fatal("no inverse")
	}
	for i := range 3 {
		if v := multiply(m, multiply(inverse, vector{float64(i), 1, -2})); math.Abs(v[0]-float64(i))+math.Abs(v[1]-1)+math.Abs(v[2]+2) > 1e-12 {
			t.Errorf("m times its inverse: %v", v)
		}
	}
	if _, ok := invert(matrix{{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}); ok {
		t.Error("a singular matrix has an inverse")
	}
}

func TestLearn(t *testing.T) {
	l := Learning{Strategy: Strategy2(), Rounds: 2, Games: 100, Seed: 1}
	a, err := Learn(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range a {
		if !(round.Low < round.King && round.King < round.High) || round.King < 0.6 || round.King > 1.6 {
			t.Errorf("%+v", round)
		}
	}
	if a[0].Played != 2.875 || a[1].Played != math.Round(a[0].King*Man)/Man {
		t.Errorf("the rounds were played with kings of %v and %v", a[0].Played, a[1].Played)
	}
	l.Rounds = 1
	if b, _ := Learn(context.Background(), l); !reflect.DeepEqual(a[:1], b) {
		t.Errorf("the same seed gives %v and %v", a[:1], b)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Learn(ctx, l); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: %v", err)
	}
	if _, err := Learn(context.Background(), Learning{Strategy: Strategy2(), Rounds: 1, Games: 31}); !errors.Is(err, ErrNoFit) {
		t.Errorf("31 games, some of them draws: error %v", err)
	}
}

func TestPlay(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 9))
		g := Play(Opening(8, rng), Strategy1(), Strategy2(), rng)
		p := g.Start
		for _, m := range g.Moves {
			p.Make(m)
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if over := len(p.Moves(nil)) == 0; over != (g.Result != 0.5) {
			t.Errorf("result %v, no move left: %v", g.Result, over)
		}
	}
}

// A king of 2 7/8 plays better than one of 4, and a strategy is not better than itself.
func TestCompare(t *testing.T) {
	high := Strategy2()
	high.King = 4 * Man
	c, err := Compare(context.Background(), Strategy2(), high, 300, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(c.Low > 0.5 && c.Score < 0.7 && c.Low < c.Score && c.Score < c.High) {
		t.Errorf("2 7/8 against 4: %+v", c)
	}
	if c, _ := Compare(context.Background(), high, high, 50, 1, nil); c.Low > 0.5 || c.High < 0.5 {
		t.Errorf("against itself: %+v", c)
	}
}
