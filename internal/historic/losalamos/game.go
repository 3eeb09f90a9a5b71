package losalamos

import (
	"context"
	"strings"
)

// publicGame is the third game of MANIAC I, in which it beat a beginner as White. The
// score is public (chessprogramming wiki, MANIAC I); it is not in the paper that
// describes the program.
const publicGame = `
	d2d3 b5b4 e1f3 d5d4 b2b3 e5e4 f3e1 a5a4 b3a4 b6a4 d1d2 a4c3 b1c3 b4c3 d2d1 f5f4
	a2a3 a6b6 a3a4 b6a6 a4a5 d6d5 c1a3 c6b5 a3a2 d5e5 a1b1 a6a5 b1b5 a5a2 b5b1 a2a5
	f2f3 a5a4 f3e4 c5c4 e1f3 e5d6 e4e5 d6d5 e5f6q e6c5 f6d4 d5c6 f3e5`

// PublicGame returns the moves of MANIAC's third game.
func PublicGame() []string { return strings.Fields(publicGame) }

// Game is a game on six squares by six, with the draws by repetition and by fifty moves.
type Game struct {
	pos        Position
	seen       map[string]int // how often each position occurred before, by FEN
	quietPlies int            // plies since the last capture or pawn move
}

// NewGame returns a game that starts from a position.
func NewGame(p Position) *Game { return &Game{pos: p, seen: map[string]int{}} }

// Position returns the current position. The caller must not change it.
func (g *Game) Position() *Position { return &g.pos }

// Push plays a legal move.
func (g *Game) Push(m Move) {
	g.seen[g.pos.FEN()]++
	g.quietPlies++
	if g.pos.irreversible(m) {
		g.quietPlies = 0
	}
	g.pos.Make(m)
}

// Outcome says in one sentence how the game has ended, or returns "" while it goes on.
func (g *Game) Outcome() string {
	p := &g.pos
	switch over := len(p.Moves(nil)) == 0; {
	case over && p.inCheck():
		return "Checkmate: " + p.SideToMove().Other().String() + " wins."
	case over:
		return "Stalemate: draw."
	case g.seen[p.FEN()] >= 2:
		return "Threefold repetition: draw."
	case g.quietPlies >= 100:
		return "Fifty moves without a capture or a pawn move: draw."
	}
	return ""
}

// Turn is one of MANIAC's turns in its public game.
type Turn struct {
	Played Move
	Reply  string // the beginner's move, "" after the last
	Choice Choice // what this program finds in the same position
}

// Replay plays through MANIAC's game and looks the given number of plies ahead in each of its
// turns. It returns these turns and the game's end.
func Replay(ctx context.Context, depth int) ([]Turn, *Game, error) {
	var turns []Turn
	g := NewGame(Start())
	moves := PublicGame()
	for i, text := range moves {
		m, err := g.pos.Parse(text)
		if err != nil {
			return nil, nil, err
		}
		if i%2 == 0 {
			c, ok := Choose(&g.pos, depth, func() bool { return ctx.Err() != nil })
			if !ok {
				return nil, nil, ctx.Err()
			}
			t := Turn{Played: m, Choice: c}
			if i+1 < len(moves) {
				t.Reply = moves[i+1]
			}
			turns = append(turns, t)
		}
		g.Push(m)
	}
	return turns, g, nil
}
