package shannon

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// The values of h(P,M). They are ours: see the package comment.
const (
	low       = 0
	defensive = 2
	attacking = 3
	checking  = 4
	capturing = 5
)

// defaultThresholds follow checks for four moves, and captures to the end.
const defaultThresholds = "0,2,2,2,3,3,4,4,5"

// pieceValues are used where only their order matters. The king is the most valuable.
var pieceValues = [6]int{1, 3, 3, 5, 9, 200}

// setThresholds sets the least h of the moves to search, by ply. The last value is for all
// deeper plies; "" restores the default.
func (p *Player) setThresholds(text string) error {
	if text == "" {
		text = defaultThresholds
	}
	var all []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < low || n > capturing {
			return fmt.Errorf("%q is not a comma-separated list of numbers from %d to %d, like %s", text, low, capturing,
				defaultThresholds)
		}
		all = append(all, n)
	}
	p.thresholds = all
	return nil
}

func (p *Player) threshold(ply int) int { return p.thresholds[min(ply, len(p.thresholds)-1)] }

// nodeB searches the moves that h selects, until g(P) = 0.
func (s *search) nodeB(p *board.Position, ply int, it iteration, alpha, beta int) int {
	s.pvLen[ply] = 0
	if v, ended := over(p, ply); ended {
		return v
	}
	if ply >= it.cap || ply >= it.full && !restless(p) {
		return s.evaluate(p)
	}
	moves, screened := s.screen(p, ply)
	best := -infinite
	if screened {
		if best = s.evaluate(p); best >= beta || len(moves) == 0 {
			return best
		}
		alpha = max(alpha, best)
	}
	s.sort(p, ply, moves, board.NullMove)
	for i := range moves {
		m := s.pick(ply, moves, i)
		child := *p
		if !s.budget.Spend() {
			return 0
		}
		child.Make(m)
		v := -s.nodeB(&child, ply+1, it, -beta, -alpha)
		if s.budget.Stopped() {
			return 0
		}
		best = max(best, v)
		if v > alpha {
			alpha = v
			s.keep(ply, m)
		}
		if v >= beta {
			s.refuted(p, ply, m)
			break
		}
	}
	return best
}

// screen returns the moves to search, and whether any move was dropped.
func (s *search) screen(p *board.Position, ply int) (moves []board.Move, screened bool) {
	moves = p.LegalMoves(s.buf[ply][:0])
	s.buf[ply] = moves
	threshold := s.player.threshold(ply)
	if p.InCheck() || threshold == 0 {
		return moves, false
	}
	kept := moves[:0]
	danger := threatened(p)
	for _, m := range moves {
		if h(p, m, danger) >= threshold {
			kept = append(kept, m)
		}
	}
	return kept, len(kept) < len(moves)
}

// h is h(P,M): how forceful a move is. danger holds the attacked pieces of the side to move.
func h(p *board.Position, m board.Move, danger board.Bitboard) int {
	if p.IsCapture(m) || m.Promotion() != board.NoPieceType {
		return capturing
	}
	if p.GivesCheck(m) {
		return checking
	}
	if p.IsCastling(m) {
		return attacking // castling develops a piece too
	}
	us, from, to := p.SideToMove(), m.From(), m.To()
	piece := p.PieceAt(from).Type()
	if (piece == board.Knight || piece == board.Bishop) && from.RelativeRank(us) == 0 {
		return attacking
	}
	after := p.Occupied()&^from.Bitboard() | to.Bitboard()
	reach := attacks(us, piece, to, after) &^ attacks(us, piece, from, p.Occupied())
	for b := reach & p.ByColor(us.Other()); b != 0; {
		if pieceValues[p.PieceAt(b.PopFirst()).Type()] > pieceValues[piece] {
			return attacking
		}
	}
	if danger.Has(from) || reach&danger != 0 {
		return defensive
	}
	return low
}

// threatened returns the attacked pieces of the side to move, except the king.
func threatened(p *board.Position) (b board.Bitboard) {
	us := p.SideToMove()
	for pieces := p.ByColor(us) &^ p.ByType(board.King); pieces != 0; {
		sq := pieces.PopFirst()
		if p.AttackersTo(sq, p.Occupied())&p.ByColor(us.Other()) != 0 {
			b |= sq.Bitboard()
		}
	}
	return b
}

func attacks(c board.Color, t board.PieceType, sq board.Square, occupied board.Bitboard) board.Bitboard {
	if t == board.Pawn {
		return board.PawnAttacks(c, sq)
	}
	return board.Attacks(t, sq, occupied)
}
