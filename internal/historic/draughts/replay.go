package draughts

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed game.txt
var gameText string

// printedGame returns the moves of the game printed on page 303 of Faster Than Thought.
// The first is the machine's.
func printedGame() []string {
	var moves []string
	for line := range strings.Lines(gameText) {
		if !strings.HasPrefix(line, "#") {
			moves = append(moves, strings.Fields(line)...)
		}
	}
	return moves
}

// Turn is one of the machine's turns in the printed game.
type Turn struct {
	Played Move   // the machine's move as printed
	Reply  string // the opponent's, "" after the last
	Choice Choice // what a strategy finds in the same position
	Gain   int    // material that it expects to win, in eighths of a man
	Actual int    // the same of the played move, by the same look ahead
	Legal  int    // number of legal moves
}

// Agrees reports whether the printed move is among the strategy's best.
func (t *Turn) Agrees() bool { return slices.Contains(t.Choice.Best, t.Played) }

// Replay plays through the printed game and lets a strategy choose in each of the
// machine's turns.
func Replay(s Strategy, rng *rand.Rand) ([]Turn, error) {
	var turns []Turn
	p := Start()
	for i, text := range printedGame() {
		m, err := p.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("printed game, ply %d: %w", i+1, err)
		}
		if p.White {
			turns[len(turns)-1].Reply = text
		} else {
			c, _ := s.Choose(&p, rng)
			now := s.Value(&p)
			turns = append(turns, Turn{Played: m, Choice: c, Gain: c.Value - now, Actual: s.valueOf(&p, m) - now,
				Legal: len(p.Moves(nil))})
		}
		p.Make(m)
	}
	return turns, nil
}
