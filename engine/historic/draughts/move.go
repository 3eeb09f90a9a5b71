package draughts

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// maxTaken is above the number of men that one move can capture.
const maxTaken = 12

// Move is a man's move with all that it captures.
type Move struct {
	From, To uint8
	Crowned  bool // a man becomes a king
	n        uint8
	taken    [maxTaken]uint8
}

// Taken returns the squares of the men captured, in order.
func (m *Move) Taken() []uint8 { return m.taken[:m.n] }

// String returns the move as the book's game prints it, the man taken last first:
// "11-15", "6-20(16,9)", "6-1K".
func (m Move) String() string {
	s := m.ends()
	if m.n > 0 {
		words := make([]string, m.n)
		for i, t := range m.Taken() {
			words[len(words)-1-i] = strconv.Itoa(int(t))
		}
		s += "(" + strings.Join(words, ",") + ")"
	}
	if m.Crowned {
		s += "K"
	}
	return s
}

// ends returns the move without what it captures.
func (m *Move) ends() string { return fmt.Sprintf("%d-%d", m.From, m.To) }

// Moves appends the legal moves: captures if there are any, since they are compulsory.
func (p *Position) Moves(buf []Move) []Move {
	n := len(buf)
	if buf = p.captures(buf); len(buf) > n {
		return buf
	}
	empty := ^(p.B | p.W)
	for kind := range types {
		gamma := shift(p.movers(kind < minus4), kind) & empty
		for gamma != 0 { // the largest digit first
			theta := uint32(1) << (31 - bits.LeadingZeros32(gamma))
			gamma ^= theta
			phi := unshift(theta, kind)
			buf = append(buf, Move{From: square(phi), To: square(theta), Crowned: p.crowns(phi, theta)})
		}
	}
	return buf
}

func square(bit uint32) uint8 { return uint8(bits.TrailingZeros32(bit)) }

// crowns tells whether the man on phi becomes a king on theta.
func (p *Position) crowns(phi, theta uint32) bool {
	last := uint32(home)
	if p.White {
		last = away
	}
	return p.K&phi == 0 && theta&last != 0
}

func (p *Position) captures(buf []Move) []Move {
	_, other := p.sides()
	empty := ^(p.B | p.W)
	for d := range directions {
		gamma := slide(slide(p.movers(d < 2), d)&other, d) & empty
		for gamma != 0 {
			theta := uint32(1) << (31 - bits.LeadingZeros32(gamma))
			gamma ^= theta
			over := slide(theta, 3-d)
			phi := slide(over, 3-d)
			buf = p.jump(buf, Move{From: square(phi)}, phi, phi, over, theta)
		}
	}
	return buf
}

// jump appends the captures that begin with the man of square start taking over on the
// way from phi to theta, each completed.
func (p *Position) jump(buf []Move, m Move, start, phi, over, theta uint32) []Move {
	m.taken[m.n] = square(over)
	m.n++
	m.To = square(theta)
	if m.Crowned = p.crowns(start, theta); m.Crowned {
		return append(buf, m)
	}
	_, other := p.sides()
	for _, t := range m.Taken() {
		other &^= 1 << t
	}
	// Men taken stay until the move ends, but nobody can come to stand on them.
	empty := ^(p.B | p.W) | start
	more := false
	for d := range directions {
		if p.K&start == 0 && (d < 2) == p.White {
			continue
		}
		next := slide(theta, d) & other
		if to := slide(next, d) & empty; to != 0 {
			buf, more = p.jump(buf, m, start, theta, next, to), true
		}
	}
	if !more {
		buf = append(buf, m)
	}
	return buf
}

// Make plays a legal move.
func (p *Position) Make(m Move) {
	phi, theta := uint32(1)<<m.From, uint32(1)<<m.To
	own, other := &p.B, &p.W
	if p.White {
		own, other = other, own
	}
	*own = *own&^phi | theta
	if p.K&phi != 0 {
		p.K = p.K&^phi | theta
	} else if m.Crowned {
		p.K |= theta
	}
	for _, t := range m.Taken() {
		*other &^= 1 << t
		p.K &^= 1 << t
	}
	p.White = !p.White
}

// ErrMove is wrapped by Parse's errors.
var ErrMove = errors.New("draughts move")

// Parse finds the legal move that the text means: from and to as in "11-15", with the
// men captured behind them where several captures lead from one to the other. The book
// prints these in either order: last first in its game, first first in its notes.
func (p *Position) Parse(text string) (Move, error) {
	want := strings.NewReplacer(" ", "", "—", "-", "?", "", "K", "", "k", "").Replace(text)
	moves := p.Moves(nil)
	var found []Move
	for _, m := range moves {
		back := m
		slices.Reverse(back.Taken())
		switch want {
		case strings.TrimSuffix(m.String(), "K"), strings.TrimSuffix(back.String(), "K"):
			return m, nil
		case m.ends():
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Move{}, fmt.Errorf("%w %q: say what it captures: %v", ErrMove, text, found)
	case len(moves) == 0:
		return Move{}, fmt.Errorf("%w %q: there is none, the game is over", ErrMove, text)
	}
	return Move{}, fmt.Errorf("%w %q is not legal (there are: %s)", ErrMove, text, strings.Trim(fmt.Sprint(moves), "[]"))
}
