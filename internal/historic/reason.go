package historic

import (
	"context"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Reasoner is a player that can say in a line why it chooses a move, and why not the move
// that its paper prints.
type Reasoner interface {
	engine.Player
	// Reason chooses a move in the current position of the game as Search does without
	// limits. printed is a legal move of that position. It fails if the game is over or
	// the context ends.
	Reason(ctx context.Context, game *board.Game, printed board.Move) (Reason, error)
}

// Reason is a chosen move with its reason, in the terms of the paper.
type Reason struct {
	Move    board.Move
	Why     string // a line of at most ReasonWidth characters
	Printed string // likewise, what speaks against the printed move; "" if it is the chosen one
}

// ReasonWidth is the greatest length of a reason.
const ReasonWidth = 51
