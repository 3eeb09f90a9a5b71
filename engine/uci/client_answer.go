package uci

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Numbers in an engine's output are clamped to these limits.
const (
	maxDepth = 1000
	maxNodes = 1 << 48
	maxTime  = 365 * 24 * time.Hour
	maxPV    = 256 // plies
)

// answer collects an engine's output during one search.
type answer struct {
	position board.Position
	info     func(engine.Info)
	started  time.Time

	scored bool        // a score has arrived, so the engine has started this search
	best   engine.Info // of the last line about the best move with an exact score, or else with a bound
	found  bool        // whether best is set
	pv     []byte      // of best, not parsed
	nodes  uint64      // the highest number reported
	took   time.Duration
}

func (a *answer) reset(p *board.Position, info func(engine.Info)) {
	*a = answer{position: *p, info: info, started: time.Now(), pv: a.pv[:0]}
}

// take processes a line. If it is a bestmove, take returns true and the move in lower
// case, which may be empty.
func (a *answer) take(line []byte) (string, bool) {
	word, rest := nextWord(line)
	switch {
	case equalFold(word, "info"):
		a.takeInfo(rest)
	case equalFold(word, "bestmove"):
		move, _ := nextWord(rest)
		return strings.ToLower(string(move)), true
	}
	return "", false
}

// takeInfo processes what follows the word "info".
func (a *answer) takeInfo(rest []byte) {
	i, scored, pv := parseInfo(rest)
	a.nodes = max(a.nodes, i.Nodes)
	a.took = max(a.took, i.Time)
	a.scored = a.scored || scored
	if scored && i.MultiPV <= 1 && (i.Bound == 0 || !a.found || a.best.Bound != 0) {
		a.best, a.found = i, true
		a.pv = append(a.pv[:0], pv...)
	}
	if scored && a.info != nil {
		i.PV = a.line(pv)
		a.info(i)
	}
}

// result returns the answer with its move.
func (a *answer) result(move board.Move) engine.Result {
	r := engine.Result{Move: move, Nodes: a.nodes, Time: time.Since(a.started)}
	if a.took > 0 {
		r.Time = a.took
	}
	if a.found {
		r.Score, r.Depth = a.best.Score, a.best.Depth
	}
	if pv := a.line(a.pv); len(pv) > 0 && pv[0] == move {
		r.PV = pv
	} else {
		r.PV = []board.Move{move}
	}
	return r
}

// line returns the moves of a variation, up to the first that is not legal.
func (a *answer) line(text []byte) []board.Move {
	var moves []board.Move
	p := a.position
	for word, rest := nextWord(text); len(word) > 0 && len(word) <= 5 && len(moves) < maxPV; word, rest = nextWord(rest) {
		m, err := p.ParseUCI(strings.ToLower(string(word)))
		if err != nil {
			break
		}
		moves = append(moves, m)
		p.Make(m)
	}
	return moves
}

// parseInfo parses what follows the word "info": the numbers, whether a score is among
// them, and the text of the variation. It skips unknown words.
func parseInfo(rest []byte) (i engine.Info, scored bool, pv []byte) {
	for {
		var word []byte
		word, rest = nextWord(rest)
		switch string(word) {
		case "":
			return i, scored, nil
		case "string", "refutation", "currline":
			return i, scored, nil
		case "pv":
			return i, scored, bytes.TrimSpace(rest)
		case "score":
			var ok bool
			if i.Score, rest, ok = parseScore(rest); ok {
				scored = true
			}
		case "lowerbound":
			i.Bound = 1
		case "upperbound":
			i.Bound = -1
		default:
			rest = takeNumber(&i, string(word), rest)
		}
	}
}

// takeNumber parses the number after a word that has one, and returns the rest. After
// another word it returns rest unchanged.
func takeNumber(i *engine.Info, word string, rest []byte) []byte {
	switch word {
	case "depth", "seldepth", "multipv", "nodes", "time", "hashfull":
	default:
		return rest
	}
	text, after := nextWord(rest)
	n, ok := parseNumber(text)
	if !ok {
		return rest
	}
	n = max(n, 0)
	switch word {
	case "depth":
		i.Depth = int(min(n, maxDepth))
	case "seldepth":
		i.SelDepth = int(min(n, maxDepth))
	case "multipv":
		i.MultiPV = int(min(n, board.MaxMoves))
	case "nodes":
		i.Nodes = uint64(min(n, maxNodes))
	case "time":
		i.Time = time.Duration(min(n, int64(maxTime/time.Millisecond))) * time.Millisecond
	case "hashfull":
		i.HashFull = int(min(n, 1000))
	}
	return after
}

// parseScore parses "cp CENTIPAWNS" or "mate MOVES".
func parseScore(rest []byte) (score int, after []byte, ok bool) {
	unit, after := nextWord(rest)
	text, after := nextWord(after)
	n, ok := parseNumber(text)
	if !ok {
		return 0, rest, false
	}
	switch string(unit) {
	case "cp":
		return int(min(max(n, -engine.MaxScore), engine.MaxScore)), after, true
	case "mate":
		const longest = (engine.MateScore - engine.MaxScore) / 2 // in moves; more is not a mate score
		moves := int(min(max(n, 1-longest), longest-1))
		if moves > 0 {
			return engine.MateScore - (2*moves - 1), after, true
		}
		return -(engine.MateScore + 2*moves), after, true
	}
	return 0, rest, false
}

// parseNumber parses an integer. One that is out of range becomes the nearest in range.
func parseNumber(text []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		// ParseInt returns the nearest value with an error of the range.
		if e, ok := err.(*strconv.NumError); !ok || e.Err != strconv.ErrRange {
			return 0, false
		}
	}
	return n, true
}
