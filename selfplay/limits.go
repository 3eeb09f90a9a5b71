package selfplay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
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

// search returns the limits of one move, without the clock.
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

// ClockMargin is by how much a player may exceed its time before it loses, unless the
// Clock says otherwise. A busy machine may need as long to pass a move from one process to
// another. A clock exceeded by less is at zero.
const ClockMargin = 50 * time.Millisecond

// Clock is the time that a side has for a game: Base, and Increment more after each
// move. With Moves above zero, Base is added again after that many moves. The zero Clock
// does not run.
type Clock struct {
	Base      time.Duration `json:"base_ns"`
	Increment time.Duration `json:"increment_ns,omitempty"`
	Moves     int           `json:"moves,omitempty"`
	Margin    time.Duration `json:"margin_ns,omitempty"` // also of MoveTime; 0: ClockMargin
}

// maxClock bounds the parts of a clock.
const maxClock = 1000 * time.Hour

// ParseClock reads [MOVES/]SECONDS[+INCREMENT], such as 8+0.08 or 40/60.
func ParseClock(s string) (Clock, error) {
	fail := func(what string) (Clock, error) {
		return Clock{}, fmt.Errorf("clock %q: %s; want [MOVES/]SECONDS[+INCREMENT], as 8+0.08 or 40/60", s, what)
	}
	var c Clock
	text := s
	if moves, rest, ok := strings.Cut(s, "/"); ok {
		n, err := strconv.Atoi(moves)
		if err != nil || n < 1 || n > 1000 {
			return fail("want a number of moves from 1 to 1000")
		}
		c.Moves, text = n, rest
	}
	base, increment, more := strings.Cut(text, "+")
	var ok bool
	if c.Base, ok = seconds(base); !ok || c.Base <= 0 {
		return fail(fmt.Sprintf("%q is not a valid time", base))
	}
	if more {
		if c.Increment, ok = seconds(increment); !ok {
			return fail(fmt.Sprintf("%q is not a valid increment", increment))
		}
	}
	return c, nil
}

// seconds reads a time to the nanosecond; not below zero, and no longer than maxClock.
func seconds(s string) (time.Duration, bool) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= maxClock.Seconds()) {
		return 0, false
	}
	return time.Duration(math.Round(x * float64(time.Second))), true
}

// String returns the clock as ParseClock reads it.
func (c Clock) String() string {
	text := strconv.FormatFloat(c.Base.Seconds(), 'f', -1, 64)
	if c.Moves > 0 {
		text = fmt.Sprintf("%d/%s", c.Moves, text)
	}
	if c.Increment > 0 {
		text += "+" + strconv.FormatFloat(c.Increment.Seconds(), 'f', -1, 64)
	}
	return text
}

// Runs reports whether there is a clock at all.
func (c Clock) Runs() bool { return c != Clock{Margin: c.Margin} }

func (c Clock) validate() error {
	if c.Margin < 0 || c.Margin > maxClock || c.Runs() && (c.Base <= 0 || c.Increment < 0 || c.Moves < 0 ||
		c.Base > maxClock || c.Increment > maxClock) {
		return fmt.Errorf("impossible clock %+v", c)
	}
	return nil
}

// clocks are both sides' clocks in one game. They run from the moment a player is asked
// for a move until it has answered; what players report does not count.
type clocks struct {
	control [2]Clock
	left    [2]time.Duration
	moves   [2]int           // made
	each    [2]time.Duration // for one move, beside the clock; 0: no limit
}

func newClocks(limits [2]Limits) clocks {
	var c clocks
	for side, l := range limits {
		c.control[side], c.left[side], c.each[side] = l.Clock, l.Clock.Base, l.MoveTime
	}
	return c
}

// limit sets what the side to move sees of the clocks.
func (c *clocks) limit(us board.Color, lim *engine.Limits) {
	for side, control := range c.control {
		if control.Runs() {
			lim.Clock[side] = max(c.left[side], time.Millisecond) // zero means no clock
			lim.Increment[side] = control.Increment
		}
	}
	if n := c.control[us].Moves; n > 0 {
		lim.MovesToGo = n - c.moves[us]%n
	}
}

// spend subtracts the time of a move from the clock of its side. If the player exceeded
// its time and the margin, it returns by how much, and what happened.
func (c *clocks) spend(us board.Color, took time.Duration) (what string, over time.Duration) {
	control := c.control[us]
	margin := cmp.Or(control.Margin, ClockMargin)
	if each := c.each[us]; each > 0 && took > each+margin {
		return fmt.Sprintf("%v for a move of %v (margin %v)", took.Round(time.Millisecond), each, margin),
			took - each - margin
	}
	if !control.Runs() {
		return "", 0
	}
	left := c.left[us]
	if took > left+margin {
		return fmt.Sprintf("%v for a move with %v on the clock (margin %v)", took.Round(time.Millisecond),
			left.Round(time.Millisecond), margin), took - left - margin
	}
	c.moves[us]++
	c.left[us] = max(0, left-took) + control.Increment
	if control.Moves > 0 && c.moves[us]%control.Moves == 0 {
		c.left[us] += control.Base
	}
	return "", 0
}
