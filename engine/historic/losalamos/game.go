package losalamos

import "strings"

// publicGame is the third game of MANIAC I, in which it beat a beginner: White's first
// move first. The score is public (chessprogramming wiki, MANIAC I), not in the paper
// that describes the program.
const publicGame = `
	d2d3 b5b4 e1f3 d5d4 b2b3 e5e4 f3e1 a5a4 b3a4 b6a4 d1d2 a4c3 b1c3 b4c3 d2d1 f5f4
	a2a3 a6b6 a3a4 b6a6 a4a5 d6d5 c1a3 c6b5 a3a2 d5e5 a1b1 a6a5 b1b5 a5a2 b5b1 a2a5
	f2f3 a5a4 f3e4 c5c4 e1f3 e5d6 e4e5 d6d5 e5f6q e6c5 f6d4 d5c6 f3e5`

// PublicGame returns the moves of MANIAC's third game.
func PublicGame() []string { return strings.Fields(publicGame) }
