package draughts

import "math/rand/v2"

// maxPlies ends a game that the program plays against itself.
const maxPlies = 300

// Game is a game between two strategies.
type Game struct {
	Moves  []Move
	Result float64 // from Black's view: 1 won, 1/2 drawn, 0 lost
}

// Play plays a game from a position. The rng decides among moves of equal value.
func Play(start Position, black, white Strategy, rng *rand.Rand) Game {
	g := Game{Result: 0.5}
	p := State{Position: start}
	for p.Barren < maxBarrenPlies && len(g.Moves) < maxPlies {
		s := black
		if p.White {
			s = white
		}
		c, ok := s.Choose(&p.Position, rng)
		if !ok {
			g.Result = 0
			if p.White {
				g.Result = 1
			}
			return g
		}
		g.Moves = append(g.Moves, c.Move)
		Rules{}.Make(&p, c.Move)
	}
	return g
}
