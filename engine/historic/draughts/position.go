package draughts

import (
	"fmt"
	"math/bits"
	"strings"
)

// Position is a position in Strachey's words; bit n is square n, counted from Black's
// side, four squares a row.
type Position struct {
	B, W, K uint32 // black men and kings, white men and kings, kings of either colour
	White   bool   // whether White is to move
}

// Start returns the position a game begins with. Black, the machine, moves.
func Start() Position { return Position{B: 0x00000fff, W: 0xfff00000} }

const (
	evenRows = 0x0f0f0f0f // the rows whose dark squares are on the right of light ones
	oddRows  = 0xf0f0f0f0
	leftEdge = 0x10101010 // squares without a neighbour on the left
	rightEnd = 0x08080808 // squares without one on the right

	mask4 = 0x0fffffff // M: men that may move by +4
	home  = 0xf0000000 // where a black man becomes a king
	away  = 0x0000000f // where a white man does
)

// The types of moves without capture, and the steps that captures take twice. Types 0
// and 1 lead down the board: by +4, and by +5 from even rows or +3 from odd ones.
const (
	plus4 = iota
	plusSide
	minus4
	minusSide
	types
)

// shift moves every square of the word by a type of move; those without a square to
// move to are lost.
func shift(word uint32, kind int) uint32 {
	switch kind {
	case plus4:
		return word & mask4 << 4
	case plusSide:
		return word&mask4&evenRows&^rightEnd<<5 | word&mask4&oddRows&^leftEdge<<3
	case minus4:
		return word >> 4
	}
	return word&evenRows&^rightEnd>>3 | word&oddRows&^leftEdge>>5
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
		return word&evenRows&^rightEnd<<5 | word&oddRows&mask4<<4
	case 2:
		return word&evenRows>>4 | word&oddRows&^leftEdge>>5
	}
	return word&evenRows&^rightEnd>>3 | word&oddRows>>4
}

// sides returns the words of the side to move and of the other.
func (p *Position) sides() (own, other uint32) {
	if p.White {
		return p.W, p.B
	}
	return p.B, p.W
}

// movers returns the men of the side to move that may go down the board, or up it.
func (p *Position) movers(down bool) uint32 {
	own, _ := p.sides()
	if down == p.White {
		return own & p.K
	}
	return own
}

// Men returns the numbers of men that are no kings, and of kings, of a side.
func (p *Position) Men(white bool) (men, kings int) {
	own := p.B
	if white {
		own = p.W
	}
	return bits.OnesCount32(own &^ p.K), bits.OnesCount32(own & p.K)
}

// Check tells whether the words are a position.
func (p *Position) Check() error {
	switch {
	case p.B&p.W != 0:
		return fmt.Errorf("draughts: squares %08X hold men of both colours", p.B&p.W)
	case p.K&^(p.B|p.W) != 0:
		return fmt.Errorf("draughts: kings on squares %08X, which are empty", p.K&^(p.B|p.W))
	case p.B&home&^p.K != 0 || p.W&away&^p.K != 0:
		return fmt.Errorf("draughts: men on squares %08X have not become kings", p.B&home&^p.K|p.W&away&^p.K)
	}
	return nil
}

// String draws the board as the book does, Black above: b, w, B and W for kings, and
// the numbers of empty squares left out.
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
