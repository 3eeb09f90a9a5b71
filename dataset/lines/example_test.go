package lines_test

import (
	"fmt"
	"log"

	"github.com/assay-chess/assay/dataset/lines"
)

// Positions with results, as testers of evaluations exchange them.
func ExampleParse() {
	for _, text := range []string{
		"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 [1.0]", `4k3/8/8/8/8/8/8/4K2R w K - 0 1; "1-0"`,
	} {
		line, err := lines.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(line.Board.FEN(), line.Result)
	}
	// Output:
	// 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 1
	// 4k3/8/8/8/8/8/8/4K2R w K - 0 1 1
}
