package lines_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/assay-chess/assay/dataset/lines"
)

// Read positions with results, as testers of evaluations exchange them.
func ExampleRead() {
	const list = `4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 [1.0]
4k3/8/8/8/8/8/8/4K2R w K - 0 1; "1-0"
`
	for line, err := range lines.Read(strings.NewReader(list)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(line.Number, line.Board.FEN(), line.Result)
	}
	// Output:
	// 1 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 1
	// 2 4k3/8/8/8/8/8/8/4K2R w K - 0 1 1
}
