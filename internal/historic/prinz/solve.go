package prinz

import "github.com/assay-chess/assay/engine/board"

// Solution is the result of Solve.
type Solution struct {
	Tried   []Move // White's legal first moves in order; the last is the key if Found
	Found   bool
	Made    int // moves made at all levels
	Illegal int // of these, the number taken back because they left the king in check
}

// Solve tries White's moves one after another until one is a key: after each reply White has
// a move that leaves Black without a legal move.
func Solve(p *Position) Solution {
	s := solver{p: *p}
	s.Found = s.any(board.White, 0, s.key)
	return s.Solution
}

type solver struct {
	Solution
	p   Position
	buf [4][]Move // moves of each level
}

// any makes the side's legal moves until good returns true after one.
func (s *solver) any(c board.Color, level int, good func() bool) bool {
	s.buf[level] = s.p.moves(s.buf[level][:0], c)
	for _, m := range s.buf[level] {
		captured := s.p.play(m)
		s.Made++
		legal := !s.p.selfCheck(c)
		if !legal {
			s.Illegal++
		} else if level == 0 {
			s.Tried = append(s.Tried, m)
		}
		done := legal && good()
		s.p.undo(m, captured)
		if done {
			return true
		}
	}
	return false
}

// key reports whether the first move, just made, is a key: no reply of Black avoids mate.
func (s *solver) key() bool {
	return !s.any(board.Black, 1, func() bool { return !s.mates() })
}

// mates reports whether White has a move after which Black has no legal move.
func (s *solver) mates() bool {
	return s.any(board.White, 2, func() bool {
		return !s.any(board.Black, 3, func() bool { return true })
	})
}
