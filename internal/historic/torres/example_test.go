package torres

import (
	"fmt"

	"github.com/assay-chess/assay/engine/board"
)

func Example() {
	position, err := board.ParseFEN("KR6/8/4k3/8/8/8/8/8 w - - 0 1")
	if err != nil {
		panic(err)
	}
	move, rule := answer(&position)
	fmt.Printf("%s by rule %d: %v\n", position.SAN(move), int(rule), rule)
	// Output: Rb7 by rule 2: the rook is more than one rank away from the enemy king: it goes down one rank
}
