package losalamos

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Values are in tenths of a pawn. One move of mobility is worth one tenth.
const (
	pawn     = 10
	mate     = 1000 * pawn // less one for each ply to it
	maxDepth = 64          // in plies
)

// position is what the search needs of a position P on either board, with moves M.
type position[P, M any] interface {
	*P
	LegalMoves(buf []M) []M
	CountLegal() int
	Make(m M)
	SideToMove() board.Color
	InCheck() bool
}

// search searches to a fixed depth on either board.
type search[P, M any, Q position[P, M]] struct {
	material func(p *P) int // White's less Black's, in pawns
	root     []M            // moves to search at the root; nil: all
	depth    int
	spend    func() bool // called before each move; false stops the search
	over     bool        // the search was stopped: values are meaningless
	buf      [maxDepth + 1][]M
	line     [maxDepth + 1][]M // best line from each ply on
}

// value returns the value of the best line through p, from the view of the side to move. p is
// ply plies from the root. sum is the mobility of the positions before p, White's less
// Black's.
func (s *search[P, M, Q]) value(p *P, ply, sum, alpha, beta int) int {
	s.line[ply] = s.line[ply][:0]
	if ply == s.depth {
		return s.leaf(p, ply, sum)
	}
	moves := s.root
	if ply > 0 || moves == nil {
		moves = Q(p).LegalMoves(s.buf[ply][:0])
		s.buf[ply] = moves
	}
	if len(moves) == 0 {
		return s.final(p, ply)
	}
	if ply > 0 { // the mobility of the root is the same for all moves
		sum += s.forWhite(p, len(moves))
	}
	best := -2 * mate
	for _, m := range moves {
		if !s.spend() {
			s.over = true
			return 0
		}
		after := *p
		Q(&after).Make(m)
		v := -s.value(&after, ply+1, sum, -beta, -max(alpha, best))
		if s.over {
			return 0
		}
		if v > best {
			best = v
			s.line[ply] = append(append(s.line[ply][:0], m), s.line[ply+1]...)
			if best >= beta {
				break
			}
		}
	}
	return best
}

// leaf returns the material plus the mobility of all positions of the line.
func (s *search[P, M, Q]) leaf(p *P, ply, sum int) int {
	n := Q(p).CountLegal()
	if n == 0 {
		return s.final(p, ply)
	}
	return s.forWhite(p, pawn*s.material(p)+sum) + n
}

// final returns the value of a position without legal moves.
func (s *search[P, M, Q]) final(p *P, ply int) int {
	if Q(p).InCheck() {
		return ply - mate
	}
	return 0
}

// forWhite converts a value between the views of White and of the side to move.
func (s *search[P, M, Q]) forWhite(p *P, v int) int {
	if Q(p).SideToMove() == board.White {
		return v
	}
	return -v
}

// small returns the material on six squares by six.
func small(p *Position) (sum int) {
	for s, piece := range p.at {
		if !Square(s).onBoard() || piece == board.NoPiece {
			continue
		}
		if piece.Color() == board.White {
			sum += historic.Values[piece.Type()]
		} else {
			sum -= historic.Values[piece.Type()]
		}
	}
	return sum
}

// large returns the material on eight squares by eight.
func large(p *board.Position) (sum int) {
	for t, w := range historic.Values {
		sum += w * (p.Pieces(board.White, board.PieceType(t)).Count() - p.Pieces(board.Black, board.PieceType(t)).Count())
	}
	return sum
}

// Depth is MANIAC's search depth in plies: two moves of each side.
const Depth = 4

// Choice is the result of a search on six squares by six.
type Choice struct {
	Move  Move
	Value int    // in tenths of a pawn, from the view of the side to move
	Line  []Move // the best line, which starts with Move
}

// Choose searches 1 to 64 plies deep. ok is false if there is no legal move, or if stop, which
// is called from time to time and may be nil, has returned true.
func Choose(p *Position, depth int, stop func() bool) (c Choice, ok bool) {
	s := search[Position, Move, *Position]{material: small, depth: min(depth, maxDepth)}
	made := 0
	s.spend = func() bool {
		made++
		return made%1024 != 0 || stop == nil || !stop()
	}
	c.Value = s.value(p, 0, 0, -2*mate, 2*mate)
	if len(s.line[0]) == 0 || s.over {
		return c, false
	}
	c.Move, c.Line = s.line[0][0], s.line[0]
	return c, true
}
