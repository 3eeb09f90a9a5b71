package draughts

import (
	"math/bits"
	"math/rand/v2"

	"github.com/assay-chess/assay/engine/game"
)

// Rules are those of the game for programs that learn it; see package game. Black, who moves
// first, is the first player.
type Rules struct{}

// State is a position with what decides when a game ends as drawn.
type State struct {
	Position
	Barren uint8 // plies since the last capture or move of a man that is not a king
}

// maxBarrenPlies ends a game as drawn. The program does not know how to win an endgame and
// would move to and fro forever.
const maxBarrenPlies = 40

// The terms of the evaluation, in the order of Count.
const (
	man = iota
	king
	advancement
	backRank
	centre
	mobility
	tempo
	terms
)

// centreSquares are the two inner squares of each of the four inner rows.
const centreSquares = 1<<9 | 1<<10 | 1<<13 | 1<<14 | 1<<17 | 1<<18 | 1<<21 | 1<<22

// About implements game.Rules. The start weights are Strachey's: a king is worth three men, and
// nothing else counts.
func (Rules) About() game.About {
	return game.About{
		Name: "draughts", Title: "Strachey's draughts", Players: [2]string{"Black", "White"}, Plies: [2]int{4, 8}, Depth: 5,
		Terms: []game.Term{
			man:         {Name: "man", Start: 100, About: "men, kings not included"},
			king:        {Name: "king", Start: 300, About: "kings"},
			advancement: {Name: "advancement", About: "rows of men beyond their third"},
			backRank:    {Name: "back_rank", About: "men on their own first row"},
			centre:      {Name: "centre", About: "men and kings on the eight squares of the centre"},
			mobility:    {Name: "mobility", About: "moves without capture"},
			tempo:       {Name: "tempo", About: "the turn"},
		},
	}
}

// Start implements game.Rules.
func (Rules) Start(*rand.Rand) State { return State{Position: Start()} }

// Moves implements game.Rules.
func (Rules) Moves(p *State, buf []Move) []Move { return p.Moves(buf) }

// SecondToMove implements game.Rules.
func (Rules) SecondToMove(p *State) bool { return p.White }

// Make implements game.Rules.
func (Rules) Make(p *State, m Move) {
	p.Barren++
	if m.n > 0 || p.K>>m.From&1 == 0 {
		p.Barren = 0
	}
	p.Position.Make(m)
}

// Over implements game.Rules: a side that cannot move loses.
func (Rules) Over(p *State, moves int) (result int, over bool) {
	switch {
	case moves == 0 && p.White:
		return 1, true
	case moves == 0:
		return -1, true
	}
	return 0, p.Barren >= maxBarrenPlies
}

// Loud implements game.Rules: captures, which are compulsory.
func (Rules) Loud(_ *State, m Move) int { return int(m.n) }

// Count implements game.Rules.
func (Rules) Count(p *State, counts []int32) {
	counts[tempo] = 1
	if p.White {
		counts[tempo] = -1
	}
	p.count(counts, false, 1)
	p.count(counts, true, -1)
}

// count adds the terms of a side.
func (p *Position) count(counts []int32, white bool, sign int32) {
	own, first := p.B, uint32(whiteGoal)
	if white {
		own, first = p.W, blackGoal
	}
	number := func(word uint32) int32 { return int32(bits.OnesCount32(word)) }
	men := own &^ p.K
	counts[man] += sign * number(men)
	counts[king] += sign * number(own&p.K)
	counts[backRank] += sign * number(men&first)
	counts[centre] += sign * number(own&centreSquares)
	for row := range int32(8) {
		ahead := row - 2
		if white {
			ahead = 5 - row
		}
		counts[advancement] += sign * ahead * number(men>>(4*row)&15)
	}
	side := *p
	side.White = white
	empty := ^(p.B | p.W)
	for kind := range types {
		counts[mobility] += sign * number(shift(side.movers(kind < minus4), kind)&empty)
	}
}

// MoveText implements game.Rules.
func (Rules) MoveText(_ *State, m Move) string { return m.String() }

// BoardText implements game.Rules.
func (Rules) BoardText(p *State) string { return p.String() }
