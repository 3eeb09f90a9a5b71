package main

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/eval"
)

// judge gives static evaluations. One serves one goroutine.
type judge interface {
	// judge sets out[i] to the value of ps[i] in centipawns, White's view; NaN where
	// there is none.
	judge(ps []board.Position, out []float64) error
	close()
}

// ownJudge evaluates with weights of ours.
type ownJudge struct{ ev eval.Evaluator }

func (j ownJudge) judge(ps []board.Position, out []float64) error {
	for i := range ps {
		out[i] = float64(j.ev.Evaluate(&ps[i]))
	}
	return nil
}

func (ownJudge) close() {}

// defaultEvalLine finds the value in what Stockfish and its relatives answer to "eval".
const defaultEvalLine = `(?i)^ *(?:final|total) evaluation:? +(\S+)`

// askedAtOnce is how many positions an engine is given before its answers are read:
// few enough for the questions to fit a pipe.
const askedAtOnce = 32

// engineTimeout is for the answers to askedAtOnce positions, and for an engine to start
// where its specification does not say: nobody's clock runs.
const engineTimeout = time.Minute

// engineJudge asks a foreign engine, by the command "eval" that UCI does not know but
// many engines do.
type engineJudge struct {
	spec   string
	client *uci.Client
	line   *regexp.Regexp // group 1 is the value
	mover  bool           // the engine's values are the side to move's
	ask    []byte
}

// newEngineJudge returns the judge of a specification uci:COMMAND[?OPTIONS].
func newEngineJudge(spec string, line *regexp.Regexp, mover bool) (*engineJudge, error) {
	p, err := roster.Open(roster.WithTimeouts(spec, 0, engineTimeout))
	if err != nil {
		return nil, err
	}
	client, ok := p.(*uci.Client)
	if !ok {
		_ = p.Close() // nothing was started
		return nil, fmt.Errorf("%s: want uci:COMMAND[?OPTION=VALUE...] without limits; for weights there is --weights", spec)
	}
	return &engineJudge{spec: spec, client: client, line: line, mover: mover}, nil
}

func (j *engineJudge) close() { _ = j.client.Close() } // never fails

func (j *engineJudge) judge(ps []board.Position, out []float64) error {
	for len(ps) > 0 {
		n := min(len(ps), askedAtOnce)
		if err := j.some(ps[:n], out[:n]); err != nil {
			return err
		}
		ps, out = ps[n:], out[n:]
	}
	return nil
}

// some asks for so many positions as are asked at once.
func (j *engineJudge) some(ps []board.Position, out []float64) error {
	j.ask = j.ask[:0]
	for i := range ps {
		j.ask = fmt.Appendf(j.ask, "position fen %s\neval\n", ps[i].FEN())
	}
	found, last := 0, ""
	err := j.client.Ask(j.ask, engineTimeout, func(line []byte) {
		line = bytes.TrimRight(line, "\r")
		if m := j.line.FindSubmatch(line); m == nil {
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
		return fmt.Errorf("%s: to %d times \"eval\" it gave %d lines like %s (and said, say, %q): tell with --eval-line how its answer reads, once a position", j.spec, len(ps), found, j.line, last)
	}
	for i := range out {
		if j.mover && ps[i].SideToMove() == board.Black {
			out[i] = -out[i]
		}
	}
	return nil
}

// centipawns reads a value: in pawns where it has a decimal point, else in centipawns.
// What is no number is NaN.
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
