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
	opposite bool // scores are from the view of the side that is not to move

	scored bool        // a score has arrived, so the engine has started this search
	best   engine.Info // of the last line about the best move that says its score, or else of the last
	nodes  uint64      // the highest number reported
	took   time.Duration
}

func (a *answer) reset(p *board.Position, info func(engine.Info)) {
	*a = answer{position: *p, info: info, started: time.Now(), best: engine.Info{Score: engine.NoScore}}
}

// take processes a line. If it is a bestmove, take returns true and the move in lower
// case, which may be empty.
func (a *answer) take(line []byte) (string, bool) {
	word, rest := nextWord(line)
	switch {
	case bytes.EqualFold(word, []byte("info")):
		a.takeInfo(rest)
	case bytes.EqualFold(word, []byte("bestmove")):
		move, _ := nextWord(rest)
		return strings.ToLower(string(move)), true
	}
	return "", false
}

// takeInfo processes what follows the word "info".
func (a *answer) takeInfo(rest []byte) {
	i, scored, pv := parseInfo(rest)
	if a.opposite {
		i.Score, i.Bound = opposite(i.Score), -i.Bound
	}
	a.nodes = max(a.nodes, i.Nodes)
	a.took = max(a.took, i.Time)
	a.scored = a.scored || scored
	if scored && a.info != nil { // else nobody reads variations, and to check their moves takes longer than all else
		i.PV = a.line(pv)
		a.info(i)
	}
	if exact := i.Score.Known() && i.Bound == 0; scored && i.MultiPV <= 1 && (exact || !a.best.Score.Known()) {
		if a.best = i; !exact {
			a.best.Score = engine.NoScore // a bound alone may be far from the score
		}
	}
}

// opposite returns the score from the other side's view. "mate 3" is 5 plies for the side that
// is to move and 6 for the other.
func opposite(s engine.Score) engine.Score {
	switch {
	case !s.Known():
		return s
	case s > engine.MaxScore || s < -engine.MaxScore:
		return 1 - s
	}
	return -s
}

func (a *answer) result(move board.Move) engine.Result {
	r := engine.Result{Move: move, Score: a.best.Score, Depth: a.best.Depth, Nodes: a.nodes, Time: time.Since(a.started)}
	if a.took > 0 {
		r.Time = a.took
	}
	if r.PV = a.best.PV; len(r.PV) == 0 || r.PV[0] != move {
		r.PV = []board.Move{move}
	}
	return r
}

// line returns the moves of a variation, up to the first that is not legal.
func (a *answer) line(text []byte) []board.Move {
	var moves []board.Move
	p := a.position
	for len(moves) < maxPV {
		var word []byte
		word, text = nextWord(text)
		if len(word) == 0 || len(word) > 5 {
			break
		}
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
	i.Score = engine.NoScore
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
			i.Score, rest, ok = parseScore(rest)
			scored = scored || ok
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

// parseScore parses "cp CENTIPAWNS" or "mate MOVES". In a position with legal moves, the
// only ones that a Client searches, "mate 0" cannot be true: it is no score.
func parseScore(rest []byte) (score engine.Score, after []byte, ok bool) {
	unit, after := nextWord(rest)
	text, after := nextWord(after)
	n, ok := parseNumber(text)
	if !ok {
		return engine.NoScore, rest, false
	}
	switch string(unit) {
	case "cp":
		return engine.Score(min(max(n, -engine.MaxScore), engine.MaxScore)), after, true
	case "mate":
		const longest = (engine.MateScore - engine.MaxScore) / 2 // in moves; more is not a mate score
		moves := engine.Score(min(max(n, 1-longest), longest-1))
		switch {
		case moves > 0:
			return engine.MateScore - (2*moves - 1), after, true
		case moves < 0:
			return -(engine.MateScore + 2*moves), after, true
		}
		return engine.NoScore, after, true
	}
	return engine.NoScore, rest, false
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
