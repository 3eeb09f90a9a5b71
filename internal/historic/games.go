package historic

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// PrintedGame is a game that a paper prints.
type PrintedGame struct {
	Name    string // unique among the games
	Program string // name of the player that is the program of the paper; "" if none is
	Side    string // its color, white or black
	Title   string // the players, White first
	Moves   string // in UCI notation, separated by spaces
}

//go:embed games.json
var gamesText []byte

// PrintedGames returns the games that the papers print, in the order of the papers. Misprints
// are corrected with as few changes as possible.
var PrintedGames = sync.OnceValue(func() []PrintedGame {
	var file struct{ Games []PrintedGame }
	if err := json.Unmarshal(gamesText, &file); err != nil {
		panic("historic: games.json: " + err.Error()) // never: a test plays all of them
	}
	return file.Games
})
