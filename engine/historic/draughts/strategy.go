package draughts

import (
	"math/bits"
	"math/rand/v2"
)

// Eighth is the unit of values: an eighth of a man, so that Strachey's king of 2 7/8
// is a whole number. A man is worth Man.
const (
	Man  = 8
	lost = 1000 * Man // the side to move cannot move; a stage later it is one eighth less
)

// Strategy is how the machine looks ahead and what a king is worth to it.
type Strategy struct {
	Stages int // looked ahead at most, the machine's own move counted
	// Quiet ends a line before that, at two consecutive moves without captures.
	Quiet bool
	King  int // in eighths of a man
}

// Strategy1 is the direct strategy: all moves of both sides for a number of stages, of
// which three were practical and six possible.
func Strategy1() Strategy { return Strategy{Stages: 3, King: 3 * Man} }

// Strategy2 goes on until two consecutive moves are no captures, to four stages at most,
// and values kings at 2 7/8 so that it sacrifices no two men to stop one.
func Strategy2() Strategy { return Strategy{Stages: 4, Quiet: true, King: 23} }

// Value returns the material of the side to move less that of the other, in eighths of
// a man.
func (s Strategy) Value(p *Position) int {
	own, other := p.sides()
	men := bits.OnesCount32(own) - bits.OnesCount32(other)
	kings := bits.OnesCount32(own&p.K) - bits.OnesCount32(other&p.K)
	return Man*men + (s.King-Man)*kings
}

// Choice is what the machine finds in a position.
type Choice struct {
	Move  Move   // by chance one of Best
	Best  []Move // all moves of the best value
	Value int    // of these, in eighths of a man, for the side to move
	Moves int    // moves considered, at all stages
}

// Choose looks ahead and chooses. ok is false where there is no legal move.
func (s Strategy) Choose(p *Position, chance *rand.Rand) (c Choice, ok bool) {
	l := look{Strategy: s}
	c.Value = -2 * lost
	for _, m := range p.Moves(nil) {
		after := *p
		after.Make(m)
		// The window lets equal values be exact.
		v := -l.value(&after, 1, m.n == 0, false, -2*lost, -c.Value+1)
		l.moves++
		switch {
		case v > c.Value:
			c.Value, c.Best = v, append(c.Best[:0], m)
		case v == c.Value:
			c.Best = append(c.Best, m)
		}
	}
	if c.Moves = l.moves; len(c.Best) == 0 {
		return c, false
	}
	c.Move = c.Best[chance.IntN(len(c.Best))]
	return c, true
}

// look is one look ahead.
type look struct {
	Strategy
	moves int
	buf   [16][]Move
}

// value returns the value of a position stage moves ahead for the side to move. still
// tells whether the last move was no capture, settled whether the one before was none
// either.
func (l *look) value(p *Position, stage int, still, settled bool, alpha, beta int) int {
	moves := p.Moves(l.buf[stage][:0])
	l.buf[stage] = moves
	if len(moves) == 0 {
		return stage - lost
	}
	if stage >= l.Stages || l.Quiet && still && settled {
		return l.Value(p)
	}
	best := -2 * lost
	for _, m := range moves {
		after := *p
		after.Make(m)
		l.moves++
		v := -l.value(&after, stage+1, m.n == 0, still, -beta, -max(alpha, best))
		if best = max(best, v); best >= beta {
			break
		}
	}
	return best
}
