// Package engine defines the contract between a chess player and its caller.
//
// It has types: how a player is named (Spec), the limits of a search (Limits), its answer (Result), its progress
// (Info), and what a player may implement beside Player (OptionLister, Ponderer and
// others). The players are in engine/search (the modern engine) and internal/historic.
// Package engine/uci makes a UCI program of any player and a player of any UCI program;
// selfplay/roster opens players by name.
//
// Start reading at Player.
package engine

import (
	"context"
	"errors"
	"time"

	"github.com/assay-chess/assay/engine/board"
)

// Scores are integers in centipawns, from the side to move's view.
const (
	// MaxScore bounds every score that is not a mate: |score| <= MaxScore.
	MaxScore = 30000
	// MateScore is the winner's score in a checkmate position. A mate in n plies is
	// MateScore - n; being mated in n plies is -(MateScore - n).
	MateScore = 32000
	// NoScore is the absent score: of a move that was not searched, an opening move for
	// example, or that its player did not evaluate.
	NoScore = -32768
)

// Score is what a player says of a position: centipawns or mate, from the side to move's
// view, or NoScore.
type Score int

// Known reports whether there is a score.
func (s Score) Known() bool { return s != NoScore }

// White returns the score of a search by the side as games record it: from White's view,
// within the mates; NoScore stays NoScore.
func (s Score) White(side board.Color) int16 {
	if !s.Known() {
		return NoScore
	}
	if side == board.Black {
		s = -s
	}
	return int16(min(max(s, -MateScore), MateScore))
}

// Player chooses moves.
//
// One goroutine uses a Player at a time. After NewGame, the same seed, game and limits
// (without limits in time) give the same answer, whatever happened before NewGame.
//
// A player may also implement OptionLister, Starter, Logger, Pinner, Ponderer, ParameterLister and
// Wrapper; a caller finds out with a type assertion, or with As.
type Player interface {
	// NewGame forgets everything learned from earlier games. The seed is for players
	// that choose moves at random.
	NewGame(seed uint64) error
	// Search chooses a move for the side to move in the game's current position.
	// When ctx ends it returns the best move so far. In a position without
	// legal moves, Result.Move is board.NullMove and the error is nil.
	Search(ctx context.Context, game *board.Game, limits Limits) (Result, error)
	// SetOption sets an option by its UCI name, ignoring case. Unknown names and invalid
	// values are errors, and leave the player unchanged.
	SetOption(name, value string) error
	// Close frees the player's resources. It is called once.
	Close() error
}

// OptionLister is a Player that lists its options.
type OptionLister interface {
	Player
	// Options returns the options as UCI announces them, one a line: "option name ...".
	Options() []string
}

// Starter is a Player that has to be started, an external program for example. Methods that
// need it start it; Start reports early why it cannot be.
type Starter interface {
	Player
	// Start starts the player if it is not running.
	Start() error
}

// ErrNotStarted is wrapped by the errors of a player whose program the system could not
// start at all. That is no fault of the player in a game.
var ErrNotStarted = errors.New("the program cannot be started")

// ErrTimeout is wrapped by the errors of a player whose program did not answer in time.
var ErrTimeout = errors.New("no answer in time")

// Logger is a Player that keeps a log of its conversation with an external program.
type Logger interface {
	Player
	// Log returns the end of the conversation, also after the program has ended: at most
	// a few pages of text.
	Log() string
}

// Pinner is a Player whose program can be pinned to a processor core.
type Pinner interface {
	Player
	// Pin pins the program and what it starts to the core: at once, or from its next start on.
	Pin(core int)
}

// Ponderer is a Player that may watch Limits.PonderHit. Any other player is stopped when
// the expected move is played, and searches again.
type Ponderer interface {
	Player
	// Ponders reports whether it does.
	Ponders() bool
}

// Evaluator returns the static evaluation of a position in centipawns, from White's view.
type Evaluator interface {
	Evaluate(p *board.Position) int
}

// RootedEvaluator is an Evaluator with terms that may depend on the root, the position that a search started from.
type RootedEvaluator interface {
	Evaluator
	// SetRoot makes p the root of the evaluations that follow. nil means no root: terms
	// that depend on it are then 0, as they are in features.
	SetRoot(p *board.Position)
}

// ParameterLister is a Player whose search has parameters that a tuner can set as options.
type ParameterLister interface {
	Player
	// ShowParameters makes Options list the parameters too. It reports whether there are
	// any.
	ShowParameters() bool
}

// Wrapper is a Player that changes how another one is used.
type Wrapper interface {
	Player
	// Unwrap returns the other player.
	Unwrap() Player
}

// As returns the player as a T: the player itself, or the first that it wraps.
func As[T any](p Player) (t T, ok bool) {
	for {
		if t, ok = p.(T); ok {
			return t, true
		}
		w, wraps := p.(Wrapper)
		if !wraps {
			return t, false
		}
		p = w.Unwrap()
	}
}

// Limits says when a search ends. A zero field does not limit. If all fields are zero the
// search ends with its context.
type Limits struct {
	Depth int // plies of iterative deepening

	// Nodes is a soft limit: the search finishes the iteration in which it passes Nodes,
	// but stops at eight times as many. With HardNodes it stops at exactly Nodes. A node
	// is one made move, quiescence included.
	Nodes     uint64
	HardNodes bool

	MoveTime  time.Duration    // time for this move
	Clock     [2]time.Duration // time left, by color; zero means no clock
	Increment [2]time.Duration // added after each move, by color
	MovesToGo int              // moves to the next time control; zero means sudden death

	Mate     int  // stop when a mate in this many moves is proved
	Infinite bool // search until the context ends, even when the tree is exhausted
	Ponder   bool // search on the opponent's time: like Infinite until PonderHit

	// PonderHit is closed when the opponent has played the expected move. The search
	// continues, and limits in time count from then. Only a Ponderer watches it.
	PonderHit <-chan struct{}

	MultiPV     int          // number of lines to report; zero means one
	SearchMoves []board.Move // root moves to search; empty means all

	// Info, if set, is called by the searching goroutine whenever a line is completed.
	Info func(Info)
}

// Result is the answer to a search.
type Result struct {
	Move  board.Move
	Score Score // of the last completed iteration; NoScore if the player has no opinion
	Depth int   // plies completed
	Nodes uint64
	Time  time.Duration
	PV    []board.Move // principal variation; PV[0] == Move when not empty
}

// Unscored returns the answer of a player that has chosen a move and has no score of it.
func Unscored(m board.Move) Result { return Result{Move: m, Score: NoScore, PV: []board.Move{m}} }

// Info is one line of a search's progress.
type Info struct {
	Depth, SelDepth int
	MultiPV         int // 1 for the best line
	Score           Score
	Bound           int // 0: the score is exact; 1: a lower bound; -1: an upper bound
	Nodes           uint64
	Time            time.Duration
	HashFull        int // used part of the transposition table, in per mille
	PV              []board.Move
}
