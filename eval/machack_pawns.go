package eval

import "github.com/assay-chess/assay/engine/board"

// tripled counts the files with three pawns or more, or with two that are isolated.
func tripled(p board.Bitboard) (n int) {
	alone := isolated(p)
	for file := range board.Square(8) {
		on := p & (board.FileA << file)
		if on.Count() > 2 || on.Many() && on&alone != 0 {
			n++
		}
	}
	return n
}

// backwardRule is the line of Mac Hack's decision list that decides whether a pawn is
// backward, in the order of the paper.
type backwardRule uint8

const (
	ruleDefended        backwardRule = iota // 1: a pawn defends it
	ruleDefendable                          // 2: a pawn can defend it in one move
	ruleBlocked                             // 3a: such a move is blocked, and so is the pawn
	ruleHelperBlocked                       // 3b: such a move is blocked, the pawn is not
	ruleWouldBeDefended                     // 4: it would be defended after advancing
	ruleOtherwise                           // 5
)

func (r backwardRule) backward() bool { return r == ruleBlocked || r == ruleWouldBeDefended }

// machackIsBackward decides whether White's pawn on sq is backward. For line 4 the literal
// reading wants an own pawn on an adjacent file that is level with it or ahead, which makes
// the base of every pawn chain backward. The strict reading wants a pawn ahead, and none on
// adjacent files that is level or behind.
func machackIsBackward(p *board.Position, sq board.Square) (literal, strict backwardRule) {
	pawns, their := p.Pieces(board.White, board.Pawn), p.ByColor(board.Black)
	pawn := sq.Bitboard()
	helpers := beside(pawn >> 8) // a pawn on these defends it
	if pawns&helpers != 0 {
		return ruleDefended, ruleDefended
	}
	one := helpers & (pawns << 8)
	two := helpers & ((pawns & board.Rank2) << 16)
	barred := two & (their | their<<8)
	risky := beside(p.Pieces(board.Black, board.Pawn)) // capture en passant
	if one&^their != 0 || two&^barred&^risky != 0 {
		return ruleDefendable, ruleDefendable
	}
	if one|barred != 0 {
		if their&(pawn<<8) != 0 {
			return ruleBlocked, ruleBlocked
		}
		return ruleHelperBlocked, ruleHelperBlocked
	}
	files := beside(up(down(pawn)))
	level := up(pawn) | beside(up(pawn))
	friends := pawns & files
	literal, strict = ruleOtherwise, ruleOtherwise
	if friends&level != 0 {
		literal = ruleWouldBeDefended
	}
	if friends != 0 && friends&^beside(up(pawn<<8)) == 0 {
		strict = ruleWouldBeDefended
	}
	return literal, strict
}
