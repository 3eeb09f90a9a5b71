package pgn

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// evalText formats a score from White's view, of a position with that side to move: pawns
// with two decimals, or the number of moves to mate, negative if Black mates.
func evalText(score int, stm board.Color) string {
	if score >= -dataset.MaxScore && score <= dataset.MaxScore {
		return fmt.Sprintf("%.2f", float64(score)/100)
	}
	sign, plies := "", dataset.MateScore-score
	if score < 0 {
		sign, plies = "-", dataset.MateScore+score
	}
	// Mates of the side to move take an odd number of plies, those of the other an even.
	return fmt.Sprintf("#%s%d", sign, (plies+1)/2)
}

// parseEval is the inverse of evalText.
func parseEval(s string, stm board.Color) (score int16, ok bool) {
	s, _, _ = strings.Cut(s, ",") // a depth may follow
	if mate, is := strings.CutPrefix(s, "#"); is {
		return parseMate(mate, stm)
	}
	pawns, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(pawns) {
		return 0, false
	}
	cp := math.Round(100 * pawns)
	return int16(max(-dataset.MaxScore, min(dataset.MaxScore, cp))), true
}

func parseMate(s string, stm board.Color) (int16, bool) {
	winner := board.White
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		winner, s = board.Black, rest
	}
	moves, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 16)
	if err != nil || moves == 0 { // nobody is mated where a move was played
		return 0, false
	}
	plies := 2 * int(min(moves, 900))
	if winner == stm {
		plies--
	}
	score := int16(dataset.MateScore - plies)
	if winner == board.Black {
		score = -score
	}
	return score, true
}

// scoreOf finds a score in the comment after a move of the side: [%eval 0.34] in White's
// view, or as match runners write it at the start from the mover's view: +0.34/12, or a
// mate, +M5/20 or #5.
func scoreOf(comment string, mover board.Color) (score int16, ok bool) {
	if _, rest, found := strings.Cut(comment, "[%eval"); found {
		value, _, _ := strings.Cut(rest, "]")
		return parseEval(strings.TrimSpace(value), mover)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(comment), " ")
	value, _, found := strings.Cut(first, "/")
	if score, ok = runnerMate(value); !ok {
		if !found || value == "" || strings.Trim(value, "+-.0123456789") != "" {
			return 0, false
		}
		score, ok = parseEval(strings.TrimPrefix(value, "+"), mover)
	}
	if mover == board.Black {
		score = -score
	}
	return score, ok
}

// runnerMate reads a mate of a match runner, from the mover's view: +M5, -M4, M-4 or #5.
// The mover mates after an odd number of plies and is mated after an even one. A number
// that this rules out counts moves, as UCI engines do; any other counts plies, as cutechess
// and fastchess do. So the runners that count moves get mates a few plies too near.
func runnerMate(s string) (score int16, ok bool) {
	digits := strings.TrimLeft(s, "+-mM#")
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return 0, false
	}
	switch s[:len(s)-len(digits)] {
	case "M", "m", "#", "+M", "+m", "+#", "M+", "m+", "#+":
		plies := int(min(n, 900))
		if plies%2 == 0 {
			plies = max(1, 2*plies-1)
		}
		return int16(dataset.MateScore - plies), true
	case "-M", "-m", "-#", "M-", "m-", "#-":
		plies := int(min(n, 900))
		if plies%2 == 1 || plies == 0 {
			plies = max(2, 2*plies)
		}
		return int16(plies - dataset.MateScore), true
	}
	return 0, false
}
