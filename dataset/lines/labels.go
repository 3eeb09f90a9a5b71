package lines

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/go-json-experiment/json"
)

// ErrResultScale says that results are numbers from -1 to 1. A single row does not show
// which scale a file uses: 0 is a draw on that one and a loss on the usual one.
var ErrResultScale = errors.New("results from -1 to 1 cannot be distinguished from results from 0 to 1")

// ErrHalfPoints says the same of numbers from 0 to 2, on which 1 is a draw.
var ErrHalfPoints = errors.New("results from 0 to 2 cannot be distinguished from results from 0 to 1")

// resultSpellings are the usual spellings of a result, from White's view.
var resultSpellings = map[string]float32{
	"1-0": 1, "0-1": 0, "1/2-1/2": 0.5, "1/2": 0.5, "½-½": 0.5,
	"1.0": 1, "0.0": 0, "0.5": 0.5, "1": 1, "0": 0, "1.": 1, "0.": 0, ".5": 0.5,
}

// winners are spellings of a result by who won: White, Black or nobody.
var winners = map[string]float32{"w": 1, "b": 0, "d": 0.5}

// parseResult reads a result from 0 (Black won) to 1 (White won): a usual spelling, the letter of the winner, or a
// decimal fraction in between. The error is ErrResultScale (wrapped) for -1, ErrHalfPoints for 2.
func parseResult(s string) (float32, error) {
	if r, ok := resultSpellings[s]; ok {
		return r, nil
	}
	if r, ok := winners[s]; ok {
		return r, nil
	}
	r, err := strconv.ParseFloat(s, 32)
	switch {
	case err == nil && r == -1:
		return 0, fmt.Errorf("result %.20q: %w", s, ErrResultScale)
	case err == nil && r == 2:
		return 0, fmt.Errorf("result %.20q: %w", s, ErrHalfPoints)
	case err != nil || !(r >= 0 && r <= 1) || strings.ContainsAny(s, "xXpP_nN"):
		return 0, fmt.Errorf("result %.20q is not 1-0, 1/2-1/2, 0-1 or a number from 0 to 1", s)
	}
	return float32(r), nil
}

// parseScore reads a score in whole centipawns. An empty string, a dash, "null" and "none"
// are dataset.NoScore. So are a number beyond dataset.MateScore, which some programs write in place of a
// missing score, and a mate (M2, #-3), which some count in moves and some in plies: foreign
// is then true.
func parseScore(s string) (score int16, foreign bool, err error) {
	switch s {
	case "", "-", "null", "none":
		return dataset.NoScore, false, nil
	}
	if isMate(s) {
		return dataset.NoScore, true, nil
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil && errors.Is(err, strconv.ErrRange):
		return dataset.NoScore, true, nil
	case err != nil:
		return dataset.NoScore, false, fmt.Errorf("score %.20q is not a whole number of centipawns", s)
	case n > dataset.MateScore || n < -dataset.MateScore:
		return dataset.NoScore, true, nil
	}
	return int16(n), false, nil
}

// isMate reports whether s is a mate as programs write it: M2, -M2, +M2, M-2, #2, #-2.
func isMate(s string) bool {
	unsigned := strings.TrimLeft(s, "+-")
	n := strings.TrimLeft(unsigned, "mM#")
	digits := strings.TrimLeft(n, "+-")
	return len(unsigned) == len(n)+1 && len(s)-len(unsigned)+len(n)-len(digits) <= 1 &&
		digits != "" && strings.Trim(digits, "0123456789") == ""
}

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
