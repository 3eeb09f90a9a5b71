// Package alphabeta searches any game of package game: alpha-beta to a fixed depth, then
// loud moves alone. It knows no game, and it is not the search that plays chess, which is
// engine/search.
//
// No promise of stability. Start reading at Search.Choose.
package alphabeta

import (
	"math/rand/v2"
	"slices"

	"github.com/assay-chess/assay/engine/game"
)

const (
	// won is the value of a won game, less one for each ply to it.
	won = 30000
	// most bounds evaluations, which must not look like won games.
	most = won - 1000
	// maxPly bounds the depth of a search, loud moves included.
	maxPly = 64
)

// Search plays one game with one set of weights. It is not safe for concurrent use.
type Search[P any, M comparable] struct {
	rules   game.Rules[P, M]
	weights []int32
	counts  []int32
	depth   int
	moves   [maxPly + 1][]M
	loud    [maxPly + 1][]int
	killer  [maxPly + 1]M // the quiet move that last refuted another at this ply
}

// New returns a search with the weights of the game's terms, in their order.
func New[P any, M comparable](rules game.Rules[P, M], weights []int32, depth int) *Search[P, M] {
	return &Search[P, M]{rules: rules, weights: weights, counts: make([]int32, len(weights)),
		depth: max(1, min(depth, maxPly/2))}
}

// Evaluate returns the value of a position without looking ahead, from the view of the
// player to move.
func (s *Search[P, M]) Evaluate(p *P) int {
	clear(s.counts)
	s.rules.Count(p, s.counts)
	sum := 0
	for i, n := range s.counts {
		sum += int(n) * int(s.weights[i])
	}
	return s.forMover(p, max(-most, min(sum, most)))
}

// forMover converts a value between the views of the first player and of the one to move.
func (s *Search[P, M]) forMover(p *P, v int) int {
	if s.rules.SecondToMove(p) {
		return -v
	}
	return v
}

// Choose returns the best move and its value from the view of the player to move. Of equal
// ones rng chooses. ok is false if the game is over.
func (s *Search[P, M]) Choose(p *P, rng *rand.Rand) (best M, value int, ok bool) {
	moves := slices.Clone(s.rules.Moves(p, nil))
	if _, over := s.rules.Over(p, len(moves)); over || len(moves) == 0 {
		return best, 0, false
	}
	rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	s.killer = [maxPly + 1]M{}
	for depth := 1; depth <= s.depth; depth++ {
		at := 0
		value = -won - 1
		for i, m := range moves {
			after := *p
			s.rules.Make(&after, m)
			if v := -s.value(&after, 1, depth-1, -won-1, -value); v > value {
				value, at = v, i
			}
		}
		best = moves[at]
		copy(moves[1:at+1], moves[:at]) // the best move is searched first at the next depth
		moves[0] = best
	}
	return best, value, true
}

// value returns the value of a position from the view of the player to move. ply is the distance
// from the root; from depth 0 on, only loud moves are searched.
func (s *Search[P, M]) value(p *P, ply, depth, alpha, beta int) int {
	moves := s.rules.Moves(p, s.moves[ply][:0])
	s.moves[ply] = moves
	if result, over := s.rules.Over(p, len(moves)); over {
		return s.forMover(p, result*(won-ply))
	}
	loud := s.order(p, ply, depth <= 0)
	best := -won - 1
	if depth <= 0 {
		if len(loud) < len(moves) || ply == maxPly {
			if best = s.Evaluate(p); best >= beta || ply == maxPly {
				return best
			}
		}
		moves = moves[:len(loud)]
	}
	for i, m := range moves {
		after := *p
		s.rules.Make(&after, m)
		v := -s.value(&after, ply+1, depth-1, -beta, -max(alpha, best))
		if v > best {
			if best = v; best >= beta {
				if i >= len(loud) {
					s.killer[ply] = m
				}
				break
			}
		}
	}
	return best
}

// order puts loud moves first, the loudest before the others, then the killer. It returns
// how loud they are.
func (s *Search[P, M]) order(p *P, ply int, loudOnly bool) []int {
	moves, loud := s.moves[ply], s.loud[ply][:0]
	for i, m := range moves {
		n := s.rules.Loud(p, m)
		if n <= 0 {
			continue
		}
		at := len(loud)
		loud = append(loud, n)
		for ; at > 0 && loud[at-1] < n; at-- {
			loud[at] = loud[at-1]
		}
		loud[at] = n
		copy(moves[at+1:i+1], moves[at:i])
		moves[at] = m
	}
	s.loud[ply] = loud
	if !loudOnly {
		if at := slices.Index(moves[len(loud):], s.killer[ply]); at > 0 {
			at += len(loud)
			moves[at], moves[len(loud)] = moves[len(loud)], moves[at]
		}
	}
	return loud
}

// Quiet follows the best loud moves until standing still is best, and returns the position
// there. quiet is false if the game ends on the way.
func (s *Search[P, M]) Quiet(p P) (leaf P, quiet bool) {
	for range maxPly {
		moves := slices.Clone(s.rules.Moves(&p, nil))
		if _, over := s.rules.Over(&p, len(moves)); over {
			return p, false
		}
		best, next := -won-1, p
		if slices.ContainsFunc(moves, func(m M) bool { return s.rules.Loud(&p, m) <= 0 }) {
			best, quiet = s.Evaluate(&p), true
		}
		for _, m := range moves {
			if s.rules.Loud(&p, m) <= 0 {
				continue
			}
			after := p
			s.rules.Make(&after, m)
			if v := -s.value(&after, 1, 0, -won-1, -best); v > best {
				best, next, quiet = v, after, false
			}
		}
		if quiet {
			return p, true
		}
		p = next
	}
	return p, false
}
