// Package game is the contract of a two-player game that is not the chess of this project:
// its rules, and what an evaluation of it counts. With it assay plays the game, learns the
// coefficients of the evaluation from games of the program against itself, and measures the
// gain. Types only.
//
// Players have all information, move in turn, and one wins or both draw. What is random is in
// the first position alone.
//
// The draughts, the chess on six squares by six and the nim of engine/historic implement it.
// alphabeta searches any game, selfplay/games plays, tuner/gameloop learns; gametest tests what
// Rules asks of a game. "assay guide your-own-game" writes a game of your own.
//
// Start reading at Rules.
package game

import "math/rand/v2"

// Rules are the rules of a game whose positions are P and whose moves are M. A position is a
// plain value: a copy of it is a position of its own. It holds everything that decides how the game
// goes on, such as the number of moves since the last capture where that ends a game.
//
// Every method but Make leaves the position as it is. Several goroutines call them at once.
type Rules[P any, M comparable] interface {
	// About describes the game. It is the same at every call.
	About() About

	// Start returns the position that a game begins with. If it is not always the same, it
	// follows from rng alone.
	Start(rng *rand.Rand) P

	// Moves appends the legal moves to buf, in an order that follows from the position alone.
	Moves(p *P, buf []M) []M

	// Make plays a legal move.
	Make(p *P, m M)

	// SecondToMove reports which player is to move.
	SecondToMove(p *P) bool

	// Over reports whether the game has ended, and its result from the first player's view: 1
	// won, 0 drawn, -1 lost. moves is the number of legal moves; with none the game must be over.
	Over(p *P, moves int) (result int, over bool)

	// Loud returns 0 for a quiet move. Others, such as captures, are searched beyond the depth
	// of the search, those with the largest number first. If all moves of a position are loud,
	// the player to move must make one; else it may also stand still there.
	Loud(p *P, m M) int

	// Count sets the count of each term of About: the first player's minus the second's. The
	// evaluation is the sum of counts times weights. It is called where the game goes on.
	Count(p *P, counts []int32)

	// MoveText writes a legal move without blanks. No other legal move has the same text.
	MoveText(p *P, m M) string

	// BoardText draws the position, with letters of one width.
	BoardText(p *P) string
}

// About describes a game.
type About struct {
	Name    string    // in commands and files: lower-case letters and digits
	Title   string    // for people
	Players [2]string // what the first and the second player are called
	Terms   []Term

	// Plies are the fewest and the most random moves with which a game begins, so that no two
	// games need be the same.
	Plies [2]int
	// Depth is how many plies the search looks ahead, loud moves not counted: 1 is greedy play.
	Depth int
}

// Term is one thing that the evaluation counts.
type Term struct {
	Name  string
	Start int32  // the weight that learning begins with, in hundredths of the unit of the game
	About string // what is counted
}
