package opening

import (
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// fischerStarts is how many starts there are for a side.
const fischerStarts = 960

// fischer returns the start in which the pieces stand as Scharnagl numbers them; 518 is standard chess.
func fischer(white, black int) board.Position {
	p, err := board.ParseFEN(strings.ToLower(backRank(black)) + "/pppppppp/8/8/8/8/PPPPPPPP/" + backRank(white) +
		" w KQkq - 0 1")
	if err != nil {
		panic(err) // a number is not below fischerStarts
	}
	return p
}

// afterQueen are the pieces on the squares that bishops and queen leave free.
var afterQueen = [...]string{"NNRKR", "NRNKR", "NRKNR", "NRKRN", "RNNKR", "RNKNR", "RNKRN", "RKNNR", "RKNRN", "RKRNN"}

// backRank has a bishop on a light and one on a dark square, then the queen on a free square, then the others.
func backRank(n int) string {
	row := make([]byte, 8)
	row[2*(n%4)+1], row[2*(n/4%4)] = 'B', 'B'
	rest := afterQueen[n/96]
	queen := n / 16 % 6
	rest = rest[:queen] + "Q" + rest[queen:]
	for i := range row {
		if row[i] == 0 {
			row[i], rest = rest[0], rest[1:]
		}
	}
	return string(row)
}
