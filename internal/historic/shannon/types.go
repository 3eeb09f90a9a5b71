package shannon

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
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
	best, _ = s.try(p, ply, it, moves, board.NullMove, best, alpha, beta)
	return best
}

// try searches the moves below p, the first of them first, and returns the best value, at least best, and its move. If
// the budget ends, they are meaningless.
func (s *search) try(p *board.Position, ply int, it iteration, moves []board.Move, first board.Move,
	best, alpha, beta int) (int, board.Move) {
	s.sort(p, ply, moves, first)
	bestMove := board.NullMove
	for i := range moves {
		m := s.pick(ply, moves, i)
		child := *p
		if !s.budget.Spend() {
			break
		}
		child.Make(m)
		v := -s.node(&child, ply+1, it, -beta, -alpha)
		if s.budget.Stopped() {
			break
		}
		if v > best {
			best, bestMove = v, m
		}
		if v > alpha {
			alpha = v
			s.keep(ply, m)
		}
		if v >= beta {
			s.refuted(p, ply, m)
			break
		}
	}
	return best, bestMove
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
	reach := historic.Reach(p, from, to, after) &^ historic.Reach(p, from, from, p.Occupied())
	if reach&p.ByColor(us.Other())&historic.Dearer(p, piece) != 0 {
		return attacking
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

// nodeA is minimax to a fixed depth. Cut-offs, the table and the move order only save time.
func (s *search) nodeA(p *board.Position, ply int, it iteration, alpha, beta int) int {
	depth := it.cap - ply
	s.pvLen[ply] = 0
	if v, ended := over(p, ply); ended {
		return v
	}
	if depth == 0 {
		return s.evaluate(p)
	}
	// The table ignores the fifty-move rule.
	useTable := p.Halfmove()+depth < 100
	var first board.Move
	if useTable {
		if e, ok := s.player.table.At(p.Key()); ok {
			first = e.Move
			if v, ok := e.Decides(ply, alpha, beta); ok && int(e.Depth) == depth {
				return v
			}
		}
	}
	moves := p.LegalMoves(s.buf[ply][:0])
	s.buf[ply] = moves
	best, bestMove := s.try(p, ply, it, moves, first, -infinite, alpha, beta)
	if useTable && !s.budget.Stopped() {
		s.player.table.Put(p.Key(), bestMove, best, depth, ply, alpha, beta)
	}
	return best
}

// sort ranks moves: the table's move, captures by victim and attacker, killers, the rest.
func (s *search) sort(p *board.Position, ply int, moves []board.Move, first board.Move) {
	rank := s.rank[ply][:0]
	for _, m := range moves {
		r := 0
		switch {
		case m == first:
			r = 1000
		case p.IsCapture(m):
			r = 100 + 8*int(historic.Victim(p, m)) - int(p.PieceAt(m.From()).Type())
		case m == s.killers[ply][0]:
			r = 90
		case m == s.killers[ply][1]:
			r = 80
		}
		if m.Promotion() == board.Queen {
			r += 95
		}
		rank = append(rank, r)
	}
	s.rank[ply] = rank
}

// pick moves the highest ranked of the moves from index i on to index i.
func (s *search) pick(ply int, moves []board.Move, i int) board.Move {
	rank, at := s.rank[ply], i
	for j := i + 1; j < len(moves); j++ {
		if rank[j] > rank[at] {
			at = j
		}
	}
	m, r := moves[at], rank[at]
	copy(moves[i+1:at+1], moves[i:at])
	copy(rank[i+1:at+1], rank[i:at])
	moves[i], rank[i] = m, r
	return m
}

func (s *search) refuted(p *board.Position, ply int, m board.Move) {
	if k := &s.killers[ply]; !p.IsCapture(m) && k[0] != m {
		k[0], k[1] = m, k[0]
	}
}

// List returns the legal moves in the order of Shannon's program T7: by the square they
// start from, a1 to h8 along the ranks, and for each piece in the order of its program.
//
// The paper prints only the bishop's program, T3: directions (x+1,y+1), (x+1,y-1),
// (x-1,y+1), (x-1,y-1), where x is the rank, each outward. The others are ours. Rook, T4:
// (+1,0), (-1,0), (0,+1), (0,-1). Queen and king: T3, then T4. Knight: (2,1) with the
// bishop's signs, then (1,2). Pawn: one square, two squares, capture toward the h-file,
// capture toward the a-file; promotions to queen, rook, bishop, knight. Castling comes
// last, kingside first.
func List(p *board.Position) []board.Move {
	moves := p.LegalMoves(nil)
	slices.SortFunc(moves, func(a, b board.Move) int { return cmp.Compare(sortKey(p, a), sortKey(p, b)) })
	return moves
}

// sortKey returns the number by which T7 sorts a move.
func sortKey(p *board.Position, m board.Move) int {
	from, to := m.From(), m.To()
	ranks, files := to.Rank()-from.Rank(), to.File()-from.File()
	program := 0
	switch {
	case p.IsCastling(m):
		program = 90
		if files < 0 {
			program++
		}
	case p.PieceAt(from).Type() == board.Pawn:
		program = pawnKey(ranks, files, m.Promotion())
	case p.PieceAt(from).Type() == board.Knight:
		program = signs(ranks, files)
		if max(ranks, -ranks) == 1 {
			program += 4
		}
	default:
		program = 8*ray(ranks, files) + max(ranks, -ranks, files, -files)
	}
	return 128*int(from) + program
}

func pawnKey(ranks, files int, promotion board.PieceType) int {
	n := 0
	switch {
	case files > 0:
		n = 2
	case files < 0:
		n = 3
	case max(ranks, -ranks) == 2:
		n = 1
	}
	n *= 4
	if promotion != board.NoPieceType {
		n += int(board.Queen - promotion)
	}
	return n
}

// signs returns the index of a pair of signs in (+,+), (+,-), (-,+), (-,-).
func signs(x, y int) (n int) {
	if x < 0 {
		n = 2
	}
	if y < 0 {
		n++
	}
	return n
}

// ray returns the index of a queen's direction.
func ray(x, y int) int {
	switch {
	case x != 0 && y != 0:
		return signs(x, y)
	case x > 0:
		return 4
	case x < 0:
		return 5
	case y > 0:
		return 6
	}
	return 7
}
