package turing

import (
	"fmt"
	"math"

	"github.com/assay-chess/assay/engine/board"
)

// contribution is one part of the position-play value.
type contribution struct {
	Rule   byte // 'a' to 'i', as in the text
	Piece  board.Piece
	Square board.Square
	Tenths int
	Note   string
}

// contributions returns the parts of the position-play value of side c. If c has just moved,
// its mobility is counted as for one more move in a row. castled says that the last move of c was
// castling.
func contributions(pos *board.Position, c board.Color, castled bool) (list []contribution) {
	turn := *pos
	if pos.SideToMove() != c {
		turn.MakeNull()
	}
	moves := turn.LegalMoves(nil)
	add := func(rule byte, sq board.Square, tenths int, format string, args ...any) {
		if tenths != 0 {
			list = append(list, contribution{rule, pos.PieceAt(sq), sq, tenths, fmt.Sprintf(format, args...)})
		}
	}
	for pieces := pos.ByColor(c); pieces != 0; {
		sq := pieces.PopFirst()
		switch pos.PieceAt(sq).Type() {
		case board.Pawn:
			rank := sq.RelativeRank(c) - 1
			add('f', sq, 2*rank, "ranks advanced: %d", rank)
			if defenders(pos, c, sq)&^pos.ByType(board.Pawn) != 0 {
				add('g', sq, 3, "defended by a piece")
			}
		case board.King:
			n := mobility(&turn, moves, sq)
			add('c', sq, root(n), "moves: %d", n)
			n = queenMoves(pos, c, sq)
			add('d', sq, -root(n), "moves of a queen here: %d", n)
		default:
			n := mobility(&turn, moves, sq)
			add('a', sq, root(n), "moves: %d", n)
			if pos.PieceAt(sq).Type() == board.Queen {
				continue
			}
			switch d := defenders(pos, c, sq).Count(); {
			case d >= 2:
				add('b', sq, 15, "twice defended")
			case d == 1:
				add('b', sq, 10, "defended")
			}
		}
	}
	king, enemy := pos.KingSquare(c), pos.KingSquare(c.Other())
	add('e', king, castling(&turn, moves, c, castled), "castling")
	if threatensMate(&turn, moves) {
		add('h', enemy, 10, "threat of mate")
	}
	if pos.SideToMove() != c && pos.InCheck() {
		add('i', enemy, 5, "check")
	}
	return list
}

// positionPlay returns the sum of the contributions in tenths.
func positionPlay(pos *board.Position, c board.Color, castled bool) (tenths int) {
	for _, x := range contributions(pos, c, castled) {
		tenths += x.Tenths
	}
	return tenths
}

// increase returns by how many tenths a move raises the position-play value of the side to
// move. These are the figures printed with the game.
func increase(pos *board.Position, m board.Move) (tenths int) {
	return after(pos, m) - positionPlay(pos, pos.SideToMove(), false)
}

// after returns the position-play value after the move, in tenths.
func after(pos *board.Position, m board.Move) int {
	child := *pos
	child.Make(m)
	return positionPlay(&child, pos.SideToMove(), pos.IsCastling(m))
}

// root returns the square root in tenths, rounded as in the printed table.
func root(n int) int { return int(math.Round(10 * math.Sqrt(float64(n)))) }

// mobility counts the moves of the piece on sq. A capture counts as two, castling as none.
func mobility(turn *board.Position, moves []board.Move, sq board.Square) (n int) {
	for _, m := range moves {
		switch {
		case m.From() != sq || turn.IsCastling(m):
		case turn.PieceAt(m.To()) != board.NoPiece:
			n += 2
		default:
			n++
		}
	}
	return n
}

// queenMoves counts the moves of a queen of side c in the place of its king.
func queenMoves(pos *board.Position, c board.Color, king board.Square) int {
	reach := board.QueenAttacks(king, pos.Occupied()) &^ pos.ByColor(c)
	return reach.Count() + (reach & pos.ByColor(c.Other())).Count()
}

func defenders(pos *board.Position, c board.Color, sq board.Square) board.Bitboard {
	return pos.AttackersTo(sq, pos.Occupied()) & pos.ByColor(c)
}

func castling(turn *board.Position, moves []board.Move, c board.Color, castled bool) (tenths int) {
	if castled {
		return 30
	}
	if turn.Castling()&turn.ByColor(c) != 0 {
		tenths = 10
	}
	for _, m := range moves {
		if turn.IsCastling(m) {
			return tenths + 10
		}
	}
	return tenths
}

// threatensMate reports whether some move mates.
func threatensMate(turn *board.Position, moves []board.Move) bool {
	for _, m := range moves {
		if turn.PieceAt(m.To()).Type() == board.King || !turn.GivesCheck(m) {
			continue // captures a king that is already in check
		}
		child := *turn
		child.Make(m)
		if child.CountLegal() == 0 {
			return true
		}
	}
	return false
}

// kingAlone is the material of a bare king, in hundredths of a pawn.
const kingAlone = 50

// material returns the sum of the side's piece values, in hundredths of a pawn.
func (p *Player) material(pos *board.Position, c board.Color) int {
	sum := 0
	for t, v := range p.values {
		sum += v * pos.Pieces(c, board.PieceType(t)).Count()
	}
	return max(sum, kingAlone)
}

// checkmate is the value of mating. Being mated is its inverse, or its negative where
// material is measured by difference.
const checkmate = 1000

// dead returns the value of a dead position for the machine: the ratio of its material to
// the opponent's, or by option the difference in pawns.
func (p *Player) dead(pos *board.Position, machine board.Color) float64 {
	w, b := p.material(pos, machine), p.material(pos, machine.Other())
	if p.measure == difference {
		return float64(w-b) / 100
	}
	return float64(w) / float64(b)
}

// drawn returns the value of a stalemate.
func (p *Player) drawn() float64 {
	if p.measure == difference {
		return 0
	}
	return 1
}

// mated returns the value of a mate at the given ply.
func (p *Player) mated(machineWins bool, ply int) float64 {
	v := float64(checkmate - ply)
	switch {
	case machineWins:
		return v
	case p.measure == difference:
		return -v
	}
	return 1 / v
}
