package shannon

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// nodeA is minimax to a fixed depth. Cut-offs, the table and the move order only save time.
func (s *search) nodeA(p *board.Position, ply, depth, alpha, beta int) int {
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
	s.sort(p, ply, moves, first)
	best, bestMove, low := -infinite, moves[0], alpha
	for i := range moves {
		m := s.pick(ply, moves, i)
		child := *p
		if !s.budget.Spend() {
			return 0
		}
		child.Make(m)
		v := -s.nodeA(&child, ply+1, depth-1, -beta, -alpha)
		if s.budget.Stopped() {
			return 0
		}
		if v <= best {
			continue
		}
		best, bestMove = v, m
		if v > alpha {
			alpha = v
			s.keep(ply, m)
		}
		if v >= beta {
			s.refuted(p, ply, m)
			break
		}
	}
	if useTable {
		s.player.table.Put(p.Key(), bestMove, best, depth, ply, low, beta)
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
