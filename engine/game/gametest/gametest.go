// Package gametest is the conformance suite of games: it tests what game.Rules asks of a
// game. Call Conform from a test of your game.
//
// No promise of stability.
package gametest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine/game"
)

// longestGame is how many plies a random game may last: rules must end every game.
const longestGame = 5000

// Conform plays random games and tests what the comments of game.Rules say. If turned is not
// nil, it returns a position with the players exchanged, and every count must change its sign.
func Conform[P any, M comparable](t *testing.T, r game.Rules[P, M], turned func(P) P) {
	t.Helper()
	for seed := range uint64(20) {
		start := r.Start(rand.New(rand.NewPCG(seed, 1)))
		if again := r.Start(rand.New(rand.NewPCG(seed, 1))); !reflect.DeepEqual(start, again) {
			t.Fatalf("seed %d: two first positions differ:\n%s\n%s", seed, r.BoardText(&start), r.BoardText(&again))
		}
		playOut(t, r, turned, start, rand.New(rand.NewPCG(seed, 2)))
	}
}

// playOut plays a random game.
func playOut[P any, M comparable](t *testing.T, r game.Rules[P, M], turned func(P) P, p P, rng *rand.Rand) {
	t.Helper()
	for ply := 0; ; ply++ {
		before := p
		moves := r.Moves(&p, nil)
		result, over := r.Over(&p, len(moves))
		switch {
		case result < -1 || result > 1:
			t.Fatalf("ply %d: the result is %d, not -1, 0 or 1:\n%s", ply, result, r.BoardText(&p))
		case over:
			return
		case len(moves) == 0:
			t.Fatalf("ply %d: there is no move, and the game is not over:\n%s", ply, r.BoardText(&p))
		case ply == longestGame:
			t.Fatalf("a random game is not over after %d plies:\n%s", ply, r.BoardText(&p))
		}
		checkPosition(t, r, turned, &p, moves)
		if !reflect.DeepEqual(before, p) {
			t.Fatalf("ply %d: a method other than Make changed the position:\n%s", ply, r.BoardText(&before))
		}
		next := p
		r.Make(&next, moves[rng.IntN(len(moves))])
		if !reflect.DeepEqual(before, p) {
			t.Fatalf("ply %d: a move on a copy changed the position:\n%s", ply, r.BoardText(&before))
		}
		p = next
	}
}

// checkPosition tests the moves and the counts of a position.
func checkPosition[P any, M comparable](t *testing.T, r game.Rules[P, M], turned func(P) P, p *P, moves []M) {
	t.Helper()
	if again := r.Moves(p, nil); !slices.Equal(moves, again) {
		t.Fatalf("the same position has moves %v and %v:\n%s", moves, again, r.BoardText(p))
	}
	var none M
	if buf := r.Moves(p, []M{none}); len(buf) != 1+len(moves) || buf[0] != none {
		t.Fatalf("Moves does not append to what there is:\n%s", r.BoardText(p))
	}
	texts := map[string]bool{}
	for _, m := range moves {
		text := r.MoveText(p, m)
		if text == "" || texts[text] || slices.ContainsFunc([]rune(text), func(c rune) bool { return c <= ' ' }) {
			t.Fatalf("the text %q of a move is empty, has a blank, or is another move's too:\n%s", text, r.BoardText(p))
		}
		texts[text] = true
	}
	terms := r.About().Terms
	counts := make([]int32, len(terms))
	r.Count(p, counts)
	if turned == nil {
		return
	}
	q, exchanged := turned(*p), make([]int32, len(terms))
	r.Count(&q, exchanged)
	if r.SecondToMove(&q) == r.SecondToMove(p) {
		t.Fatalf("with the players exchanged the same player is to move:\n%s", r.BoardText(p))
	}
	for i, c := range counts {
		if exchanged[i] != -c {
			t.Fatalf("%s: %d, with the players exchanged %d:\n%s", terms[i].Name, c, exchanged[i], r.BoardText(p))
		}
	}
}
