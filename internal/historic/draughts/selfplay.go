package draughts

import "math/rand/v2"

// Either ends a game that the program plays against itself as drawn: it does not know how to win an endgame, and
// would move to and fro forever.
const (
	maxPlies      = 300
	maxQuietPlies = 40 // since the last capture or move of a man that is not a king
)

// Game is a game between two strategies.
type Game struct {
	Moves  []Move
	Result float64 // from Black's view: 1 won, 1/2 drawn, 0 lost
}

// Play plays a game from a position. The rng decides among moves of equal value.
func Play(start Position, black, white Strategy, rng *rand.Rand) Game {
	g := Game{Result: 0.5}
	p := start
	for quietPlies := 0; quietPlies < maxQuietPlies && len(g.Moves) < maxPlies; {
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
		g.Moves = append(g.Moves, c.Move)
		quietPlies++
		if c.Move.n > 0 || p.K>>c.Move.From&1 == 0 {
			quietPlies = 0
		}
		p.Make(c.Move)
	}
	return g
}
