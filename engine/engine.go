// Package engine is the contract between a chess player and whoever drives it.
//
// It holds types only: what a player is asked (Limits), what it answers (Result)
// and what it may say meanwhile (Info). The players themselves live in
// engine/search (the modern engine) and engine/historic; engine/uci turns any of
// them into a UCI program, and engine/roster finds them by name.
//
// Start reading at Player.
package engine

import (
	"context"
	"time"

	"github.com/assay-chess/assay/engine/board"
)

// Scores are integers in centipawns, from the view of the side to move.
const (
	// MaxScore bounds every score that is not a mate: |score| <= MaxScore.
	MaxScore = 30000
	// MateScore is the score of a position that is already checkmate, negated.
	// A mate in n plies is MateScore - n; being mated in n plies is -(MateScore - n).
	MateScore = 32000
	// NoScore stands where a move was not searched, an opening move for example.
	NoScore = -32768
)

// Player is anything that answers a position with a move.
//
// A Player is used by one goroutine at a time. Given the same seed, the same game
// and limits without a clock, it gives the same answer, whatever it did before
// NewGame.
type Player interface {
	// NewGame forgets everything learned from earlier games. The seed feeds
	// whatever chance the player uses.
	NewGame(seed uint64) error
	// Search chooses a move for the side to move in the game's current position.
	// When ctx ends it answers with the best move so far. In a position without
	// legal moves, Result.Move is board.NullMove and the error is nil.
	Search(ctx context.Context, game *board.Game, limits Limits) (Result, error)
	// SetOption sets an option by its UCI name. Unknown names and values that do
	// not fit are errors, and leave the player as it was.
	SetOption(name, value string) error
	// Close frees what the player holds. It is called once.
	Close() error
}

// Ponderer is a Player that may watch Limits.PonderHit. Any other is stopped when the
// expected move is played, and asked again.
type Ponderer interface {
	Player
	// Ponders tells whether it does.
	Ponders() bool
}

// Limits says when a search ends. A zero field does not limit; with all fields
// zero the search ends with its context.
type Limits struct {
	Depth int // plies of iterative deepening

	// Nodes is soft: the search finishes the iteration in which it passes Nodes,
	// and stops hard at eight times as many. A node is one made move, quiescence
	// included. With HardNodes the search stops at exactly Nodes.
	Nodes     uint64
	HardNodes bool

	MoveTime  time.Duration    // time for this move
	Clock     [2]time.Duration // time left, by colour; zero means no clock
	Increment [2]time.Duration // gained with each move, by colour
	MovesToGo int              // moves to the next time control; zero means sudden death

	Mate     int  // stop when a mate in this many moves is proved
	Infinite bool // search until the context ends, even when the tree is exhausted
	Ponder   bool // search on the opponent's time: as Infinite until PonderHit

	// PonderHit, closed while a search ponders, says that the opponent has played the
	// expected move: the search goes on, and the limits in time count from then. Only
	// a Ponderer looks at it.
	PonderHit <-chan struct{}

	MultiPV     int          // number of lines to report; zero means one
	SearchMoves []board.Move // root moves to consider; empty means all

	// Info, if set, is called by the searching goroutine as lines are completed.
	Info func(Info)
}

// Result is the answer to a search.
type Result struct {
	Move  board.Move
	Score int // centipawns or mate, side to move's view, of the last completed iteration
	Depth int // plies completed
	Nodes uint64
	Time  time.Duration
	PV    []board.Move // principal variation; PV[0] == Move when not empty
}

// Info is one line of progress within a search.
type Info struct {
	Depth, SelDepth int
	MultiPV         int // 1 for the best line
	Score           int // as in Result
	Bound           int // -1: the score is an upper bound, 1: a lower bound, 0: exact
	Nodes           uint64
	Time            time.Duration
	HashFull        int // per mille of the transposition table in use
	PV              []board.Move
}
