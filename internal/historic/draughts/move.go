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

// Move is a move of one man or king with everything that it captures.
type Move struct {
	From, To uint8
	Crowned  bool // the man becomes a king
	n        uint8
	taken    [maxTaken]uint8
}

// Taken returns the squares of the captured men, in order.
func (m *Move) Taken() []uint8 { return m.taken[:m.n] }

// String returns the move as the book prints it, with the last captured man first:
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

// ends returns the move without its captures, as in "6-20".
func (m *Move) ends() string { return fmt.Sprintf("%d-%d", m.From, m.To) }

// Moves appends the legal moves. If there are captures, they are compulsory and nothing
// else is legal.
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

// crowns reports whether the man on phi becomes a king on theta.
func (p *Position) crowns(phi, theta uint32) bool {
	last := uint32(blackGoal)
	if p.White {
		last = whiteGoal
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

// jump appends the completed captures in which the man from square start, now on phi,
// takes the one on over and lands on theta.
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
	// Captured men stay on the board until the move ends, and no jump can land on them.
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

// errMove is wrapped by Parse's errors.
var errMove = errors.New("draughts move")

// Parse finds the legal move that a text such as "11-15" means. Where several captures
// lead from one square to the other, the captured squares must follow. The book prints
// them in either order: last first in its game, first first in its notes.
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
		return Move{}, fmt.Errorf("%w %q is ambiguous; add what it captures: %v", errMove, text, found)
	case len(moves) == 0:
		return Move{}, fmt.Errorf("%w %q: the game is over, no move is legal", errMove, text)
	}
	return Move{}, fmt.Errorf("%w %q is not legal; the legal moves are %s", errMove, text,
		strings.Trim(fmt.Sprint(moves), "[]"))
}
