package losalamos_test

import (
	"fmt"

	"github.com/assay-chess/assay/internal/historic/losalamos"
)

// MANIAC's last turn against the beginner: it mates.
func ExampleChoose() {
	p := losalamos.Start()
	moves := losalamos.PublicGame()
	for _, text := range moves[:len(moves)-1] {
		m, err := p.Parse(text)
		if err != nil {
			panic(err)
		}
		p.Make(m)
	}
	choice, _ := losalamos.Choose(&p, losalamos.Depth, nil)
	p.Make(choice.Move)
	fmt.Println(choice.Move, "leaves", len(p.Moves(nil)), "moves")
	// Output: f3e5 leaves 0 moves
}
