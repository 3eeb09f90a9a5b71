package historic

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine/board"
)

// Book is an opening book. It maps the key of a position to the moves of the lines that
// pass through it, one entry per line, so that a move of many lines is played more often.
type Book map[uint64][]board.Move

// ParseBook reads opening lines, one a row: a name, a colon, and moves in SAN. Empty rows
// and rows that start with # are ignored.
func ParseBook(text string) (Book, error) {
	b := Book{}
	for i, row := range strings.Split(text, "\n") {
		row = strings.TrimSpace(row)
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		name, line, ok := strings.Cut(row, ":")
		if !ok {
			return nil, fmt.Errorf("book, line %d: %q does not start with a name and a colon", i+1, row)
		}
		p := board.StartPosition()
		for n, san := range strings.Fields(line) {
			m, err := p.ParseSAN(san)
			if err != nil {
				return nil, fmt.Errorf("book, line %d, %s: move %d: %w", i+1, name, n/2+1, err)
			}
			b[p.Key()] = append(b[p.Key()], m)
			p.Make(m)
		}
	}
	return b, nil
}

// Move returns a random one of the book's moves in the position that are in the list. ok is
// false if there is none.
func (b Book) Move(p *board.Position, list []board.Move, rng *rand.Rand) (m board.Move, ok bool) {
	var moves []board.Move
	for _, m := range b[p.Key()] {
		if slices.Contains(list, m) {
			moves = append(moves, m)
		}
	}
	if len(moves) == 0 {
		return board.NullMove, false
	}
	return moves[rng.IntN(len(moves))], true
}

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
