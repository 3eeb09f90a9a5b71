package coordinator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
)

// outcome draws a game of a against b that a wins or draws with these probabilities.
func outcome(rng *rand.Rand, a, b string, win, draw float64) *selfplay.Result {
	g := &selfplay.Result{Players: [2]string{a, b}, Result: board.Draw}
	white, black := board.WhiteWins, board.BlackWins
	if rng.IntN(2) == 0 {
		g.Players, white, black = [2]string{b, a}, black, white
	}
	switch x := rng.Float64(); {
	case x < win:
		g.Result = white
	case x > win+draw:
		g.Result = black
	}
	return g
}

// If only chance makes the difference, residuals have mean 0 and variance 1, whatever share
// of the games a worker played and however strong the players are.
func TestResidualsOfHonestWorkers(t *testing.T) {
	const repeats = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	shares := []float64{0.6, 0.3, 0.1}
	sum, squares := make([]float64, len(shares)), make([]float64, len(shares))
	for range repeats {
		r := newResiduals()
		for range 120 {
			w := 0
			for x := rng.Float64(); w < len(shares)-1 && x > shares[w]; w++ {
				x -= shares[w]
			}
			g := outcome(rng, "a", "b", 0.7, 0.2)
			if rng.IntN(2) == 0 {
				g = outcome(rng, "a", "c", 0.1, 0.4)
			}
			r.add(fmt.Sprint(w), g)
		}
		for w := range shares {
			z, _, _ := r.residual(fmt.Sprint(w))
			sum[w] += z
			squares[w] += z * z
		}
	}
	for w, share := range shares {
		mean, variance := sum[w]/repeats, squares[w]/repeats
		if math.Abs(mean) > 0.06 || math.Abs(variance-1) > 0.1 { // four and four standard errors
			t.Errorf("a worker with %v of the games: mean %.3f, variance %.3f", share, mean, variance)
		}
	}
}

// A worker whose games differ has residuals of the size that its sample gives.
func TestResidualsOfAnotherMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := newResiduals()
	for range 400 {
		r.add("fair", outcome(rng, "a", "b", 0.3, 0.4))
		r.add("slow", outcome(rng, "a", "b", 0.1, 0.3))
		g := outcome(rng, "a", "b", 0.3, 0.4)
		if rng.IntN(20) == 0 {
			g.Result, g.Termination = board.BlackWins, selfplay.TimeForfeit
		}
		r.add("late", g)
	}
	if z, _, _ := r.residual("slow"); z > -5 {
		t.Errorf("the residual is %.1f", z)
	}
	if _, faulty, n := r.residual("late"); faulty < 5 || n < 10 {
		t.Errorf("%d forfeits have the residual %.1f", n, faulty)
	}
	if _, faulty, n := r.residual("fair"); faulty > 0 || n != 0 {
		t.Errorf("%d forfeits have the residual %.1f", n, faulty)
	}
}

// Exact values: two of four games are won, and one worker won both that it played.
func TestResidualByHand(t *testing.T) {
	r := newResiduals()
	for worker, results := range map[string][]board.GameResult{"anna": {board.WhiteWins, board.WhiteWins},
		"bert": {board.BlackWins, board.BlackWins}} {
		for _, result := range results {
			r.add(worker, &selfplay.Result{Players: [2]string{"a", "b"}, Result: result})
		}
	}
	// sum 2 where 1 is expected; variance 2 (1 - 2/4) (1/4) 4/3 = 1/3.
	if z, _, _ := r.residual("anna"); math.Abs(z-math.Sqrt(3)) > 1e-12 {
		t.Errorf("%v, want the root of 3", z)
	}
	alone := newResiduals()
	alone.add("anna", &selfplay.Result{Players: [2]string{"a", "b"}, Result: board.WhiteWins})
	if z, faulty, n := alone.residual("anna"); z != 0 || faulty != 0 || n != 0 {
		t.Error(z, faulty, n)
	}
	if z, faulty, n := alone.residual("bert"); z != 0 || faulty != 0 || n != 0 {
		t.Error(z, faulty, n)
	}
}

// Only what chance does not explain is suspicious: not the first forfeit among a hundred
// workers, though it is ten standard errors from what its worker should have.
func TestSuspiciousIsMoreThanChance(t *testing.T) {
	r := newResiduals()
	for w := range 100 {
		for n := range 20 {
			g := &selfplay.Result{Players: [2]string{"a", "b"}, Result: board.GameResult(n%3 - 1)}
			if w == 7 && n == 0 {
				g.Result, g.Termination = board.BlackWins, selfplay.TimeForfeit
			}
			r.add(fmt.Sprint(w), g)
		}
	}
	if _, faulty, n := r.residual("7"); faulty < 5 || n != 1 || r.suspicious("7") || r.suspicious("8") {
		t.Errorf("one forfeit (%d) has the residual %.1f; suspicious: %v, %v", n, faulty,
			r.suspicious("7"), r.suspicious("8"))
	}
	for range 8 {
		r.add("7", &selfplay.Result{Players: [2]string{"a", "b"}, Result: board.BlackWins,
			Termination: selfplay.TimeForfeit})
	}
	if !r.suspicious("7") || r.suspicious("8") {
		t.Error("nine forfeits of nine are not suspicious")
	}
}

// When a worker is banned, its games are no longer compared with the others'.
func TestResidualsWithoutTheBanned(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	config := Config{Log: func(string) {}}
	r, clean := newRegistry(&config), newResiduals()
	for range 200 {
		g := outcome(rng, "a", "b", 0.3, 0.4)
		worker := fmt.Sprint("honest", rng.IntN(2))
		r.answered(worker, g)
		clean.add(worker, g)
		r.answered("mallory", &selfplay.Result{Players: [2]string{"a", "b"}, Result: board.WhiteWins})
	}
	r.ban("mallory", "it lied")
	for _, worker := range []string{"honest0", "honest1", "mallory"} {
		got, _, _ := r.residuals.residual(worker)
		if want, _, _ := clean.residual(worker); got != want {
			t.Errorf("%s has the residual %v, want %v", worker, got, want)
		}
	}
}
