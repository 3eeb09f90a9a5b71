package draughts

import "math/rand/v2"

// maxPlies ends a game that the program plays against itself.
const maxPlies = 300

// Game is a game between two strategies.
type Game struct {
	Start  Position // after the random plies, if any
	Moves  []Move
	Result float64 // from Black's view: 1 won, 1/2 drawn, 0 lost
}

// Play plays a game from a position. The rng decides among moves of equal value.
func Play(start Position, black, white Strategy, rng *rand.Rand) Game {
	g := Game{Start: start, Result: 0.5}
	p := start
	for barren := 0; barren < maxBarrenPlies && len(g.Moves) < maxPlies; barren++ {
		s := black
		if p.White {
			s = white
		}
		c, ok := s.Choose(&p, rng)
		if !ok {
			g.Result = 0
			if p.White {
				g.Result = 1
			}
			return g
		}
		if len(c.Move.Taken()) > 0 || p.K>>c.Move.From&1 == 0 {
			barren = -1
		}
		g.Moves = append(g.Moves, c.Move)
		p.Make(c.Move)
	}
	return g
}
