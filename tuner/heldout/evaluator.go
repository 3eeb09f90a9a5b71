package heldout

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/eval"
)

// Evaluator gives static evaluations. One serves one goroutine.
type Evaluator interface {
	// Evaluate sets out[i] to the value of ps[i] in centipawns, White's view; NaN where
	// there is none.
	Evaluate(ps []board.Position, out []float64) error
	// Close ends what the evaluator started.
	Close()
}

// Candidate is an evaluation to measure: a name, and Evaluators, one for each thread.
type Candidate struct {
	Name string
	Open func() (Evaluator, error)
}

// Weights returns the candidate of a model with weights.
func Weights(name string, m *eval.Model, w []eval.Coef) Candidate {
	return Candidate{name, func() (Evaluator, error) {
		ev, err := m.NewEvaluator(w)
		return weighted{ev}, err
	}}
}

// weighted evaluates with a model of package eval.
type weighted struct{ ev eval.Evaluator }

func (w weighted) Evaluate(ps []board.Position, out []float64) error {
	for i := range ps {
		out[i] = float64(w.ev.Evaluate(&ps[i]))
	}
	return nil
}

func (weighted) Close() {}

// StockfishLine matches the line with the value in what Stockfish and its relatives
// answer to "eval".
const StockfishLine = `(?i)^ *(?:final|total) evaluation:? +(\S+)`

// EngineTimeout bounds the wait for the answers to one batch of positions.
const EngineTimeout = time.Minute

// batchToEngine is how many positions an engine is sent before its answers are read: few
// enough for the commands to fit a pipe.
const batchToEngine = 32

// Engine asks a foreign engine by the command "eval", which UCI does not have but many
// engines do. It starts with the first position.
type Engine struct {
	Client *uci.Client
	Name   string         // for errors
	Line   *regexp.Regexp // matches one line of each answer; group 1 is the value
	// SideToMove: the engine's values are from the side to move's view.
	SideToMove bool

	commands []byte
}

// ErrLine is returned, wrapped, where an engine's answers do not have one line each that
// Engine.Line matches.
var ErrLine = errors.New("want one line with the value for each position")

// Close implements Evaluator.
func (e *Engine) Close() { _ = e.Client.Close() } // never fails

// Evaluate implements Evaluator.
func (e *Engine) Evaluate(ps []board.Position, out []float64) error {
	for len(ps) > 0 {
		n := min(len(ps), batchToEngine)
		if err := e.batch(ps[:n], out[:n]); err != nil {
			return err
		}
		ps, out = ps[n:], out[n:]
	}
	return nil
}

func (e *Engine) batch(ps []board.Position, out []float64) error {
	e.commands = e.commands[:0]
	for i := range ps {
		e.commands = fmt.Appendf(e.commands, "position fen %s\neval\n", ps[i].FEN())
	}
	found, last := 0, ""
	err := e.Client.Ask(e.commands, EngineTimeout, func(line []byte) {
		line = bytes.TrimRight(line, "\r")
		if m := e.Line.FindSubmatch(line); m == nil {
			if len(line) > 0 {
				last = string(line[:min(len(line), 100)])
			}
		} else {
			if found < len(ps) {
				out[found] = centipawns(string(m[1]))
			}
			found++
		}
	})
	if err != nil {
		return err
	}
	if found != len(ps) {
		return fmt.Errorf("%s: %w: %d lines match %s in the answers to %d commands \"eval\" (another line: %q)",
			e.Name, ErrLine, found, e.Line, len(ps), last)
	}
	for i := range out {
		if e.SideToMove && ps[i].SideToMove() == board.Black {
			out[i] = -out[i]
		}
	}
	return nil
}

// centipawns reads a value: in pawns where it has a decimal point, else in centipawns.
// Text that is not a number gives NaN.
func centipawns(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	if strings.Contains(text, ".") {
		v *= 100
	}
	return v
}
