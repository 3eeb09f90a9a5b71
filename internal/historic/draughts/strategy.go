package draughts

import (
	"math/bits"
	"math/rand/v2"
)

// Man is the value of a man. Values are in eighths of a man, so that Strachey's king of
// 2 7/8 is a whole number.
const Man = 8

// lost is the value of a position in which the side to move cannot move. It counts one
// eighth less for each stage that the loss is further away.
const lost = 1000 * Man

// Strategy says how the machine looks ahead, and how it values a king.
type Strategy struct {
	Stages int  // most moves of either side to look ahead, the machine's own included
	Quiet  bool // also end a line after two moves in a row that are not captures
	King   int  // value of a king in eighths of a man
}

// Strategy1 is the first strategy: all moves of both sides for a fixed number of stages.
// On the machine three stages were practical and six possible.
func Strategy1() Strategy { return Strategy{Stages: 3, King: 3 * Man} }

// Strategy2 is the second strategy: it looks ahead until two moves in a row are not
// captures, at most four stages. A king is worth 2 7/8, so that the machine does not
// sacrifice two men to stop one.
func Strategy2() Strategy { return Strategy{Stages: 4, Quiet: true, King: 23} }

// Value returns the material balance from the view of the side to move, in eighths of a
// man.
func (s Strategy) Value(p *Position) int {
	own, other := p.sides()
	men := bits.OnesCount32(own) - bits.OnesCount32(other)
	kings := bits.OnesCount32(own&p.K) - bits.OnesCount32(other&p.K)
	return Man*men + (s.King-Man)*kings
}

// Choice is the result of looking ahead in a position.
type Choice struct {
	Move  Move   // one of Best, chosen at random
	Best  []Move // all moves with the best value
	Value int    // of these, in eighths of a man, from the view of the side to move
}

// Choose looks ahead and chooses a move, at random among the best. ok is false if there is
// no legal move.
func (s Strategy) Choose(p *Position, rng *rand.Rand) (c Choice, ok bool) {
	l := search{Strategy: s}
	c.Value = -2 * lost
	for _, m := range p.Moves(nil) {
		v := l.after(p, m, -c.Value+1) // one wider, so that values equal to the best are exact
		switch {
		case v > c.Value:
			c.Value, c.Best = v, append(c.Best[:0], m)
		case v == c.Value:
			c.Best = append(c.Best, m)
		}
	}
	if len(c.Best) == 0 {
		return c, false
	}
	c.Move = c.Best[rng.IntN(len(c.Best))]
	return c, true
}

// search is the state of one look ahead.
type search struct {
	Strategy
	buf [16][]Move
}

// after returns the value of a move. It is exact above -beta.
func (l *search) after(p *Position, m Move, beta int) int {
	next := *p
	next.Make(m)
	return -l.value(&next, 1, m.n == 0, false, -2*lost, beta)
}

// value returns the value of a position, the given number of stages ahead, from the view
// of the side to move. quiet1 says that the last move was not a capture, quiet2 that the
// one before it was not.
func (l *search) value(p *Position, stage int, quiet1, quiet2 bool, alpha, beta int) int {
	moves := p.Moves(l.buf[stage][:0])
	l.buf[stage] = moves
	if len(moves) == 0 {
		return stage - lost
	}
	if stage >= l.Stages || l.Quiet && quiet1 && quiet2 {
		return l.Value(p)
	}
	best := -2 * lost
	for _, m := range moves {
		after := *p
		after.Make(m)
		v := -l.value(&after, stage+1, m.n == 0, quiet1, -beta, -max(alpha, best))
		if best = max(best, v); best >= beta {
			break
		}
	}
	return best
}

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
