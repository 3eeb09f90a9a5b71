package torres

import "github.com/assay-chess/assay/engine/board"

// ruleNo is the number of a rule, or 0 if the automaton refuses to move.
type ruleNo int

// String describes the rule.
func (r ruleNo) String() string {
	return [...]string{
		"refuses to move: this is not its endgame, or the move of the rule is not legal",
		"the rook and the enemy king are in the same zone: the rook goes to the far file",
		"the rook is more than one rank away from the enemy king: it goes down one rank",
		"the king is more than two ranks away from the enemy king: it goes down one rank",
		"the kings are an odd number of files apart: the rook steps aside",
		"the kings are on the same file: the rook goes down one rank, with check",
		"the kings are an even number of files apart: the king goes one file closer",
	}[r]
}

// answer returns the automaton's move for the side to move, and the rule that gives it. If the
// automaton refuses, they are board.NullMove and 0.
func answer(p *board.Position) (board.Move, ruleNo) {
	us := p.SideToMove()
	them := us.Other()
	rook := p.Pieces(us, board.Rook)
	if rook.Count() != 1 || p.ByColor(us).Count() != 2 || p.ByColor(them).Count() != 1 || p.Castling() != 0 {
		return board.NullMove, 0
	}
	// The rules assume that the enemy king is below the rook.
	flip := board.Square(0)
	if rook.First().Rank() < p.KingSquare(them).Rank() {
		flip = 56
	}
	from, to, rule := apply(p.KingSquare(us)^flip, rook.First()^flip, p.KingSquare(them)^flip)
	m := board.NewMove(from^flip, to^flip)
	if to == board.NoSquare || !p.IsLegal(m) {
		return board.NullMove, 0
	}
	return m, rule
}

// apply returns the rule for king and rook against the enemy king below them, and its move. to
// is board.NoSquare if the rule leads off the board.
func apply(king, rook, enemy board.Square) (from, to board.Square, rule ruleNo) {
	apart := king.File() - enemy.File()
	switch {
	case rook.File() <= 2 && enemy.File() <= 2:
		return rook, square(7, rook.Rank()), 1
	case rook.File() >= 5 && enemy.File() >= 5:
		return rook, square(0, rook.Rank()), 1
	case rook.Rank()-enemy.Rank() > 1:
		return rook, square(rook.File(), rook.Rank()-1), 2
	case king.Rank()-enemy.Rank() > 2:
		return king, square(king.File(), king.Rank()-1), 3
	case apart%2 != 0:
		aside := [...]int{1, 0, 3, 4, 5, 6, 7, 6} // a-b, g-h, otherwise one file to the right
		return rook, square(aside[rook.File()], rook.Rank()), 4
	case apart == 0:
		return rook, square(rook.File(), rook.Rank()-1), 5
	case apart > 0:
		return king, square(king.File()-1, king.Rank()), 6
	}
	return king, square(king.File()+1, king.Rank()), 6
}

func square(file, rank int) board.Square {
	if rank < 0 {
		return board.NoSquare
	}
	return board.NewSquare(file, rank)
}
