package pgn_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/assay-chess/assay/dataset/pgn"
)

// Read the games of a PGN file as rows of a data set.
func ExampleRead() {
	const text = `[White "Legal"]
[Black "Saint Brie"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0
`
	for g, err := range pgn.Read(strings.NewReader(text)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(g.Row.White, g.Row.Black, g.Row.Result, len(g.Row.Moves), "plies")
	}
	// Output: Legal Saint Brie 1 13 plies
}
