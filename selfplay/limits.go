package selfplay

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
)

// Limits ends the search of each move; a zero field does not limit. It is the part of
// engine.Limits that is known before a game; except for the clock it is the same for
// every move.
//
// With limits of time a game depends on the machine and its load: only without them does
// the same Job give the same game.
type Limits struct {
	Depth     int           `json:"depth,omitempty"`      // plies of iterative deepening
	Nodes     uint64        `json:"nodes,omitempty"`      // soft, unless HardNodes
	HardNodes bool          `json:"hard_nodes,omitempty"` // stop at exactly Nodes
	MoveTime  time.Duration `json:"movetime_ns,omitempty"`
	Clock     Clock         `json:"clock,omitzero"` // for the whole game
}

// errLimits is returned for limits that would let a search run forever.
var errLimits = errors.New("no limit of depth, nodes or time")

// Validate reports limits that do not end a search.
func (l Limits) Validate() error {
	if l.Depth <= 0 && l.Nodes == 0 && l.MoveTime <= 0 && l.Clock.Base <= 0 {
		return errLimits
	}
	return l.Clock.validate()
}

// Deterministic reports whether a search within these limits depends on its input alone:
// a limit of time depends on the machine.
func (l Limits) Deterministic() bool { return l.MoveTime == 0 && !l.Clock.Runs() }

// TimeControl returns the limit of time as PGN has it: 40/300 or 8+0.08 for a clock, 0.1/move
// for a time a move, and nothing without a limit of time.
func (l Limits) TimeControl() string {
	switch {
	case l.Clock.Runs():
		return l.Clock.String()
	case l.MoveTime > 0:
		return fmt.Sprintf("%g/move", l.MoveTime.Seconds())
	}
	return ""
}

// search returns the limits of one move, without those of the clock.
func (l Limits) search() engine.Limits {
	return engine.Limits{Depth: l.Depth, Nodes: l.Nodes, HardNodes: l.HardNodes, MoveTime: l.MoveTime}
}

// Scaled returns the limits with every time multiplied by f: what a machine of 1/f of the
// speed needs for an equal search. A clock's margin stays: it is for communication.
func (l Limits) Scaled(f float64) Limits {
	scale := func(d time.Duration) time.Duration { return time.Duration(math.Round(float64(d) * f)) }
	l.MoveTime = scale(l.MoveTime)
	l.Clock.Base, l.Clock.Increment = scale(l.Clock.Base), scale(l.Clock.Increment)
	return l
}

// Text returns limits in words.
func (l Limits) Text() string {
	var parts []string
	if l.Nodes > 0 && l.HardNodes {
		parts = append(parts, fmt.Sprintf("exactly %d nodes a move", l.Nodes))
	} else if l.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("%d nodes a move", l.Nodes))
	}
	if l.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth %d", l.Depth))
	}
	if l.MoveTime > 0 {
		parts = append(parts, fmt.Sprintf("%v a move", l.MoveTime))
	}
	if l.Clock.Runs() {
		parts = append(parts, fmt.Sprintf("clock %v", l.Clock))
	}
	return strings.Join(parts, ", ")
}
