package pgn

import (
	"fmt"

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
