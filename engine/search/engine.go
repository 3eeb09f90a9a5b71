package search

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// DefaultHashMB is the size of the transposition table that programs start with, in
// megabytes.
const DefaultHashMB = 16

const (
	// defaultOverhead is kept back from a clock for what happens outside the search.
	defaultOverhead = 10 * time.Millisecond
	maxOverhead     = 5 * time.Second
)

// ErrOption is wrapped by the errors of Engine.SetOption.
var ErrOption = errors.New("option")

// Engine is the modern engine. It implements engine.Player.
type Engine struct {
	// LoadEvaluator serves the option EvalFile: it returns the evaluator of the
	// weights that the value names. Without it the engine has no such option.
	LoadEvaluator func(name string) (eval.Evaluator, error)
	// Tunable has Options tell the Parameters too. They can be set in any case.
	Tunable bool

	ev       eval.Evaluator
	params   params
	table    table
	history  history
	overhead time.Duration

	frames [maxPly + guard + 2]frame
	// keys holds the positions that a repetition can go back to: the game's, then
	// those of the line being searched. The root's is keys[base].
	keys [maxHistory + maxPly + 2]uint64
	base int

	root     rootMoves
	nodes    uint64
	pollAt   uint64 // number of nodes at which to look at the limits again
	stopped  bool
	selDepth int
	depth    int // of the current iteration
	nullFrom int // verification of a null move: no null moves before this ply
	limits   limits
	pace     pace
	lag      lag
	now      func() time.Time
}

var _ engine.Ponderer = (*Engine)(nil)

// New returns an engine that plays by the evaluator, with a transposition table of
// the given size in megabytes (of 2^20 bytes; at least 1, at most what the machine has
// room for).
func New(ev eval.Evaluator, hashMB int) *Engine {
	e := &Engine{ev: ev, overhead: defaultOverhead, now: time.Now}
	e.params.reset()
	e.table.resize(min(max(hashMB, minHashMB), maxHashMB()))
	return e
}

// NewGame forgets everything learned from earlier games. The seed is not used: the
// engine has no chance in it.
func (e *Engine) NewGame(uint64) error {
	e.table.clear()
	e.history.clear()
	for i := range e.frames {
		e.frames[i].killers = [2]board.Move{}
	}
	return nil
}

// Ponders tells that a search goes on when the expected move is played.
func (e *Engine) Ponders() bool { return true }

// Close frees the transposition table.
func (e *Engine) Close() error {
	e.table = table{}
	return nil
}

// Options returns the options of SetOption as UCI declares them, one a line.
func (e *Engine) Options() []string {
	options := []string{
		fmt.Sprintf("option name Hash type spin default %d min %d max %d", DefaultHashMB, minHashMB, maxHashMB()),
		"option name Clear Hash type button",
		fmt.Sprintf("option name Move Overhead type spin default %d min 0 max %d", defaultOverhead.Milliseconds(), maxOverhead.Milliseconds()),
	}
	if e.LoadEvaluator != nil {
		options = append(options, "option name EvalFile type string default <empty>")
	}
	if e.Tunable {
		for i := range parameters {
			options = append(options, parameters[i].option())
		}
	}
	return options
}

// SetOption sets Hash (megabytes), Clear Hash, Move Overhead (milliseconds), where
// LoadEvaluator is given EvalFile, or one of the Parameters. Names are told apart
// without their case, as UCI wants it.
func (e *Engine) SetOption(name, value string) error {
	switch strings.ToLower(name) {
	case "hash":
		mb, err := number(name, value, minHashMB, maxHashMB())
		if err != nil {
			return err
		}
		e.resize(mb)
	case "clear hash":
		e.table.clear()
	case "move overhead":
		ms, err := number(name, value, 0, int(maxOverhead.Milliseconds()))
		if err != nil {
			return err
		}
		e.overhead = time.Duration(ms) * time.Millisecond
	case "evalfile":
		return e.setEvalFile(name, value)
	default:
		return e.setParameter(name, value)
	}
	return nil
}

// resize makes the table empty and of the given size. A large one goes back to the
// system first: there need not be room for two.
func (e *Engine) resize(mb int) {
	if old := len(e.table.buckets); old > 1<<24 { // a gigabyte
		e.table = table{}
		debug.FreeOSMemory()
	}
	e.table.resize(mb)
}

func (e *Engine) setEvalFile(name, value string) error {
	if e.LoadEvaluator == nil {
		return fmt.Errorf("%w %q is unknown", ErrOption, name)
	}
	ev, err := e.LoadEvaluator(value)
	if err != nil {
		return fmt.Errorf("%w %s: %w", ErrOption, name, err)
	}
	e.ev = ev
	e.table.clear()
	return nil
}

// setParameter sets a parameter of the search. What searches with another value have
// left in the table goes.
func (e *Engine) setParameter(name, value string) error {
	i := find(name)
	if i == numParameters {
		return fmt.Errorf("%w %q is unknown", ErrOption, name)
	}
	if err := e.params.set(i, value); err != nil {
		return err
	}
	e.table.clear()
	return nil
}

func number(name, value string, low, high int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%w %s: %q is not a number from %d to %d", ErrOption, name, value, low, high)
	}
	return n, nil
}

// Search chooses a move, as engine.Player says.
func (e *Engine) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	e.start(ctx, game, lim)
	if err := e.root.fill(e, lim.SearchMoves); err != nil {
		return engine.Result{}, err
	}
	result := e.iterate(lim)
	e.limits.wait(lim.Infinite)
	result.Nodes = e.nodes
	result.Time = e.limits.elapsed()
	return result, nil
}

// start makes the engine ready to search the game's current position.
func (e *Engine) start(ctx context.Context, game *board.Game, lim engine.Limits) {
	p := game.Position()
	e.nodes, e.pollAt, e.stopped, e.selDepth, e.nullFrom = 0, 0, false, 0, 0
	e.pace = pace{scale: 1}
	e.lag.fade()
	e.limits.set(ctx, p.SideToMove(), lim, e.lag.overhead(e.overhead), e.now)
	e.table.nextSearch()

	keys := game.Keys()
	e.base = min(p.Halfmove(), len(keys), maxHistory)
	copy(e.keys[:e.base], keys[len(keys)-e.base:])
	e.keys[e.base] = p.Key()

	f := e.at(0)
	f.pos = *p
	f.reversible = e.base
	for ply := -guard; ply < 0; ply++ {
		g := e.at(ply)
		g.move, g.eval = board.NullMove, noEval
	}
}
