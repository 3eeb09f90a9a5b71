package torres

import "github.com/assay-chess/assay/engine/board"

// Rule is the number of the rule that moves the automaton; 0 where it refuses.
type Rule int

// String returns the rule in words.
func (r Rule) String() string {
	return [...]string{
		"refuses: this is not the endgame it knows, or the rule's move is not legal",
		"rook and the other king are in the same zone: the rook goes to the far file",
		"the rook is more than one rank away from the other king: it goes down one",
		"the king is more than two ranks away from the other: it goes down one",
		"the kings are an odd number of files apart: the rook makes way",
		"the kings face each other: the rook goes down one, with check",
		"the kings are an even number of files apart: the king goes one file closer",
	}[r]
}

// Answer returns the automaton's move for the side to move and the rule behind it. Where
// it refuses the move is NullMove and the rule 0.
func Answer(p *board.Position) (board.Move, Rule) {
	us := p.SideToMove()
	them := us.Other()
	rook := p.Pieces(us, board.Rook)
	if rook.Count() != 1 || p.ByColor(us).Count() != 2 || p.ByColor(them).Count() != 1 || p.Castling() != 0 {
		return board.NullMove, 0
	}
	// The automaton looks down the board at the other king.
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

// apply finds the rule for king and rook against the other king below them, and its move;
// NoSquare where the rule leads off the board.
func apply(king, rook, other board.Square) (from, to board.Square, rule Rule) {
	apart := king.File() - other.File()
	switch {
	case rook.File() <= 2 && other.File() <= 2:
		return rook, square(7, rook.Rank()), 1
	case rook.File() >= 5 && other.File() >= 5:
		return rook, square(0, rook.Rank()), 1
	case rook.Rank()-other.Rank() > 1:
		return rook, square(rook.File(), rook.Rank()-1), 2
	case king.Rank()-other.Rank() > 2:
		return king, square(king.File(), king.Rank()-1), 3
	case apart%2 != 0:
		aside := [...]int{1, 0, 3, 4, 5, 6, 7, 6} // a-b, g-h, else one to the right
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
