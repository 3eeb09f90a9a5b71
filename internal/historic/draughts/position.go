package draughts

import "strings"

// Position is a position in Strachey's three words. Bit n is square n, counted from
// Black's side, four squares a row.
type Position struct {
	B, W, K uint32 // Black's men and kings, White's men and kings, kings of both colors
	White   bool   // whether White is to move
}

// Start returns the start position. Black, the machine, is to move.
func Start() Position { return Position{B: 0x00000fff, W: 0xfff00000} }

const (
	evenRows  = 0x0f0f0f0f // rows 0, 2, 4, 6, in which the first square is a light one
	oddRows   = 0xf0f0f0f0
	leftEdge  = 0x10101010 // squares without a neighbor on the left
	rightEdge = 0x08080808 // squares without one on the right

	mask4     = 0x0fffffff // M: squares from which a man may move by +4
	blackGoal = 0xf0000000 // where a black man becomes a king
	whiteGoal = 0x0000000f // where a white man does
)

// The types of moves without capture. Types 0 and 1 lead down the board: by +4, and by +5
// from even rows or +3 from odd ones.
const (
	plus4 = iota
	plusSide
	minus4
	minusSide
	types
)

// shift moves every square of the word by a type of move. Squares that would leave the
// board are dropped.
func shift(word uint32, kind int) uint32 {
	switch kind {
	case plus4:
		return word & mask4 << 4
	case plusSide:
		return word&mask4&evenRows&^rightEdge<<5 | word&mask4&oddRows&^leftEdge<<3
	case minus4:
		return word >> 4
	}
	return word&evenRows&^rightEdge>>3 | word&oddRows&^leftEdge>>5
}

// unshift undoes shift.
func unshift(word uint32, kind int) uint32 { return shift(word, kind^2) }

// The four directions: down left, down right, up left, up right.
const directions = 4

// slide moves every square one step in a direction.
func slide(word uint32, direction int) uint32 {
	switch direction {
	case 0:
		return word&evenRows<<4 | word&oddRows&^leftEdge&mask4<<3
	case 1:
		return word&evenRows&^rightEdge<<5 | word&oddRows&mask4<<4
	case 2:
		return word&evenRows>>4 | word&oddRows&^leftEdge>>5
	}
	return word&evenRows&^rightEdge>>3 | word&oddRows>>4
}

// sides returns the words of the side to move and of the other side.
func (p *Position) sides() (own, other uint32) {
	if p.White {
		return p.W, p.B
	}
	return p.B, p.W
}

// movers returns the men and kings of the side to move that may move down, or up, the board.
func (p *Position) movers(down bool) uint32 {
	own, _ := p.sides()
	if down == p.White {
		return own & p.K
	}
	return own
}

// String draws the board as the book does, with Black at the top: b and w are men, B and
// W kings. Light squares are blank.
func (p *Position) String() string {
	var s strings.Builder
	for row := range 8 {
		if row%2 == 0 {
			s.WriteString("  ")
		}
		for i := range 4 {
			letter, bit := byte('.'), uint32(1)<<(4*row+i)
			switch {
			case p.B&bit != 0:
				letter = 'b'
			case p.W&bit != 0:
				letter = 'w'
			}
			if p.K&bit != 0 {
				letter -= 'a' - 'A'
			}
			s.WriteByte(letter)
			if i < 3 {
				s.WriteString("   ")
			}
		}
		s.WriteByte('\n')
	}
	return s.String()
}
