package losalamos

import "github.com/assay-chess/assay/engine/board"

// Values are in tenths of a pawn. One move of mobility is worth one tenth.
const (
	pawn     = 10
	mate     = 1000 * pawn // less one for each ply to it
	maxDepth = 64          // in plies
)

// pieceValues are in pawns.
var pieceValues = [...]int{board.Pawn: 1, board.Knight: 3, board.Bishop: 3, board.Rook: 5, board.Queen: 9,
	board.King: 0}

// rules is what the search needs of either kind of chess.
type rules[P, M any] interface {
	moves(p *P, buf []M) []M // the legal ones
	count(p *P) int          // how many there are
	play(p *P, m M)
	white(p *P) bool // whether White is to move
	inCheck(p *P) bool
	material(p *P) int // White's less Black's, in pawns
}

// search searches to a fixed depth on either board.
type search[P, M any] struct {
	rules[P, M]
	root  []M // moves to search at the root; nil: all
	depth int
	spend func() bool // called before each move; false stops the search
	over  bool        // the search was stopped: values are meaningless
	buf   [maxDepth + 1][]M
	line  [maxDepth + 1][]M // best line from each ply on
}

// value returns the value of the best line through p, from the view of the side to move. p is
// ply plies from the root. sum is the mobility of the positions before p, White's less
// Black's.
func (s *search[P, M]) value(p *P, ply, sum, alpha, beta int) int {
	s.line[ply] = s.line[ply][:0]
	if ply == s.depth {
		return s.leaf(p, ply, sum)
	}
	moves := s.root
	if ply > 0 || moves == nil {
		moves = s.moves(p, s.buf[ply][:0])
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
		s.play(&after, m)
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
func (s *search[P, M]) leaf(p *P, ply, sum int) int {
	n := s.count(p)
	if n == 0 {
		return s.final(p, ply)
	}
	return s.forWhite(p, pawn*s.material(p)+sum) + n
}

// final returns the value of a position without legal moves.
func (s *search[P, M]) final(p *P, ply int) int {
	if s.inCheck(p) {
		return ply - mate
	}
	return 0
}

// forWhite converts a value between the views of White and of the side to move.
func (s *search[P, M]) forWhite(p *P, v int) int {
	if s.white(p) {
		return v
	}
	return -v
}

// small is chess on six squares by six.
type small struct{}

func (small) moves(p *Position, buf []Move) []Move { return p.Moves(buf) }
func (small) play(p *Position, m Move)             { p.Make(m) }
func (small) white(p *Position) bool               { return !p.black }
func (small) inCheck(p *Position) bool             { return p.inCheck() }

func (small) count(p *Position) int {
	var buf [64]Move
	return len(p.Moves(buf[:0]))
}

func (small) material(p *Position) (sum int) {
	for s, piece := range p.at {
		if !Square(s).onBoard() || piece == board.NoPiece {
			continue
		}
		if piece.Color() == board.White {
			sum += pieceValues[piece.Type()]
		} else {
			sum -= pieceValues[piece.Type()]
		}
	}
	return sum
}

// large is chess on eight squares by eight.
type large struct{}

func (large) moves(p *board.Position, buf []board.Move) []board.Move { return p.LegalMoves(buf) }
func (large) count(p *board.Position) int                            { return p.CountLegal() }
func (large) play(p *board.Position, m board.Move)                   { p.Make(m) }
func (large) white(p *board.Position) bool                           { return p.SideToMove() == board.White }
func (large) inCheck(p *board.Position) bool                         { return p.InCheck() }

func (large) material(p *board.Position) (sum int) {
	for t, w := range pieceValues {
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
	s := search[Position, Move]{rules: small{}, depth: min(depth, maxDepth)}
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
