package machack

import "github.com/assay-chess/assay/engine/board"

// What is taken off a value, in centipawns: 4, 8, 6 and 4 of the program's points of
// 1/128 pawn. The paper says "a few points" and "various small amounts".
const (
	poorLoss     = 3
	returnLoss   = 6
	twoMovesLoss = 5
	earlyLoss    = 3
	mostModified = poorLoss + returnLoss

	earlyMoves = 8
)

// modification returns what is taken off the value of a move whose line continues as
// given: for a move that is developmentally poor, and for a piece that moves again two
// plies down, back to where it came from, or in two moves where one would do, or at all
// in the first eight moves of the game.
func modification(p *board.Position, c *candidate, line []board.Move) (loss int) {
	if c.poor() {
		loss = poorLoss
	}
	if len(line) < 2 || line[1].From() != c.move.To() || p.IsCastling(c.move) {
		return loss
	}
	from, to := c.move.From(), line[1].To()
	switch {
	case to == from:
		loss += returnLoss
	case p.IsLegal(board.NewMove(from, to)):
		loss += twoMovesLoss
	case p.Fullmove() <= earlyMoves:
		loss += earlyLoss
	}
	return loss
}
