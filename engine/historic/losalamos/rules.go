package losalamos

import (
	"math/rand/v2"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/game"
)

// Rules are those of the small board for programs that learn it; see package game. White is the
// first player. Unlike Game, a game is drawn after 25 moves of each side without a capture or a
// pawn move, and repetition does not end it.
type Rules struct{}

// State is a position with what decides when a game ends as drawn.
type State struct {
	Position
	barren uint8 // plies since the last capture or pawn move
}

// maxBarren ends a game of Rules as drawn.
const maxBarren = 50

// About implements game.Rules. The start weights are the program's: our guess at its material,
// and a tenth of a pawn for a move.
func (Rules) About() game.About {
	return game.About{
		Name: "losalamos", Title: "Los Alamos chess", Players: [2]string{"White", "Black"}, Plies: [2]int{4, 8}, Depth: 1,
		Terms: list,
	}
}

// Start implements game.Rules.
func (Rules) Start(*rand.Rand) State { return State{Position: Start()} }

// Moves implements game.Rules.
func (Rules) Moves(p *State, buf []Move) []Move { return p.Moves(buf) }

// SecondToMove implements game.Rules.
func (Rules) SecondToMove(p *State) bool { return p.black }

// Make implements game.Rules.
func (Rules) Make(p *State, m Move) {
	p.barren++
	if p.irreversible(m) {
		p.barren = 0
	}
	p.Position.Make(m)
}

// Over implements game.Rules.
func (Rules) Over(p *State, moves int) (result int, over bool) {
	switch {
	case moves > 0:
		return 0, p.barren >= maxBarren
	case !p.inCheck():
		return 0, true
	case p.black:
		return 1, true
	}
	return -1, true
}

// Loud implements game.Rules: captures, of large pieces by small ones first, and promotions.
func (Rules) Loud(p *State, m Move) int {
	n := 0
	if victim := p.at[m.To]; victim != board.NoPiece {
		n = 16*pieceValues[victim.Type()] - pieceValues[p.at[m.From].Type()]
	}
	if m.Promotion == board.Queen {
		n += 16 * pieceValues[board.Queen]
	}
	return n
}

// MoveText implements game.Rules.
func (Rules) MoveText(_ *State, m Move) string { return m.String() }

// BoardText implements game.Rules.
func (Rules) BoardText(p *State) string { return p.String() }
