package search

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// DefaultHashMB is the default size of the transposition table in MiB.
const DefaultHashMB = 16

const (
	// defaultOverhead is the part of a clock reserved for what happens outside the search.
	defaultOverhead = 10 * time.Millisecond
	maxOverhead     = 5 * time.Second
)

// ErrOption is wrapped by the errors of Engine.SetOption.
var ErrOption = errors.New("option")

// Engine is the modern engine. It implements engine.Player.
type Engine struct {
	ev         engine.Evaluator
	tunable    bool // Options lists the Parameters
	params     params
	table      table
	history    history
	correction correction
	overhead   time.Duration

	frames [maxPly + guard + 2]frame
	// keys holds the keys of earlier positions, for repetitions: the game's, then those
	// of the line being searched. The root's is keys[base].
	keys [maxHistory + maxPly + 2]uint64
	base int

	root     rootMoves
	nodes    uint64
	pollAt   uint64 // number of nodes at which to check the limits again
	stopped  bool
	selDepth int
	depth    int // of the current iteration
	nullFrom int // while a null move is verified: no null moves before this ply
	limits   limits
	pace     pace
	lag      lag
	now      func() time.Time
}

var _ interface {
	engine.Player
	engine.Ponderer
	engine.OptionLister
	engine.ParameterLister
} = (*Engine)(nil)

// New returns an engine with an evaluator and a transposition table of the given size in
// MiB, which is limited to at least 1 and at most 7/8 of the machine's memory.
func New(ev engine.Evaluator, hashMB int) *Engine {
	e := &Engine{ev: ev, overhead: defaultOverhead, now: time.Now}
	e.params.reset()
	e.table.resize(min(max(hashMB, minHashMB), maxHashMB()))
	return e
}

// NewGame implements engine.Player. The seed is not used: the engine plays no move at
// random.
func (e *Engine) NewGame(uint64) error {
	e.table.clear()
	e.history.clear()
	e.correction = correction{}
	for i := range e.frames {
		e.frames[i].killers = [2]board.Move{}
	}
	return nil
}

// Ponders implements engine.Ponderer: it returns true, because a search continues after
// ponderhit.
func (e *Engine) Ponders() bool { return true }

// Close frees the transposition table.
func (e *Engine) Close() error {
	e.table = table{}
	return nil
}

// SetEvaluator replaces the evaluator, and clears the transposition table and the corrections, which
// are of the old one.
func (e *Engine) SetEvaluator(ev engine.Evaluator) {
	e.ev = ev
	e.table.clear()
	e.correction = correction{}
}

// ShowParameters implements engine.ParameterLister: from now on Options lists the
// Parameters, which can be set in any case.
func (e *Engine) ShowParameters() bool {
	e.tunable = true
	return true
}

// Options implements engine.OptionLister.
func (e *Engine) Options() []string {
	options := []string{
		fmt.Sprintf("option name Hash type spin default %d min %d max %d", DefaultHashMB, minHashMB, maxHashMB()),
		"option name Clear Hash type button",
		fmt.Sprintf("option name Move Overhead type spin default %d min 0 max %d", defaultOverhead.Milliseconds(),
			maxOverhead.Milliseconds()),
	}
	if e.tunable {
		for _, p := range parameters {
			options = append(options, fmt.Sprintf("option name %s type spin default %d min %d max %d",
				p.name, p.preset, p.least, p.most))
		}
	}
	return options
}

// SetOption implements engine.Player. The options are Hash (in MiB), Clear Hash, Move
// Overhead (in milliseconds) and the Parameters. The errors wrap ErrOption.
func (e *Engine) SetOption(name, value string) error {
	switch strings.ToLower(name) {
	case "hash":
		mb, err := number(name, value, minHashMB, maxHashMB())
		if err != nil {
			return err
		}
		e.table.resize(mb)
	case "clear hash":
		e.table.clear()
	case "move overhead":
		ms, err := number(name, value, 0, int(maxOverhead.Milliseconds()))
		if err != nil {
			return err
		}
		e.overhead = time.Duration(ms) * time.Millisecond
	default:
		return e.setParameter(name, value)
	}
	return nil
}

// setParameter sets a parameter of the search, and clears the table, whose entries were
// searched with the old value.
func (e *Engine) setParameter(name, value string) error {
	i := findParameter(name)
	if i == numParameters {
		return fmt.Errorf("%w %q is unknown", ErrOption, name)
	}
	info := &parameters[i]
	n, err := number(info.name, value, info.least, info.most)
	if err != nil {
		return err
	}
	e.params.values[i] = n
	e.params.fillReductions()
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

// Search implements engine.Player.
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

// start prepares a search of the game's current position.
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
