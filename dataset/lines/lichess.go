package lines

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

var errLine = errors.New(`want {"fen":"...","evals":[{"depth":30,"pvs":[{"cp":12}]}]} on a line, or mate for cp`)

// evaluated is a line of a file.
type evaluated struct {
	FEN   string `json:"fen"`
	Evals []eval `json:"evals"`
}

type eval struct {
	Depth int `json:"depth"`
	PVs   []struct {
		CP   *int `json:"cp"`
		Mate *int `json:"mate"`
	} `json:"pvs"`
}

// deepest returns the deepest evaluation that has a score, the first of equal ones.
func (l *evaluated) deepest() (best eval) {
	for _, e := range l.Evals {
		if len(e.PVs) > 0 && (e.PVs[0].CP != nil || e.PVs[0].Mate != nil) && (best.PVs == nil || e.Depth > best.Depth) {
			best = e
		}
	}
	return best
}

// ParseLichess reads a line. Its result is the one to expect, by the formula with which Lichess shows chances to win.
// Foreign is as in parseScore. Mover says that scores are the mover's.
func ParseLichess(text string, mover bool) (r dataset.PositionRow, foreign bool, err error) {
	var l evaluated
	err = json.Unmarshal([]byte(text), &l)
	e := l.deepest()
	if err != nil || e.PVs == nil {
		return r, false, errLine
	}
	if r.Board, err = board.ParseFEN(l.FEN); err != nil {
		return r, false, err
	}
	score, black := 0, r.Board.SideToMove() == board.Black
	switch pv := e.PVs[0]; {
	case pv.CP != nil:
		score = *pv.CP
		foreign = score > dataset.MaxScore || score < -dataset.MaxScore
	case *pv.Mate == 0:
		return r, false, fmt.Errorf("mate 0: %w", errLine)
	default:
		score = *pv.Mate
		const most = (dataset.MateScore-dataset.MaxScore)/2 - 1 // moves
		plies := 2 * max(-most, min(score, most))
		if plies > 0 == (mover || !black) { // the side to move mates
			plies -= max(-1, min(plies, 1))
		}
		if score = dataset.MateScore - plies; plies < 0 {
			score = -dataset.MateScore - plies
		}
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
