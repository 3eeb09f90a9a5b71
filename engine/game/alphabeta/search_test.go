package alphabeta

import (
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/engine/game"
	"github.com/assay-chess/assay/engine/historic/draughts"
	"github.com/assay-chess/assay/engine/historic/nim"
)

// plain is the value that the search defines, without its cut-offs and its order of moves.
func plain[P any, M comparable](rules game.Rules[P, M], s *Search[P, M], p P, ply, depth int) int {
	moves := rules.Moves(&p, nil)
	if result, over := rules.Over(&p, len(moves)); over {
		if rules.SecondToMove(&p) {
			result = -result
		}
		return result * (won - ply)
	}
	best := -won - 1
	for _, m := range moves {
		if depth <= 0 && rules.Loud(&p, m) <= 0 {
			best = max(best, s.Evaluate(&p))
			continue
		}
		after := p
		rules.Make(&after, m)
		best = max(best, -plain(rules, s, after, ply+1, depth-1))
	}
	return best
}

// walk compares the search with plain in the positions of random games.
func walk[P any, M comparable](t *testing.T, rules game.Rules[P, M], games, depth, spread int) {
	t.Helper()
	for n := range games {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		weights := make([]int32, len(rules.About().Terms))
		for i := range weights {
			weights[i] = int32(rng.IntN(2*spread) - spread/2)
		}
		s := New(rules, weights, depth)
		p := rules.Start(rng)
		for range 30 {
			m, value, ok := s.Choose(&p, rng)
			moves := rules.Moves(&p, nil)
			if !ok {
				if _, over := rules.Over(&p, len(moves)); !over {
					t.Fatalf("no move, but the game goes on:\n%s", rules.BoardText(&p))
				}
				break
			}
			if want := plain(rules, s, p, 0, depth); value != want {
				t.Fatalf("game %d: %s is worth %d, without cut-offs %d:\n%s", n, rules.MoveText(&p, m), value, want,
					rules.BoardText(&p))
			}
			rules.Make(&p, moves[rng.IntN(len(moves))])
		}
	}
}

func TestSearchIsMinimax(t *testing.T) {
	walk(t, draughts.Rules{}, 3, 2, 100)
	walk(t, nim.Learned{}, 20, 2, 100)
}

// Where only captures are legal the quiet position lies beyond them.
func TestQuiet(t *testing.T) {
	rules := draughts.Rules{}
	s := New(rules, []int32{100, 300, 0, 0, 0, 0, 0}, 1)
	p := draughts.State{Position: draughts.Position{B: 0x00008C7F,
		W: 0xFD430200}} // the machine's sixth turn: two captures
	leaf, quiet := s.Quiet(p)
	if !quiet || leaf.Position == p.Position {
		t.Fatalf("quiet %v:\n%s", quiet, leaf.String())
	}
	for _, m := range rules.Moves(&leaf, nil) {
		if rules.Loud(&leaf, m) > 0 {
			t.Errorf("%s is still there", m)
		}
	}
}
