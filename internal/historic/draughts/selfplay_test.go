package draughts

import (
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func TestPlay(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 9))
		start := Start()
		for range 8 {
			moves := start.Moves(nil)
			start.Make(moves[rng.IntN(len(moves))])
		}
		g := Play(start, Strategy1(), Strategy2(), rng)
		p := start
		for _, m := range g.Moves {
			p.Make(m)
			setup.Check(t, check(&p))
		}
		if over := len(p.Moves(nil)) == 0; over != (g.Result != 0.5) {
			t.Errorf("result %v, no move left: %v", g.Result, over)
		}
	}
}
