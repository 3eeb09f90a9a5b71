package losalamos_test

import (
	"fmt"

	"github.com/assay-chess/assay/internal/historic/losalamos"
)

// MANIAC's last turn against the beginner: it mates.
func ExampleChoose() {
	game := losalamos.NewGame(losalamos.Start())
	moves := losalamos.PublicGame()
	for _, text := range moves[:len(moves)-1] {
		m, err := game.Position().Parse(text)
		if err != nil {
			panic(err)
		}
		game.Push(m)
	}
	choice, _ := losalamos.Choose(game.Position(), losalamos.Depth, nil)
	game.Push(choice.Move)
	fmt.Println(choice.Move, game.Outcome())
	// Output: f3e5 Checkmate: white wins.
}
