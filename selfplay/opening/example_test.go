package opening_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/selfplay/opening"
)

// The opening with a number is the same whenever it is asked for.
func ExampleSpec_Open() {
	random, err := opening.Spec{Plies: 4}.Open(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, number := range []uint64{0, 1, 0} {
		game, err := random.Propose(number, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(number, game.Moves())
	}
	// Output:
	// 0 [e2e3 e7e5 d2d4 f8d6]
	// 1 [e2e4 f7f5 d1f3 e7e5]
	// 0 [e2e3 e7e5 d2d4 f8d6]
}

// A book of positions. The second line repeats the first position.
func ExampleSpec_Open_book() {
	dir, err := os.MkdirTemp("", "book")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "small.epd")
	const lines = `rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 4 9
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
`
	if err := os.WriteFile(path, []byte(lines), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	book, err := opening.Spec{Book: path}.Open(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(book.Len(), "openings")
	// Output: 2 openings
}
