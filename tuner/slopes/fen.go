package slopes

import (
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// mostReversible is the largest counter of moves without a capture in a FEN: at 100 a game is a draw.
const mostReversible = 99

// FEN returns the FEN of a position with move counters that every engine takes. Data sets of positions from elsewhere
// may lack the number of the move, and engines refuse, or read beyond an array, if more plies without a capture were
// played than plies.
func FEN(p *board.Position) string {
	fields := strings.Fields(p.FEN())
	reversible := min(p.Halfmove(), mostReversible)
	fields[4] = strconv.Itoa(reversible)
	fields[5] = strconv.Itoa(max(p.Fullmove(), 1+(reversible+1)/2))
	return strings.Join(fields, " ")
}
