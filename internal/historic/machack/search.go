package machack

import (
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

const (
	infinite = engine.MateScore + 1
	maxPly   = 100 // greatest length of a line

	mateBound   = historic.MateBound
	hashEntries = 32000 // as in the paper
)

// search is one search. Values are in centipawns from the view of the side to move.
type search struct {
	player *Player
	budget *historic.Budget
	basic  []int // widths

	gen   generator
	keys  []uint64 // of the positions before the current one, oldest first
	plies [maxPly + 1]struct {
		moves      []board.Move
		candidates []candidate
		line       []board.Move // best line from here, without captures beyond the depth
	}

	depth    int                                        // of the current iteration
	line     []board.Move                               // its best line
	score    int                                        // of that line
	top      []board.Move                               // moves allowed at the root
	tried    func(c *candidate, value int, better bool) // called at the root for each move; may be nil
	selDepth int
	stats    statistics
}

// statistics are what the program printed.
type statistics struct {
	Generations int // plausible move generations
	Feedovers   int
	Evaluations int // static evaluations
	Hits        int // values used from the hash table
	Secondary   int // secondary searches
}

// node searches the plausible moves of p, which is ply moves from the root, to a depth in
// plies. fed is the number of feedovers that led here. Values outside the window are bounds;
// a move is refuted even if it is only as good as the best known elsewhere.
func (s *search) node(p *board.Position, ply, depth, fed, alpha, beta int) int {
	level := &s.plies[ply]
	level.line = level.line[:0]
	level.moves = p.LegalMoves(level.moves[:0])
	if v, over := s.final(p, ply, len(level.moves)); over {
		return v
	}
	if ply == 0 {
		level.moves = append(level.moves[:0], s.top...)
	} else if e, ok := s.player.table.At(p.Key()); ok && int(e.Depth) >= depth {
		if v, ok := e.Decides(ply, alpha, beta); ok {
			s.stats.Hits++
			return v
		}
	}
	s.stats.Generations++
	level.candidates = s.gen.list(p, level.moves, level.candidates[:0])
	best, low := -infinite, alpha
	moves := pick(level.candidates, s.basic, ply)
	for c := moves.pop(); c != nil; c = moves.pop() {
		if !s.budget.Spend() {
			return 0
		}
		v := s.investigate(p, c, ply, depth, fed, max(alpha, best), beta)
		if s.budget.Stopped() {
			return 0
		}
		moves.tally(v)
		if v > max(best, low) {
			level.line = append(append(level.line[:0], c.move), s.plies[ply+1].line...)
		}
		if ply == 0 && s.tried != nil {
			s.tried(c, v, v > best)
		}
		if v <= best {
			continue
		}
		if ply == 0 {
			if v = s.secondary(p, v, best); v <= best || s.budget.Stopped() {
				continue
			}
			best = v
			s.line, s.score = append(s.line[:0], level.line...), v
			continue
		}
		if best = v; best >= beta {
			break
		}
	}
	if ply > 0 {
		s.player.table.Put(p.Key(), board.NullMove, best, depth, ply, low, beta)
	}
	return best
}

// investigate returns the value of a move, less the deductions.
func (s *search) investigate(p *board.Position, c *candidate, ply, depth, fed, alpha, beta int) int {
	child := *p
	child.Make(c.move)
	s.keys = append(s.keys, p.Key())
	// Values up to the greatest deduction above beta must be exact.
	high := min(beta+maxDeduction, infinite)
	var v int
	if depth > 1 && ply+1 < maxPly {
		v = -s.node(&child, ply+1, depth-1, fed, -high, -alpha)
	} else {
		v = -s.position(&child, ply+1, fed, -high, -alpha)
	}
	s.keys = s.keys[:len(s.keys)-1]
	if v >= mateBound || v <= -mateBound {
		return v
	}
	return v - deduction(p, c, s.plies[ply+1].line)
}

// position evaluates a position at the end of the search: by its plausible moves if a
// feedover condition holds, otherwise by its static value and all captures that seem to win
// material.
func (s *search) position(p *board.Position, ply, fed, alpha, beta int) int {
	s.plies[ply].line = s.plies[ply].line[:0]
	s.selDepth = max(s.selDepth, ply)
	if v, over := s.final(p, ply, p.CountLegal()); over {
		return v
	}
	if ply >= maxPly {
		return s.static(p)
	}
	if fed < s.player.feedover && feedover(p) {
		s.stats.Feedovers++
		return s.node(p, ply, 1, fed+1, alpha, beta)
	}
	best := s.static(p)
	if best >= beta {
		return best
	}
	for _, c := range s.gains(p, ply) {
		if !s.budget.Spend() {
			return 0
		}
		child := *p
		child.Make(c.move)
		s.keys = append(s.keys, p.Key())
		v := -s.position(&child, ply+1, fed, -beta, -max(alpha, best))
		s.keys = s.keys[:len(s.keys)-1]
		if s.budget.Stopped() {
			return 0
		}
		if best = max(best, v); best >= beta {
			break
		}
	}
	return best
}

// gains returns the captures and promotions that seem to win material, the best first.
func (s *search) gains(p *board.Position, ply int) []candidate {
	level := &s.plies[ply]
	level.moves = p.LegalCaptures(level.moves[:0])
	list := level.candidates[:0]
	for _, m := range level.moves {
		from, to := m.From(), m.To()
		kind := p.PieceAt(from).Type()
		gain := points[historic.Victim(p, m)]
		if made := m.Promotion(); made != board.NoPieceType {
			gain += points[made] - points[kind]
			kind = made
		}
		occupied := p.Occupied()&^from.Bitboard() | to.Bitboard()
		if gain <= points[kind] && exposed(p, to, kind, p.SideToMove(), occupied, from.Bitboard()|to.Bitboard()) {
			gain -= points[kind]
		}
		if gain > 0 {
			list = append(list, candidate{move: m, tactics: gain})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return b.tactics - a.tactics })
	level.candidates = list
	return list
}

// final returns the value of checkmate, stalemate and drawn positions. At the root draws by
// rule do not count.
func (s *search) final(p *board.Position, ply, moves int) (value int, over bool) {
	if moves == 0 {
		if p.InCheck() {
			return ply - engine.MateScore, true
		}
		return 0, true
	}
	if ply == 0 {
		return 0, false
	}
	if p.Halfmove() >= 100 || p.InsufficientMaterial() {
		return 0, true
	}
	for i := len(s.keys) - 4; i >= max(0, len(s.keys)-p.Halfmove()); i -= 2 {
		if s.keys[i] == p.Key() {
			return 0, true
		}
	}
	return 0, false
}

// static returns S from the view of the side to move.
func (s *search) static(p *board.Position) int {
	s.stats.Evaluations++
	v := s.player.ev.Evaluate(p)
	if p.SideToMove() == board.Black {
		return -v
	}
	return v
}

// secondaryPlies is the depth of the secondary search beyond the line of a new best move.
const secondaryPlies = 2

// secondary searches on from the end of the line of a new best move at the root, and returns
// the lower of the two values. Values below least need not be exact. A line that the hash
// table has cut short is searched that much deeper.
func (s *search) secondary(p *board.Position, value, least int) int {
	if !s.player.secondary || value >= mateBound || value <= -mateBound || s.budget.Stopped() {
		return value
	}
	s.stats.Secondary++
	line := slices.Clone(s.plies[0].line)
	end := *p
	for _, m := range line {
		s.keys = append(s.keys, end.Key())
		end.Make(m)
	}
	ply, depth := len(line), secondaryPlies+max(0, s.depth-len(line))
	alpha, beta := least, value
	if ply%2 == 1 {
		alpha, beta = -beta, -alpha
	}
	v := s.node(&end, ply, depth, 0, alpha, beta)
	if ply%2 == 1 {
		v = -v
	}
	s.keys = s.keys[:len(s.keys)-len(line)]
	s.plies[0].line = append(s.plies[0].line[:0], line...)
	return min(v, value)
}

// attacksOf returns the squares that the piece on sq attacks.
func attacksOf(p *board.Position, sq board.Square) board.Bitboard {
	return historic.Reach(p, sq, sq, p.Occupied())
}
