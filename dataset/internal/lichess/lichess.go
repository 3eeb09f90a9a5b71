// Package lichess reads the evaluations of database.lichess.org/#evals: a JSON object a line, with a
// position and what engines found. Scores and mates, which count moves, have White's view.
//
// Start reading at Parse.
package lichess

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

var errLine = errors.New(`want {"fen":"...","evals":[{"depth":30,"pvs":[{"cp":12}]}]} on a line, or mate for cp`)

// eval is an element of evals, with the first of its pvs.
type eval struct {
	kind, value string // cp or mate, and its number
	depth       int
}

// scan reads the position and the deepest evaluation of a line, the first of equal ones. It is five times as
// fast as encoding/json, and knows no escapes, which these files do not have.
func scan(s string) (fen string, best eval, err error) {
	const inLine, inEval, inPV = 1, 3, 5 // levels of brackets
	var e eval
	level := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			if level++; level == inEval {
				e = eval{}
			}
		case '}', ']':
			if level == inEval && e.kind != "" && (best.kind == "" || e.depth > best.depth) {
				best = e
			}
			level--
		case '"':
			key, rest, _ := strings.Cut(s[i+1:], `"`)
			i += len(key) + 1
			value, isKey := strings.CutPrefix(strings.TrimLeft(rest, " "), ":")
			value = strings.TrimLeft(value, " ")
			number := value[:len(value)-len(strings.TrimLeft(value, "+-.0123456789"))]
			switch {
			case !isKey:
			case level == inLine && key == "fen":
				fen, _, _ = strings.Cut(strings.TrimPrefix(value, `"`), `"`)
			case level == inEval && key == "depth":
				e.depth, err = strconv.Atoi(number)
			case level == inPV && (key == "cp" || key == "mate") && e.kind == "":
				e.kind, e.value = key, number
			}
		}
	}
	if level != 0 || best.kind == "" || err != nil {
		return "", best, errLine
	}
	return fen, best, nil
}

// Parse reads a line. Its result is the one to expect, by the formula with which Lichess shows chances to win.
// Foreign is as in dataset.ParseScore. Mover says that scores are the mover's.
func Parse(line string, mover bool) (r dataset.PositionRow, foreign bool, err error) {
	fen, e, err := scan(line)
	if err != nil {
		return r, false, err
	}
	if r.Board, err = board.ParseFEN(fen); err != nil {
		return r, false, err
	}
	score, err := strconv.Atoi(e.value)
	black := r.Board.SideToMove() == board.Black
	switch mate := e.kind == "mate"; {
	case err != nil || mate && score == 0:
		return r, false, fmt.Errorf("%s %.20q: %w", e.kind, e.value, errLine)
	case mate:
		const most = (dataset.MateScore-dataset.MaxScore)/2 - 1 // moves
		plies := 2 * max(-most, min(score, most))
		if plies > 0 == (mover || !black) { // the side to move mates
			plies -= max(-1, min(plies, 1))
		}
		if score = dataset.MateScore - plies; plies < 0 {
			score = -dataset.MateScore - plies
		}
	default:
		foreign = score > dataset.MaxScore || score < -dataset.MaxScore
	}
	if mover && black {
		score = -score
	}
	r.Ply, r.Weight, r.Score = uint16(r.Board.Ply()), 1, int16(score)
	r.Result = float32(1 / (1 + math.Exp(-0.00368208*float64(score))))
	if foreign {
		r.Score = dataset.NoScore
	}
	return r, foreign, r.Check()
}
