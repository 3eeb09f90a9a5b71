package machack

import "github.com/assay-chess/assay/engine/board"

// Deductions in centipawns: 4, 8, 6 and 4 points of 1/128 pawn. They are ours; the paper says
// "a few points" and "various small amounts".
const (
	poorLoss     = 3
	returnLoss   = 6
	twoMovesLoss = 5
	earlyLoss    = 3
	maxDeduction = poorLoss + returnLoss

	earlyMoves = 8
)

// deduction returns what is subtracted from the value of a move that continues with the
// line: for a developmentally poor move, and for a piece that moves again two plies later,
// if it goes back, if one move would have been enough, or if it is among the first eight
// moves of the game.
func deduction(p *board.Position, c *candidate, line []board.Move) (loss int) {
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
