package dataset

import (
	"fmt"
	"iter"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// Replay yields the plies of the game in order: the number of moves played so far and the
// game at that point, from the start (0) to the end (len(Moves)). The *board.Game is one
// object that grows; Clone it to keep it. For a row that does not pass Check, the sequence
// stops before the first illegal move.
func (g *GameRow) Replay() iter.Seq2[int, *board.Game] {
	return func(yield func(int, *board.Game) bool) {
		start, err := g.begin()
		if err != nil {
			return
		}
		game := board.NewGame(start)
		for i, m := range g.Moves {
			if !yield(i, game) || !game.Position().IsLegal(m) {
				return
			}
			game.Push(m)
		}
		yield(len(g.Moves), game)
	}
}

// NewGameRow returns the row of a played game: start, moves and, if the rules decided the
// game, result and termination. Its scores are NoScore and its opening is empty; the caller
// sets the other fields.
func NewGameRow(game *board.Game) (GameRow, error) {
	start := game.Start()
	row := GameRow{Variant: Standard, Moves: slices.Clone(game.Moves()), Scores: make([]int16, len(game.Moves()))}
	if start.Chess960() {
		row.Variant = Chess960
	}
	if start != board.StartPosition() {
		row.Start = start.FEN()
	}
	row.Opening = start.Key()
	for i := range row.Scores {
		row.Scores[i] = NoScore
	}
	if result, why, over := game.Outcome(); over {
		row.Result, row.Termination = int8(result), string(why)
	}
	if len(row.Moves) > MaxPlies {
		return row, fmt.Errorf("dataset: a game of %d plies is longer than %d", len(row.Moves), MaxPlies)
	}
	return row, nil
}
