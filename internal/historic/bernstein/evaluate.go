package bernstein

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// sum holds the four factors of one side.
type sum struct {
	Material int // hundredths of a pawn
	Moves    int // legal moves, a promotion once; for the side not to move, as if it were to move
	Area     int // completely controlled squares
	King     int // completely controlled squares around its own king
}

// sums returns the factors of both sides.
func (p *Player) sums(pos *board.Position) (s [2]sum) {
	us := pos.SideToMove()
	passed := *pos
	passed.MakeNull() // if the opponent is in check, capturing its king counts as a move
	s[us].Moves, s[us.Other()].Moves = available(pos), available(&passed)
	attacks := [2]board.Bitboard{attackedBy(pos, board.White, true), attackedBy(pos, board.Black, true)}
	for c := range s {
		side := board.Color(c)
		other := side.Other()
		for t, v := range p.values {
			s[c].Material += v * pos.Pieces(side, board.PieceType(t)).Count()
		}
		s[c].Area = (attacks[c] &^ attacks[other]).Count()
		ring := attacks[c]
		if !p.kingGuards {
			ring = attackedBy(pos, side, false)
		}
		s[c].King = (board.KingAttacks(pos.KingSquare(side)) & ring &^ attacks[other]).Count()
	}
	return s
}

// available returns the number of moves that the program can choose from: it promotes to a
// queen only, so each promotion counts once.
func available(pos *board.Position) int {
	us := pos.SideToMove()
	seventh := board.Rank7
	if us == board.Black {
		seventh = board.Rank2
	}
	if pos.Pieces(us, board.Pawn)&seventh == 0 {
		return pos.CountLegal()
	}
	n := 0
	for _, m := range pos.LegalMoves(make([]board.Move, 0, 64)) {
		if historic.ToQueen(m) {
			n++
		}
	}
	return n
}

// attackedBy returns the squares that a side's pieces attack, its king included or not.
func attackedBy(pos *board.Position, c board.Color, king bool) board.Bitboard {
	b := board.PawnAttackSet(c, pos.Pieces(c, board.Pawn))
	pieces := pos.ByColor(c) &^ pos.ByType(board.Pawn)
	if !king {
		pieces &^= pos.ByType(board.King)
	}
	for pieces != 0 {
		sq := pieces.PopFirst()
		b |= board.Attacks(pos.PieceAt(sq).Type(), sq, pos.Occupied())
	}
	return b
}

// total returns the weighted sum of the factors, times 100.
func (p *Player) total(s sum) int {
	return p.factor*s.Material + 100*(s.Moves+s.Area+s.King)
}

// value returns the ratio of the machine's sum to the opponent's.
func (p *Player) value(pos *board.Position, machine board.Color) float64 {
	s := p.sums(pos)
	return float64(max(1, p.total(s[machine]))) / float64(max(1, p.total(s[machine.Other()])))
}
