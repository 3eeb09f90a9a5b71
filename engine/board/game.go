package board

import (
	"slices"
	"strings"
)

// GameResult is the result of a game: 1 if White won, -1 if Black won, 0 for a draw.
type GameResult int8

// The results of a game.
const (
	BlackWins GameResult = iota - 1
	Draw
	WhiteWins
)

// ToMove returns the side to move after plies from the position of a FEN; an empty one is the standard start.
func ToMove(fen string, plies int) Color {
	side := Color(plies % 2)
	if _, rest, _ := strings.Cut(fen, " "); strings.HasPrefix(rest, "b") {
		return side.Other()
	}
	return side
}

// WinFor returns the result of a game that the side has won.
func WinFor(c Color) GameResult { return WhiteWins - 2*GameResult(c) }

// String returns the result as in PGN.
func (r GameResult) String() string {
	return [...]string{"0-1", "1/2-1/2", "1-0"}[r+1]
}

// Termination is the reason why a game ended.
type Termination string

// The terminations by the rules of chess.
const (
	Checkmate            Termination = "checkmate"
	Stalemate            Termination = "stalemate"
	Repetition           Termination = "repetition"
	FiftyMoves           Termination = "fifty-moves"
	InsufficientMaterial Termination = "insufficient-material"
)

// Game is a position with the moves that led to it.
type Game struct {
	start    Position
	position Position
	moves    []Move
	keys     []uint64 // of the positions before the current one, oldest first
}

// NewGame returns the game that starts from the position.
func NewGame(start Position) *Game { return &Game{start: start, position: start} }

// Start returns the position from which the game started.
func (g *Game) Start() Position { return g.start }

// Position returns the current position. It is valid until the next Push and must not be
// changed.
func (g *Game) Position() *Position { return &g.position }

// Moves returns the moves played so far. The slice must not be changed.
func (g *Game) Moves() []Move { return g.moves }

// Keys returns the keys of the positions before the current one, oldest first. The slice
// must not be changed.
func (g *Game) Keys() []uint64 { return g.keys }

// Push makes a legal move.
func (g *Game) Push(m Move) {
	g.keys = append(g.keys, g.position.key)
	g.moves = append(g.moves, m)
	g.position.Make(m)
}

// Clone returns an independent copy.
func (g *Game) Clone() *Game {
	return &Game{start: g.start, position: g.position, moves: slices.Clone(g.moves), keys: slices.Clone(g.keys)}
}

// Repetitions returns how often the current position occurred before in the game.
func (g *Game) Repetitions() int {
	n := 0
	oldest := max(0, len(g.keys)-int(g.position.halfmove))
	for i := len(g.keys) - 4; i >= oldest; i -= 2 {
		if g.keys[i] == g.position.key {
			n++
		}
	}
	return n
}

// Outcome reports whether the game is over by the rules: by checkmate or stalemate, at the
// third occurrence of a position, after fifty moves without a capture or pawn move, or
// because neither side can mate.
func (g *Game) Outcome() (result GameResult, why Termination, over bool) {
	p := &g.position
	switch {
	case p.CountLegal() == 0 && p.InCheck():
		return WinFor(p.stm.Other()), Checkmate, true
	case p.CountLegal() == 0:
		return Draw, Stalemate, true
	case p.InsufficientMaterial():
		return Draw, InsufficientMaterial, true
	case p.halfmove >= 100:
		return Draw, FiftyMoves, true
	case g.Repetitions() >= 2:
		return Draw, Repetition, true
	}
	return Draw, "", false
}
