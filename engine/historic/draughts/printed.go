package draughts

import (
	_ "embed"
	"strings"
)

//go:embed game.txt
var printedGame string

// PrintedGame returns the moves of the game on page 303, the machine's first.
func PrintedGame() []string {
	var moves []string
	for line := range strings.Lines(printedGame) {
		if !strings.HasPrefix(line, "#") {
			moves = append(moves, strings.Fields(line)...)
		}
	}
	return moves
}
