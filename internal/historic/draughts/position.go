package draughts

import (
	_ "embed"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

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

// shift moves every square of the word by a type of move, which leads in the direction of its number from even rows and
// in the other one from odd rows. Squares that would leave the board are dropped.
func shift(word uint32, kind int) uint32 {
	return slide(word&evenRows, kind) | slide(word&oddRows, kind^1)
}

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
			phi := shift(theta, kind^2) // back
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

// Parse finds the legal move that is written so, such as 11-15, or 14-21(17).
func (p *Position) Parse(text string) (Move, error) {
	moves := p.Moves(nil)
	if i := slices.IndexFunc(moves, func(m Move) bool { return m.String() == text }); i >= 0 {
		return moves[i], nil
	}
	return Move{}, fmt.Errorf("draughts move %q is not legal; the legal moves are %s", text,
		strings.Trim(fmt.Sprint(moves), "[]"))
}

//go:embed game.txt
var gameText string

// printedGame returns the moves of the game printed on page 303 of Faster Than Thought.
// The first is the machine's.
func printedGame() []string {
	var moves []string
	for line := range strings.Lines(gameText) {
		if !strings.HasPrefix(line, "#") {
			moves = append(moves, strings.Fields(line)...)
		}
	}
	return moves
}

// Turn is one of the machine's turns in the printed game.
type Turn struct {
	Played Move   // the machine's move as printed
	Choice Choice // what a strategy finds in the same position
	Gain   int    // material that it expects to win, in eighths of a man
	Actual int    // the same of the played move, by the same look ahead
	Legal  int    // number of legal moves
}

// Agrees reports whether the printed move is among the strategy's best.
func (t *Turn) Agrees() bool { return slices.Contains(t.Choice.Best, t.Played) }

// Replay plays through the printed game, lets the second strategy choose in each of the machine's
// turns, and calls each with them.
func Replay(each func(*Turn)) error {
	s, rng, p := Strategy2(), rand.New(rand.NewPCG(1, 0)), Start()
	for i, text := range printedGame() {
		m, err := p.Parse(text)
		if err != nil {
			return fmt.Errorf("printed game, ply %d: %w", i+1, err)
		}
		if !p.White {
			c, _ := s.Choose(&p, rng)
			now := s.Value(&p)
			l := search{Strategy: s}
			each(&Turn{Played: m, Choice: c, Gain: c.Value - now, Actual: l.after(&p, m, 2*lost) - now,
				Legal: len(p.Moves(nil))})
		}
		p.Make(m)
	}
	return nil
}
